//! What a reassembler is configured with.

use core::time::Duration;

use super::blocks::{BLOCK, MOST_BESIDE_FRAGMENTS};
use crate::ConfigError;

/// Everything that a reassembler is configured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Messages in progress: 1 to 4,096; default 256.
    pub max_messages: u16,
    /// Octets held of all messages in progress, counted in blocks of 256 of which 8 are overhead; no
    /// two fragments share a block. At least what one message can take, which is
    /// `256 * (max_fragments + 38)`, and at most 2^30; default 262,144.
    pub max_octets: usize,
    /// Fragments of one message: 1 (none is accepted) to 8,800; default 256.
    pub max_fragments: u16,
    /// How long a message waits for its next fragment, at least 1 ms; default 500 ms.
    pub lifetime: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_messages: 256,
            max_octets: 1 << 18,
            max_fragments: 256,
            lifetime: Duration::from_millis(500),
        }
    }
}

impl Config {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let one_message = BLOCK * (usize::from(self.max_fragments) + MOST_BESIDE_FRAGMENTS);
        ConfigError::first_of(&[
            (
                (1..=4_096).contains(&self.max_messages),
                "max_messages",
                "1 to 4,096",
            ),
            (
                (1..=8_800).contains(&self.max_fragments),
                "max_fragments",
                "1 to 8,800",
            ),
            (
                (one_message..=1 << 30).contains(&self.max_octets),
                "max_octets",
                "256 * (max_fragments + 38) to 2^30",
            ),
            (
                self.lifetime >= Duration::from_millis(1),
                "lifetime",
                "at least 1 ms",
            ),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_field_is_named() {
        type Spoil = fn(&mut Config);
        let table: [(&str, Spoil); 7] = [
            ("max_messages", |c| c.max_messages = 0),
            ("max_messages", |c| c.max_messages = 4_097),
            ("max_octets", |c| c.max_octets = 256 * 294 - 1),
            ("max_octets", |c| c.max_octets = (1 << 30) + 1),
            ("max_fragments", |c| c.max_fragments = 0),
            ("max_fragments", |c| c.max_fragments = 8_801),
            ("lifetime", |c| c.lifetime = Duration::from_micros(999)),
        ];
        assert_eq!(Config::default().validate(), Ok(()));
        let least = Config {
            max_octets: 256 * 294,
            lifetime: Duration::from_millis(1),
            ..Config::default()
        };
        assert_eq!(least.validate(), Ok(()));
        for (field, spoil) in table {
            let mut bad = Config::default();
            spoil(&mut bad);
            assert_eq!(bad.validate().unwrap_err().field, field);
        }
    }
}
