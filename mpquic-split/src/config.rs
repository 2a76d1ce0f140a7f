//! Policy, and how to acknowledge until the peer asks for something else.

use core::time::Duration;

use crate::ConfigError;

/// How paths are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Data over the path of the smallest round-trip time that has room, ACKs over the path that
    /// they are about.
    Reactive,
}

/// Everything that a scheduler is configured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// How paths are chosen; default [`Policy::Reactive`].
    pub policy: Policy,
    /// More ack-eliciting packets than this are acknowledged at once; default 1, every second
    /// packet (RFC 9000, section 13.2.2).
    pub ack_threshold: u64,
    /// An ack-eliciting packet waits for its ACK no longer than this, `min_ack_delay` to 16,383 ms;
    /// default 25 ms (RFC 9000, section 18.2).
    pub max_ack_delay: Duration,
    /// A packet missing this far behind the newest is reported at once, 0: never; default 1, any
    /// packet out of order (RFC 9000, section 13.2.1).
    pub reordering_threshold: u64,
    /// The least delay that this endpoint can keep, at most 16,383 ms; default 1 ms. The peer is
    /// told of it in the transport parameter `min_ack_delay`; one that asks for less gets this.
    pub min_ack_delay: Duration,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            policy: Policy::Reactive,
            ack_threshold: 1,
            max_ack_delay: Duration::from_millis(25),
            reordering_threshold: 1,
            min_ack_delay: Duration::from_millis(1),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        // `max_ack_delay` values of 2^14 ms or greater are invalid (RFC 9000, section 18.2).
        if self.max_ack_delay >= Duration::from_millis(1 << 14) {
            return Err(ConfigError {
                field: "max_ack_delay",
                expected: "below 16384 ms",
            });
        }
        if self.min_ack_delay > self.max_ack_delay {
            return Err(ConfigError {
                field: "min_ack_delay",
                expected: "at most max_ack_delay",
            });
        }
        Ok(())
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_have_their_ranges() {
        let faulty = |min_ms, max_ms| {
            let mut config = Config::new();
            config.min_ack_delay = Duration::from_millis(min_ms);
            config.max_ack_delay = Duration::from_millis(max_ms);
            config.validate().map_err(|error| error.field)
        };
        assert_eq!(faulty(1, 25), Ok(()));
        assert_eq!(faulty(25, 25), Ok(()));
        assert_eq!(faulty(26, 25), Err("min_ack_delay"));
        assert_eq!(faulty(1, 16_383), Ok(()));
        assert_eq!(faulty(1, 16_384), Err("max_ack_delay"));
    }
}
