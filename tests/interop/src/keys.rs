//! Signature schemes that more than one stack knows, with one key each that all of them share.

use ed25519_compact::{KeyPair, Seed, Signature};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The secret of `HmacWithSha256`.
pub const HMAC_KEY: [u8; 32] = *b"a secret that all stacks share..";
/// What the Ed25519 key pair is made of.
pub const ED25519_SEED: [u8; 32] = *b"a seed that every stack knows...";

/// How to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `DigestSha256`.
    Digest,
    /// `HmacWithSha256`, by [`HMAC_KEY`].
    Hmac,
    /// `Ed25519`, by [`ED25519_SEED`].
    Ed25519,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Digest, Self::Hmac, Self::Ed25519];

    /// The scheme of this `SignatureType`.
    #[must_use]
    pub fn of(signature_type: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|scheme| scheme.signature_type() == signature_type)
    }

    /// Its `SignatureType`.
    #[must_use]
    pub const fn signature_type(self) -> u64 {
        match self {
            Self::Digest => 0,
            Self::Hmac => 4,
            Self::Ed25519 => 5,
        }
    }

    /// Octets of a signature.
    #[must_use]
    pub const fn signature_len(self) -> usize {
        match self {
            Self::Digest | Self::Hmac => 32,
            Self::Ed25519 => 64,
        }
    }

    /// The signature of `portion`.
    #[must_use]
    pub fn sign(self, portion: &[u8]) -> Vec<u8> {
        match self {
            Self::Digest => Sha256::digest(portion).to_vec(),
            Self::Hmac => hmac(portion).finalize().into_bytes().to_vec(),
            Self::Ed25519 => key_pair().sk.sign(portion, None).to_vec(),
        }
    }

    /// Whether `signature` is that of `portion`.
    #[must_use]
    pub fn verify(self, portion: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Digest => Sha256::digest(portion).as_slice() == signature,
            Self::Hmac => hmac(portion).verify_slice(signature).is_ok(),
            Self::Ed25519 => Signature::from_slice(signature)
                .is_ok_and(|signature| key_pair().pk.verify(portion, &signature).is_ok()),
        }
    }
}

fn hmac(portion: &[u8]) -> Hmac<Sha256> {
    let mut hmac = Hmac::new_from_slice(&HMAC_KEY).expect("a key of any length will do");
    hmac.update(portion);
    hmac
}

fn key_pair() -> KeyPair {
    KeyPair::from_seed(Seed::new(ED25519_SEED))
}

/// The public half of the Ed25519 key.
#[must_use]
pub fn ed25519_public() -> [u8; 32] {
    *key_pair().pk
}
