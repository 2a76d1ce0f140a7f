//! What a fragmenter is configured with.

use crate::{ConfigError, MAX_PACKET};

/// Everything that a fragmenter is configured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Octets that one link packet may have, 64 to [`MAX_PACKET`](crate::MAX_PACKET).
    pub mtu: usize,
    /// Fragments that one packet may be cut into, at least 1 (never cut); default 255, more than any
    /// packet takes. The receiver's limit should not be below it.
    pub max_fragments: u8,
    /// Sequence of the first link packet; default 0. A random one makes message ids harder to guess
    /// for those who cannot listen.
    pub first_sequence: u64,
    /// Whether a packet that fits gets a Sequence, too; default no.
    pub number_all: bool,
}

impl Config {
    /// The defaults, for links of this MTU.
    #[must_use]
    pub const fn new(mtu: usize) -> Self {
        Self {
            mtu,
            max_fragments: 255,
            first_sequence: 0,
            number_all: false,
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        ConfigError::first_of(&[
            ((64..=MAX_PACKET).contains(&self.mtu), "mtu", "64 to 8,800"),
            (self.max_fragments >= 1, "max_fragments", "at least 1"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_field_is_named() {
        type Spoil = fn(&mut Config);
        let table: [(&str, Spoil); 3] = [
            ("mtu", |c| c.mtu = 63),
            ("mtu", |c| c.mtu = 8_801),
            ("max_fragments", |c| c.max_fragments = 0),
        ];
        for mtu in [64, 1_500, 8_800] {
            assert_eq!(Config::new(mtu).validate(), Ok(()));
        }
        for (field, spoil) in table {
            let mut bad = Config::new(1_500);
            spoil(&mut bad);
            assert_eq!(bad.validate().unwrap_err().field, field);
        }
    }
}
