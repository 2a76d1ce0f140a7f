//! The linked increases of RFC 6356, as functions of all windows and round-trip times.

use crate::path::{ONE, Path, RATIO_BITS};

/// RFC 6356, section 3, equation 1, relative to a TCP: what `own` adds for an ACK over what a
/// single TCP with its window would add. Units of 2^-32, never above 1 (goal 2). `paths` are all
/// subflows, `own` among them.
///
/// With equation 2 for alpha, `min(alpha acked mss / total, acked mss / w)` over `acked mss / w` is
///
/// ```text
/// min(1, w max_i(w_i / r_i^2) / sum(x)^2)  =  min(1, s_b^2 w / w_b)
/// ```
///
/// where `b` is the path that has the largest `w / r^2` and `s_b` its share of the rate.
#[must_use]
pub fn gain(own: Path, paths: impl Iterator<Item = Path>) -> u64 {
    times_best(own.cwnd(), paths).min(ONE)
}

/// RFC 6356, section 4, equation 2: how much more aggressive than its share of the connection a
/// subflow may be. Units of 2^-32, saturating; 0 without a path.
#[must_use]
pub fn alpha(paths: impl Iterator<Item = Path> + Clone) -> u64 {
    let total = paths.clone().map(|path| path.cwnd());
    times_best(total.fold(0, u64::saturating_add), paths)
}

/// `window * max_i(w_i / r_i^2) / sum(x)^2`, which is `window * s_b^2 / w_b`.
fn times_best(window: u64, mut paths: impl Iterator<Item = Path>) -> u64 {
    let Some(first) = paths.next() else {
        return 0;
    };
    let (total, best) = paths.fold((first.rate(), first), |(total, best), path| {
        (total.saturating_add(path.rate()), better(best, path))
    });
    let share = u128::from(best.share(total));
    // At most 2^(32 + 32 + 64) less something: a share is at most 1.
    let product = share * share * u128::from(window);
    let quotient = (product / u128::from(best.cwnd())) >> RATIO_BITS;
    u64::try_from(quotient).unwrap_or(u64::MAX)
}

