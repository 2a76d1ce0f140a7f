//! What windows start from, stay within, and are moved by.

use core::time::Duration;

use crate::ConfigError;
use crate::path::MAX_WINDOW;

/// How the windows of a connection are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Window of a new subflow, segments, 1 to 1,024; default 10 (RFC 6928).
    pub initial_window: u32,
    /// No loss takes a threshold below this, segments, 1 to `initial_window`; default 2 (RFC 5681,
    /// equation 4). A window goes below it only by a retransmission timeout, which restarts from 1,
    /// and by a penalty. The authors of OLIA want 1 where there are several subflows.
    pub min_window: u32,
    /// No window grows above this, bytes, 2^26 to 2^40 - 1; default 2^30, the largest that a TCP
    /// header can tell of (RFC 7323, section 2.3).
    pub max_window: u64,
    /// How increases are coupled; default [`Coupling::Lia`].
    pub coupling: Coupling,
    /// Whether a window that is less than half in use keeps still (RFC 7661, section 4.2); default
    /// true. Without it, a window that something else limits (the receiver, the application) grows
    /// without evidence.
    pub validate: bool,
    /// Duplicate ACKs that tell of a loss, 1 to 255; default 3 (RFC 5681, section 3.2). The paper
    /// of ACW speaks of 2 for a subflow. Hosts with SACK count for themselves.
    pub duplicate_threshold: u8,
    /// The decrease by the ratio of delays, if any; default as [`AcwConfig::new`].
    pub acw: Option<AcwConfig>,
}

/// The law of increase in congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coupling {
    /// RFC 6356.
    Lia,
    /// Khalili et al., 2013.
    Olia,
    /// Peng et al., 2016. It also has a decrease of its own.
    Balia,
    /// Each subflow is a TCP: more than a connection's share, but what couplings are measured by.
    Uncoupled,
}

/// The decrease by the ratio of delays; see [`crate::acw`] for the law.
///
/// Period and bounds of the ratio are the paper's. The rest it leaves open, and a field says what
/// is taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AcwConfig {
    /// Between two updates, 1 ms to 1 minute; default 500 ms.
    pub period: Duration,
    /// Least ratio that acts, thousandths, 1,000 to `theta_max_milli`; default 1,000.
    pub theta_min_milli: u32,
    /// Whether the least ratio itself acts; default false: at 1 it would cut nothing and count.
    pub theta_min_counts: bool,
    /// Largest ratio that acts, thousandths, up to 1,000,000; default 3,000.
    pub theta_max_milli: u32,
    /// What becomes of larger ratios; default [`Beyond::Ignore`].
    pub beyond: Beyond,
    /// Cuts of one subflow in a row, 1 to 255; default 3. The paper calls it m and gives no value;
    /// three halvings are an eighth.
    pub m: u8,
    /// When a subflow's count of cuts starts anew; default [`Reset::AfterRest`].
    pub reset: Reset,
    /// No cut goes below this, segments, 1 to 1,024; default 2. The paper has no floor.
    pub floor: u32,
    /// What is a delay; default [`Delay::OneWay`].
    pub delay: Delay,
    /// Whether a cut takes the threshold down to the window; default true. Otherwise a subflow in
    /// slow start undoes the cut within a round trip or two, which the paper wants to prevent.
    pub lower_ssthresh: bool,
    /// A subflow whose newest delay is older than this, and than a round trip, carries nothing and
    /// is left out; up to 1 hour; default 1 s.
    pub stale_after: Duration,
    /// Whether a subflow in fast recovery is left out, too; default false. One that recovers from
    /// a timeout always is.
    pub skip_fast_recovery: bool,
}

/// What becomes of a ratio above the largest that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Beyond {
    /// Nothing, as printed: the slow subflow is spared a collapse, which would cost the sum.
    Ignore,
    /// It counts as the largest.
    Limit,
}

/// When the count of cuts starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reset {
    /// At the update at which the subflow rests, as printed.
    AfterRest,
    /// Also when another subflow is the slowest: its cuts are not consecutive then.
    OnChange,
}

