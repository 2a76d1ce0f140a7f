//! Keyed hash of names. The key comes from [`crate::Config::seed`]: whoever does not know it
//! cannot aim many names at one bucket.

use siphasher::sip::SipHasher13;

/// Hashes name octets under one node's key.
#[derive(Clone, Debug)]
pub(crate) struct NameHash(SipHasher13);

impl NameHash {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SipHasher13::new_with_keys(
            seed,
            seed.rotate_left(32) ^ 0x6D61_7273,
        ))
    }

    pub(crate) fn of(&self, octets: &[u8]) -> u64 {
        self.0.hash(octets)
    }
}