/// The one with the larger `w / r^2 = x / r`. Of two equal ones that with the larger rate: then
/// their round-trip times differ, too, and the order of the paths does not matter.
fn better(a: Path, b: Path) -> Path {
    let merit = |path: Path, other: Path| u128::from(path.rate()) * u128::from(other.rtt_ns());
    let b_is_better = (merit(b, a), b.rate()) > (merit(a, b), a.rate());
    if b_is_better { b } else { a }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn paths(table: &[(u64, u64)]) -> impl Iterator<Item = Path> + Clone {
        let paths = table.iter();
        paths.map(|&(cwnd, us)| Path::new(cwnd, Duration::from_micros(us)))
    }

    /// In millionths, rounded.
    fn micro(ratio: u64) -> u64 {
        (ratio * 1_000_000 + ONE / 2) >> RATIO_BITS
    }

    fn gain_of_first(table: &[(u64, u64)]) -> u64 {
        gain(paths(table).next().unwrap(), paths(table))
    }

    #[test]
    fn alpha_has_the_values_of_the_formula() {
        // Windows in bytes, round-trip times in microseconds, alpha in millionths.
        let table: &[(&[(u64, u64)], u64)] = &[
            // One subflow is a TCP.
            (&[(14_000, 30_000)], 1_000_000),
            (&[(1, 1)], 1_000_000),
            // n equal subflows: n w (w / r^2) / (n w / r)^2 = 1 / n.
            (&[(14_000, 30_000); 2], 500_000),
            (&[(9_000, 50_000); 3], 333_333),
            // 10 and 100 ms, equal windows: 2 (1 / 100) / (1 / 10 + 1 / 100)^2 = 0.02 / 0.0121.
            (&[(14_000, 10_000), (14_000, 100_000)], 1_652_893),
            // 10 and 20 ms, windows 1 and 3: 4 (1 / 100) / (1 / 10 + 3 / 20)^2 = 0.04 / 0.0625.
            (&[(10_000, 10_000), (30_000, 20_000)], 640_000),
            // 10 and 20 ms, windows 1 and 8: best is the slow one, 9 (8 / 400) / (0.5)^2.
            (&[(10_000, 10_000), (80_000, 20_000)], 720_000),
            // Nothing to divide by.
            (&[], 0),
        ];
        for (given, expected) in table {
            assert_eq!(micro(alpha(paths(given))), *expected, "{given:?}");
        }
    }

    #[test]
    fn the_gain_has_the_values_of_the_formula() {
        // As above; the gain of the first path in millionths.
        let table: &[(&[(u64, u64)], u64)] = &[
            (&[(14_000, 30_000)], 1_000_000),
            // Two equal: an ACK of a segment adds 1 / (4 w) segments, of n equal 1 / (n^2 w).
            (&[(14_000, 30_000); 2], 250_000),
            (&[(14_000, 30_000); 8], 15_625),
            // 10 and 100 ms, equal windows: 0.826 / w, alpha / 2, for both.
            (&[(14_000, 10_000), (14_000, 100_000)], 826_446),
            (&[(14_000, 100_000), (14_000, 10_000)], 826_446),
            // Windows 1 and 3: alpha w / total = 0.64 / 4, and 0.64 * 3 / 4 for the other.
            (&[(10_000, 10_000), (30_000, 20_000)], 160_000),
            (&[(30_000, 20_000), (10_000, 10_000)], 480_000),
            // 100 ms with ten times the window of 10 ms: same rates, best is the near one with a
            // share of 1/2, so 0.25 * 10, of which a TCP gets 1.
            (&[(100_000, 100_000), (10_000, 10_000)], 1_000_000),
        ];
        for (given, expected) in table {
            assert_eq!(micro(gain_of_first(given)), *expected, "{given:?}");
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let huge = (1_u64 << 40) - 1;
        assert_eq!(micro(alpha(paths(&[(huge, u64::MAX); 2]))), 500_000);
        // A share of 2/3 on a window of one byte beside 2^40: saturates.
        assert_eq!(alpha(paths(&[(1, 0), (huge, u64::MAX)])), u64::MAX);
        assert_eq!(gain_of_first(&[(huge, 0), (huge, 0)]), ONE);
    }

    proptest! {
        /// RFC 6356, goal 2: on no path more aggressive than a TCP; and which subflow is which
        /// does not matter.
        #[test]
        fn no_path_outdoes_a_tcp_whatever_the_order(
            mut given in vec((any::<u64>(), any::<u64>()), 1..8),
        ) {
            let own = paths(&given).next().unwrap();
            let (before, alpha_before) = (gain(own, paths(&given)), alpha(paths(&given)));
            prop_assert!(before <= ONE);
            given.reverse();
            prop_assert_eq!(gain(own, paths(&given)), before);
            prop_assert_eq!(alpha(paths(&given)), alpha_before);
        }

        /// Windows and round-trip times as they occur, against the formula as it is printed.
        #[test]
        #[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "the oracle")]
        fn the_gain_is_the_formula_as_printed(
            given in vec((1_000..1_u64 << 30, 100..10_000_000_u64), 1..8),
        ) {
            let terms = || given.iter().map(|&(w, r)| (w as f64, r as f64));
            let sum: f64 = terms().map(|(w, r)| w / r).sum();
            let best = terms().map(|(w, r)| w / (r * r)).fold(0.0, f64::max);
            let expected = (given[0].0 as f64 * best / (sum * sum)).min(1.0);
            let got = gain_of_first(&given) as f64 / ONE as f64;
            prop_assert!((got - expected).abs() < 1e-5 * expected + 1e-9, "{got} {expected}");
        }
    }
}
