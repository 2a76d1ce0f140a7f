//! The in-order-unit model of goodput (Ma et al., "An Adaptive Congestion Control Algorithm Based
//! on MPTCP", section 4.1): what unequal delays cost.
//!
//! A unit is `n` packets of consecutive data sequence numbers, sent over two paths every `tau_1`
//! and `tau_2`; path 2 is the slower in both rate and delay, and `gap` is how much later its
//! packets arrive. The unit is of use once all of it is there, `T` after its first packet, so the
//! goodput is `G = n / T`. The images of the equations are lost; the words around them give
//!
//! ```text
//! (1)  gap >  tau_1:  T = gap              G = n / gap
//! (2)  gap <= tau_1:  T = (n - 1) tau_1    G = n / ((n - 1) tau_1)
//! (3)  Gamma = 1 / tau_1 + 1 / tau_2, which is the G of (2) where tau_2 = (n - 1) tau_1
//! ```
//!
//! The printed condition is not where the two meet. Between `tau_1` and `(n - 1) tau_1`, (1) says
//! that a unit is complete before path 1 has even delivered its own part, and promises more than
//! both paths carry: with `n = 4` and a gap just above `tau_1`, `G` jumps from `4 / (3 tau_1)`, all
//! there is, to `4 / tau_1`, three times that. The consistent form waits for whichever is later,
//!
//! ```text
//! T = max(gap, (n - 1) tau_1)              G = min(n / gap, Gamma)
//! ```
//!
//! which agrees with (1) and (2) wherever those can hold, is continuous, and falls with the gap,
//! as the argument for equal delays needs it to. Its `Gamma` is (3), for any `tau_2`.
//!
//! Rates are in packets per 1,000 seconds, rounded down, saturating.

use core::time::Duration;

/// How long a unit takes as printed, equations 1 and 2.
#[must_use]
pub fn printed_time(n: u32, gap: Duration, tau_1: Duration) -> Duration {
    if gap > tau_1 { gap } else { own_time(n, tau_1) }
}

/// How long a unit takes, consistently.
#[must_use]
pub fn time(n: u32, gap: Duration, tau_1: Duration) -> Duration {
    gap.max(own_time(n, tau_1))
}

/// Goodput as printed, equations 1 and 2.
#[must_use]
pub fn printed_goodput(n: u32, gap: Duration, tau_1: Duration) -> u64 {
    per_time(n, printed_time(n, gap, tau_1))
}

/// Goodput, consistently: never above what both paths carry.
#[must_use]
pub fn goodput(n: u32, gap: Duration, tau_1: Duration, tau_2: Duration) -> u64 {
    per_time(n, gap).min(aggregate(tau_1, tau_2))
}

/// What both paths carry, equation 3.
#[must_use]
pub fn aggregate(tau_1: Duration, tau_2: Duration) -> u64 {
    let (a, b) = (tau_1.as_nanos().max(1), tau_2.as_nanos().max(1));
    // Intervals of up to 2^94 nanoseconds: rounded down together, or one by one if that is too wide.
    match (a.checked_mul(b), PER_NANO.checked_mul(a + b)) {
        (Some(product), Some(sum)) => u64::try_from(sum / product).unwrap_or(u64::MAX),
        _ => per_time(1, tau_1).saturating_add(per_time(1, tau_2)),
    }
}

/// One packet per nanosecond, as a rate.
const PER_NANO: u128 = 1_000 * 1_000_000_000;

/// What path 1 takes for all of a unit but the one packet on path 2.
fn own_time(n: u32, tau_1: Duration) -> Duration {
    tau_1.saturating_mul(n.saturating_sub(1))
}

