//! The balanced linked adaptation of Peng, Walid, Hwang and Low ("Multipath TCP: Analysis, Design,
//! and Implementation", IEEE/ACM Transactions on Networking 24(1), 2016;
//! draft-walid-mptcp-congestion-control).

use crate::path::{ONE, Path, RATIO_BITS};

/// What `own` adds for an ACK over what a single TCP with its window would add, units of 2^-32.
/// `paths` are all subflows, `own` among them. Never above 1.
///
/// The published increase is `x / (r sum(x)^2) (1 + a)/2 (4 + a)/5` per ACK with `a = max(x) / x`.
/// The first factor is `s^2 / w`; with the share `b` of the fastest path, `a = b / s`, so over
/// `1 / w`
///
/// ```text
/// gain = (s + b) (4 s + b) / 10
/// ```
///
/// Where `own` is not the fastest, `s + b <= 1` and `s <= b`, so that is at most `(4 s + b) / 10`
/// or a quarter; where it is, `s^2`.
#[must_use]
pub fn gain(own: Path, paths: impl Iterator<Item = Path>) -> u64 {
    let (total, fastest) = paths.fold((0_u64, own), |(total, fastest), path| {
        let fastest = if path.rate() > fastest.rate() {
            path
        } else {
            fastest
        };
        (total.saturating_add(path.rate()), fastest)
    });
    let own_share = u128::from(own.share(total));
    let best_share = u128::from(fastest.share(total));
    let product = (own_share + best_share) * (4 * own_share + best_share) / 10;
    u64::try_from(product >> RATIO_BITS).map_or(ONE, |gain| gain.min(ONE))
}

/// What is left of `flight` bytes on `own` after a loss: `w - w/2 min(a, 3/2)`. The fastest path
/// halves, one of two thirds of its rate or less keeps a quarter.
#[must_use]
pub fn after_loss(flight: u64, own: Path, paths: impl Iterator<Item = Path>) -> u64 {
    let own_rate = u128::from(own.rate());
    let fastest = paths.map(|path| path.rate()).max();
    let fastest = fastest.map_or(own_rate, u128::from).max(own_rate);
    // Half of the ratio, as a fraction, at most 3/4.
    let (part, whole) = if 2 * fastest >= 3 * own_rate {
        (3, 4)
    } else {
        (fastest, 2 * own_rate)
    };
    let cut = u128::from(flight) * part / whole;
    flight.saturating_sub(u64::try_from(cut).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn paths(table: &[(u64, u64)]) -> impl Iterator<Item = Path> + Clone {
        let paths = table.iter();
        paths.map(|&(cwnd, ms)| Path::new(cwnd, Duration::from_millis(ms)))
    }

    fn first(table: &[(u64, u64)]) -> Path {
        paths(table).next().unwrap()
    }

    #[test]
    fn gains_have_the_values_of_the_formula() {
        // Windows in bytes, round-trip times in milliseconds; the first path's gain in 1/10,000.
        let table: &[(&[(u64, u64)], u64)] = &[
            // A TCP: x / (r x^2) = 1 / w, both factors 1.
            (&[(10_000, 50)], 10_000),
            // n equal: a = 1, (1 / n)^2.
            (&[(10_000, 50); 2], 2_500),
            (&[(10_000, 50); 4], 625),
            // Rates 1 and 3, a = 3: 1/16 * 2 * 7/5 = 0.175; the fast one 9/16.
            (&[(10_000, 50), (30_000, 50)], 1_750),
            (&[(30_000, 50), (10_000, 50)], 5_625),
            // The same by round-trip times.
            (&[(10_000, 150), (10_000, 50)], 1_750),
            // Rates 1 and 10, a = 10: 1/121 * 11/2 * 14/5 = 14 / 110.
            (&[(14_000, 100), (14_000, 10)], 1_273),
            // Rates 1, 1 and 2, a = 2: 1/16 * 3/2 * 6/5.
            (&[(10_000, 50), (10_000, 50), (20_000, 50)], 1_125),
        ];
        for (given, expected) in table {
            let gain = gain(first(given), paths(given));
            assert_eq!(
                (gain * 10_000 + ONE / 2) >> RATIO_BITS,
                *expected,
                "{given:?}"
            );
        }
    }

    #[test]
    fn a_loss_cuts_slow_paths_more() {
        // The ratio a, and what is left of 12,000 bytes: 12,000 - 6,000 min(a, 1.5).
        let table: &[(&[(u64, u64)], u64)] = &[
            (&[(12_000, 50)], 6_000),
            (&[(12_000, 50), (6_000, 50)], 6_000),
            // a = 1.25.
            (&[(12_000, 50), (15_000, 50)], 4_500),
            // a = 1.5 exactly, and far above.
            (&[(12_000, 50), (18_000, 50)], 3_000),
            (&[(12_000, 500), (12_000, 50)], 3_000),
        ];
        for (given, expected) in table {
            let left = after_loss(12_000, first(given), paths(given));
            // Rates are rounded down.
            assert!(left.abs_diff(*expected) <= 1, "{given:?} {left}");
        }
    }

    proptest! {
        /// No path is more aggressive than a TCP, the order does not matter, and a loss leaves
        /// between a quarter and a half.
        #[test]
        fn no_path_outdoes_a_tcp(mut given in vec(any::<(u64, u64)>(), 1..8), flight: u64) {
            let own = first(&given);
            let before = gain(own, paths(&given));
            let left = after_loss(flight, own, paths(&given));
            prop_assert!(before <= ONE);
            prop_assert!((flight / 4..=flight / 2 + 1).contains(&left), "{left}");
            given.reverse();
            prop_assert_eq!(gain(own, paths(&given)), before);
            prop_assert_eq!(after_loss(flight, own, paths(&given)), left);
        }
    }
}