/// What is taken for the end-to-end delay. Smoothed by 1/8 (RFC 6298) either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delay {
    /// One-way delays where every subflow in question has one, otherwise as
    /// [`RoundTrip`](Self::RoundTrip): the two are never compared to each other. Both ends' clocks
    /// must agree: an offset that all share shifts the ratio.
    OneWay,
    /// Round-trip times. Half of each would have the same ratio.
    RoundTrip,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            initial_window: 10,
            min_window: 2,
            max_window: 1 << 30,
            coupling: Coupling::Lia,
            validate: true,
            duplicate_threshold: 3,
            acw: Some(AcwConfig::new()),
        }
    }

    pub(crate) fn validated(self) -> Result<Self, ConfigError> {
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
            (1 << 26..MAX_WINDOW).contains(&self.max_window),
            "max_window",
            "2^26 to 2^40 - 1",
        )?;
        check(
            self.duplicate_threshold > 0,
            "duplicate_threshold",
            "1 to 255",
        )?;
        if let Some(acw) = self.acw {
            acw.validate()?;
        }
        Ok(self)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl AcwConfig {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            period: Duration::from_millis(500),
            theta_min_milli: 1_000,
            theta_min_counts: false,
            theta_max_milli: 3_000,
            beyond: Beyond::Ignore,
            m: 3,
            reset: Reset::AfterRest,
            floor: 2,
            delay: Delay::OneWay,
            lower_ssthresh: true,
            stale_after: Duration::from_secs(1),
            skip_fast_recovery: false,
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let periods = Duration::from_millis(1)..=Duration::from_mins(1);
        check(
            periods.contains(&self.period),
            "acw.period",
            "1 ms to 1 min",
        )?;
        check(
            (1_000..=self.theta_max_milli).contains(&self.theta_min_milli),
            "acw.theta_min_milli",
            "1000 to theta_max_milli",
        )?;
        check(
            self.theta_max_milli <= 1_000_000,
            "acw.theta_max_milli",
            "at most 1000000",
        )?;
        check(self.m > 0, "acw.m", "1 to 255")?;
        check((1..=1_024).contains(&self.floor), "acw.floor", "1 to 1024")?;
        check(
            self.stale_after <= Duration::from_hours(1),
            "acw.stale_after",
            "at most 1 h",
        )
    }
}

impl Default for AcwConfig {
    fn default() -> Self {
        Self::new()
    }
}

fn check(ok: bool, field: &'static str, expected: &'static str) -> Result<(), ConfigError> {
    if ok {
        Ok(())
    } else {
        Err(ConfigError { field, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut Config, &mut AcwConfig);

    fn faulty(change: Change) -> Result<(), &'static str> {
        let (mut config, mut acw) = (Config::new(), AcwConfig::new());
        change(&mut config, &mut acw);
        config.acw = Some(acw);
        config.validated().map(|_| ()).map_err(|error| error.field)
    }

    #[test]
    fn each_field_has_its_range() {
        assert_eq!(faulty(|_, _| {}), Ok(()));
        let config: [(Change, _); 8] = [
            (|c, _| c.initial_window = 0, "initial_window"),
            (|c, _| c.initial_window = 1_025, "initial_window"),
            (|c, _| c.min_window = 0, "min_window"),
            (|c, _| c.min_window = 11, "min_window"),
            (|c, _| c.max_window = 0, "max_window"),
            (|c, _| c.max_window = 1 << 40, "max_window"),
            (|c, _| c.duplicate_threshold = 0, "duplicate_threshold"),
            (|_, a| a.m = 0, "acw.m"),
        ];
        let acw: [(Change, _); 8] = [
            (|_, a| a.period = Duration::ZERO, "acw.period"),
            (|_, a| a.period = Duration::MAX, "acw.period"),
            (|_, a| a.theta_min_milli = 999, "acw.theta_min_milli"),
            (|_, a| a.theta_min_milli = 3_001, "acw.theta_min_milli"),
            (|_, a| a.theta_max_milli = u32::MAX, "acw.theta_max_milli"),
            (|_, a| a.floor = 0, "acw.floor"),
            (|_, a| a.floor = 1_025, "acw.floor"),
            (|_, a| a.stale_after = Duration::MAX, "acw.stale_after"),
        ];
        for (change, field) in config.into_iter().chain(acw) {
            assert_eq!(faulty(change), Err(field));
        }
    }
}
