//! The adaptive congestion window (Ma et al., "An Adaptive Congestion Control Algorithm Based on
//! MPTCP", section 4.2), as functions of delays and one window.
//!
//! The comparisons of the printed algorithm are damaged. It is read as
//!
//! ```text
//! every period:
//!     theta = max(d) / min(d),  i = the slowest subflow
//!     if theta_min < theta <= theta_max:
//!         if count_i < m:  cwnd_i = cwnd_i / theta;  ssthresh_i = min(ssthresh_i, cwnd_i);  count_i += 1
//!         else:            count_i = 0
//! ```
//!
//! which fits every word of the text around it. What the text leaves open is a field of
//! [`AcwConfig`].

use core::time::Duration;

use crate::path::nanos;
use crate::{AcwConfig, Beyond};

/// A ratio of delays, the slowest over the fastest; exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theta {
    /// Nanoseconds, at least `fastest`, at most 2^41.
    slowest: u64,
    /// Nanoseconds, at least 1.
    fastest: u64,
}

impl Theta {
    /// The ratio of two delays, in either order, each taken as one nanosecond to half an hour.
    #[must_use]
    pub fn new(a: Duration, b: Duration) -> Self {
        Self::from_ns(nanos(a), nanos(b))
    }

    pub(crate) fn from_ns(a: u64, b: u64) -> Self {
        Self {
            slowest: a.max(b).max(1),
            fastest: a.min(b).max(1),
        }
    }

    /// Thousandths, rounded down.
    #[must_use]
    pub const fn milli(self) -> u64 {
        // Below 2^(41 + 10).
        self.slowest * 1_000 / self.fastest
    }

    /// How it compares to `milli` thousandths, exactly.
    fn cmp_milli(self, milli: u32) -> core::cmp::Ordering {
        let bound = u128::from(self.fastest) * u128::from(milli);
        (u128::from(self.slowest) * 1_000).cmp(&bound)
    }
}

/// What the window of the slowest subflow is to be divided by, if by anything.
#[must_use]
pub fn divisor(theta: Theta, config: &AcwConfig) -> Option<Theta> {
    let enough = match theta.cmp_milli(config.theta_min_milli) {
        core::cmp::Ordering::Less => false,
        core::cmp::Ordering::Equal => config.theta_min_counts,
        core::cmp::Ordering::Greater => true,
    };
    let beyond = theta.cmp_milli(config.theta_max_milli).is_gt();
    match (enough, beyond, config.beyond) {
        (false, _, _) | (true, true, Beyond::Ignore) => None,
        (true, false, _) => Some(theta),
        (true, true, Beyond::Limit) => Some(Theta {
            slowest: u64::from(config.theta_max_milli),
            fastest: 1_000,
        }),
    }
}

/// `cwnd` over `theta`, not below `floor`, and never more than `cwnd`. Bytes.
#[must_use]
pub fn cut(cwnd: u64, theta: Theta, floor: u64) -> u64 {
    let quotient = u128::from(cwnd) * u128::from(theta.fastest) / u128::from(theta.slowest);
    let quotient = u64::try_from(quotient).unwrap_or(u64::MAX);
    quotient.max(floor).min(cwnd)
}

/// Whether a subflow that was cut `count` times is to be cut now, at most `m` times, and its
/// count afterwards. The update at which it rests counts anew.
#[must_use]
pub const fn turn(count: u8, m: u8) -> (bool, u8) {
    if count < m {
        (true, count + 1)
    } else {
        (false, 0)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn theta(slowest_ms: u64, fastest_ms: u64) -> Theta {
        let [slowest, fastest] = [slowest_ms, fastest_ms].map(Duration::from_millis);
        Theta::new(slowest, fastest)
    }

    #[test]
    fn the_ratio_acts_within_its_bounds() {
        let printed = AcwConfig::new();
        // Delays in milliseconds, and what is divided by, in thousandths.
        let table = [
            (30, 30, None),
            (31, 30, Some(1_033)),
            (60, 30, Some(2_000)),
            (90, 30, Some(3_000)),
            (91, 30, None),
            (3_000, 30, None),
        ];
        for (slowest, fastest, expected) in table {
            let got = divisor(theta(slowest, fastest), &printed).map(Theta::milli);
            assert_eq!(got, expected, "{slowest} {fastest}");
        }
    }

    #[test]
    fn both_bounds_can_be_had_otherwise() {
        let mut config = AcwConfig::new();
        config.theta_min_milli = 1_500;
        assert_eq!(divisor(theta(45, 30), &config), None);
        config.theta_min_counts = true;
        assert_eq!(divisor(theta(45, 30), &config), Some(theta(45, 30)));
        assert_eq!(divisor(theta(44, 30), &config), None);
        config.beyond = Beyond::Limit;
        let limited = divisor(theta(91, 30), &config).map(Theta::milli);
        assert_eq!(limited, Some(3_000));
    }

    /// Past the bound by a nanosecond is past the bound.
    #[test]
    fn bounds_are_exact() {
        let second = Duration::from_secs(1);
        let nanosecond = Duration::from_nanos(1);
        let (just, past) = (
            Theta::new(second * 3, second),
            Theta::new(second * 3 + nanosecond, second),
        );
        let config = AcwConfig::new();
        assert_eq!(divisor(just, &config), Some(just));
        assert_eq!(divisor(past, &config), None);
        let barely = Theta::new(second + nanosecond, second);
        assert_eq!(divisor(barely, &config), Some(barely));
    }

    #[test]
    fn a_window_is_divided_down_to_the_floor() {
        // 30 and 60 ms halve; three halvings make an eighth, hence the floor.
        let table = [
            (80_000, theta(60, 30), 40_000),
            (80_000, theta(90, 30), 26_666),
            (80_000, theta(40, 30), 60_000),
            (5_000, theta(60, 30), 2_800),
            // Already below the floor: stays.
            (1_400, theta(60, 30), 1_400),
            (80_000, theta(30, 30), 80_000),
        ];
        for (cwnd, theta, expected) in table {
            assert_eq!(cut(cwnd, theta, 2_800), expected, "{cwnd} {theta:?}");
        }
    }

    #[test]
    fn after_m_cuts_it_rests_once() {
        let mut count = 0;
        let cuts: Vec<bool> = (0..9)
            .map(|_| {
                let (cut, after) = turn(count, 3);
                count = after;
                cut
            })
            .collect();
        let (t, f) = (true, false);
        assert_eq!(cuts, [t, t, t, f, t, t, t, f, t]);
        assert_eq!(turn(9, 1), (false, 0));
    }

    proptest! {
        #[test]
        fn a_cut_never_raises(cwnd: u64, a: u64, b: u64, floor: u64) {
            let theta = Theta::new(Duration::from_nanos(a), Duration::from_nanos(b));
            let after = cut(cwnd, theta, floor);
            prop_assert!(after <= cwnd);
            prop_assert!(after >= floor.min(cwnd));
            prop_assert!(theta.milli() >= 1_000);
        }
    }
}