fn per_time(n: u32, time: Duration) -> u64 {
    let rate = (u128::from(n) * PER_NANO).checked_div(time.as_nanos());
    rate.map_or(u64::MAX, |rate| u64::try_from(rate).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// The paper's figure: units of 4, one of which goes over path 2, so `tau_2 = 3 tau_1`.
    #[test]
    fn the_figure_of_the_paper() {
        // The gap in ms; printed time, goodput; consistent time, goodput. With tau_1 = 12 ms,
        // Gamma is 1 / 12 + 1 / 36 = 4 / 36 per ms, 111.111 packets a second.
        let table = [
            (0, (36, 111_111), (36, 111_111)),
            (12, (36, 111_111), (36, 111_111)),
            // Here (1) promises 4 / 13 per ms, and the time is less than path 1 needs.
            (13, (13, 307_692), (36, 111_111)),
            (35, (35, 114_285), (36, 111_111)),
            (36, (36, 111_111), (36, 111_111)),
            // From here on both are the same: 4 / 40, 4 / 72, 4 / 360.
            (40, (40, 100_000), (40, 100_000)),
            (72, (72, 55_555), (72, 55_555)),
            (360, (360, 11_111), (360, 11_111)),
        ];
        for (gap, printed, consistent) in table {
            let (gap, tau_1, tau_2) = (ms(gap), ms(12), ms(36));
            let (time_p, goodput_p) = printed;
            assert_eq!(printed_time(4, gap, tau_1), ms(time_p), "{gap:?}");
            assert_eq!(printed_goodput(4, gap, tau_1), goodput_p, "{gap:?}");
            let (time_c, goodput_c) = consistent;
            assert_eq!(time(4, gap, tau_1), ms(time_c), "{gap:?}");
            assert_eq!(goodput(4, gap, tau_1, tau_2), goodput_c, "{gap:?}");
        }
    }

    /// 4 and 2 Mbit/s in segments of 11,600 bits: 2.9 and 5.8 ms, together 517.241 a second. A
    /// unit of 100 may lag by 193.3 ms before it costs anything.
    #[test]
    fn the_scenario_of_the_paper() {
        let (tau_1, tau_2) = (Duration::from_micros(2_900), Duration::from_micros(5_800));
        assert_eq!(aggregate(tau_1, tau_2), 517_241);
        let table = [
            (20, 517_241),
            (193, 517_241),
            (194, 515_463),
            (400, 250_000),
        ];
        for (gap, expected) in table {
            assert_eq!(goodput(100, ms(gap), tau_1, tau_2), expected, "{gap}");
        }
    }

    #[test]
    fn nothing_to_wait_for_is_no_division_by_zero() {
        let zero = Duration::ZERO;
        assert_eq!(printed_goodput(1, zero, zero), u64::MAX);
        assert_eq!(
            goodput(0, zero, zero, zero),
            u64::try_from(2 * PER_NANO).unwrap()
        );
        assert_eq!(aggregate(Duration::MAX, Duration::MAX), 0);
        assert_eq!(
            aggregate(Duration::from_nanos(1), Duration::MAX),
            1_000_000_000_000
        );
        assert_eq!(time(u32::MAX, zero, Duration::MAX), Duration::MAX);
    }

    proptest! {
        /// A wider gap never helps, and no unit outruns the paths; the printed form does both.
        #[test]
        fn the_consistent_form_is_monotone_and_bounded(
            n in 2..1_000_u32,
            gaps in [0..1_000_u64, 0..1_000_u64],
            taus in [1..100_u64, 1..100_u64],
        ) {
            let [near, far] = [gaps[0].min(gaps[1]), gaps[0].max(gaps[1])].map(ms);
            let [tau_1, tau_2] = [taus[0].min(taus[1]), taus[0].max(taus[1])].map(ms);
            let (at_near, at_far) = (goodput(n, near, tau_1, tau_2), goodput(n, far, tau_1, tau_2));
            prop_assert!(at_far <= at_near && at_near <= aggregate(tau_1, tau_2));
            prop_assert!(time(n, near, tau_1) <= time(n, far, tau_1));
            // Where the printed form can hold, it is the same.
            if far <= tau_1 || far >= tau_1 * (n - 1) {
                prop_assert_eq!(time(n, far, tau_1), printed_time(n, far, tau_1).max(far));
            }
        }
    }
}
