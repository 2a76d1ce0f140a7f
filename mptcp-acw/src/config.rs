//! Bounds of the windows.

use crate::ConfigError;

/// What windows start from and stay within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Window of a new subflow, segments, 1 to 1,024; default 10 (RFC 6928).
    pub initial_window: u32,
    /// No loss takes a window below this, segments, 1 to `initial_window`; default 2 (RFC 5681,
    /// equation 4). Only a retransmission timeout does: it restarts from 1.
    pub min_window: u32,
    /// No window grows above this, bytes, 2^26 to 2^40 - 1; default 2^30, the largest that a TCP
    /// header can tell of (RFC 7323, section 2.3).
    pub max_window: u64,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            initial_window: 10,
            min_window: 2,
            max_window: 1 << 30,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let check = |ok, field, expected| {
            if ok {
                Ok(())
            } else {
                Err(ConfigError { field, expected })
            }
        };
        check(
            (1..=1_024).contains(&self.initial_window),
            "initial_window",
            "1 to 1024",
        )?;
        check(
            (1..=self.initial_window).contains(&self.min_window),
            "min_window",
            "1 to initial_window",
        )?;
        // Room for 1,024 segments of 65,535 bytes below; for 24 bits of fraction in 64 above.
        check(
            (1 << 26..1 << 40).contains(&self.max_window),
            "max_window",
            "2^26 to 2^40 - 1",
        )
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
    fn each_field_has_its_range() {
        let faulty = |change: fn(&mut Config)| {
            let mut config = Config::new();
            change(&mut config);
            config.validate().map_err(|error| error.field)
        };
        assert_eq!(faulty(|_| {}), Ok(()));
        assert_eq!(faulty(|c| c.initial_window = 0), Err("initial_window"));
        assert_eq!(faulty(|c| c.initial_window = 1_025), Err("initial_window"));
        assert_eq!(faulty(|c| c.min_window = 0), Err("min_window"));
        assert_eq!(faulty(|c| c.min_window = 11), Err("min_window"));
        assert_eq!(faulty(|c| c.max_window = 0), Err("max_window"));
        assert_eq!(faulty(|c| c.max_window = 1 << 40), Err("max_window"));
    }
}
