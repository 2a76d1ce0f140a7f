//! The opportunistic linked increases of Khalili et al. ("MPTCP is not Pareto-Optimal", IEEE/ACM
//! Transactions on Networking 21(5), 2013; draft-khalili-mptcp-congestion-control).

use crate::path::{ONE, Path, RATIO_BITS};

/// Bytes are counted up to this: 35 terabytes without a loss.
const MAX_BYTES: u64 = 1 << 45;

/// How much a path carries from loss to loss, from which the law estimates its quality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    before: u64,
    since: u64,
}

impl Losses {
    /// `before` bytes between the last two losses, `since` bytes since the last one.
    #[must_use]
    pub fn new(before: u64, since: u64) -> Self {
        Self {
            before: before.min(MAX_BYTES),
            since: since.min(MAX_BYTES),
        }
    }

    /// `bytes` were acknowledged.
    pub fn acked(&mut self, bytes: u64) {
        self.since = self.since.saturating_add(bytes).min(MAX_BYTES);
    }

    /// One congestion event.
    pub fn lost(&mut self) {
        self.before = self.since;
        self.since = 0;
    }

    /// The larger of the two, an estimate of one over the loss probability.
    #[must_use]
    pub fn span(&self) -> u64 {
        self.before.max(self.since)
    }
}

/// A path and how good it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graded {
    path: Path,
    /// `l / r^2`, units of 2^-82 bytes per square nanosecond.
    quality: u128,
}

impl Graded {
    /// Grades `path` by what it carries from loss to loss. A TCP's rate is `sqrt(2 l) / r`.
    #[must_use]
    pub fn new(path: Path, losses: Losses) -> Self {
        // Below 2^(45 + 82), and no square is above 2^82.
        let rtt = u128::from(path.rtt_ns());
        Self {
            path,
            quality: (u128::from(losses.span()) << 82) / (rtt * rtt),
        }
    }
}

/// What `own` adds for an ACK over what a single TCP with its window would add, units of 2^-32.
/// `paths` are all subflows, `own` among them. Less than 0 where windows are to move elsewhere.
///
/// The published increase is `(w / r^2) / sum(x)^2 + epsilon / w` per ACK; the first term is
/// `s^2 / w`. Over `1 / w`:
///
/// ```text
/// gain = s^2 + epsilon
/// ```
///
/// where with the best paths `B`, those of the largest `l / r^2`, the largest windows `M`, and `n`
/// paths,
///
/// ```text
/// epsilon =  1 / (n |B - M|)   in B - M          if B - M is not empty
/// epsilon = -1 / (n |M|)       in M              if B - M is not empty
/// epsilon =  0                 everywhere else
/// ```
///
/// It is not capped at 1: a best path with a small window may for a time grow faster than a TCP.
#[must_use]
pub fn gain(own: Graded, paths: impl Iterator<Item = Graded> + Clone) -> i64 {
    let sum = |sum: u64, path: Graded| sum.saturating_add(path.path.rate());
    let share = own.path.share(paths.clone().fold(0, sum));
    // A share is at most 1, so is its square.
    let squared = (u128::from(share) * u128::from(share)) >> RATIO_BITS;
    let squared = i64::try_from(squared).unwrap_or(i64::MAX);
    squared + epsilon(own, paths)
}

/// See [`gain`].
fn epsilon(own: Graded, paths: impl Iterator<Item = Graded> + Clone) -> i64 {
    let extremes = |(best, widest): (u128, u64), path: Graded| {
        (best.max(path.quality), widest.max(path.path.cwnd()))
    };
    let (best, widest) = paths.clone().fold((0, 0), extremes);
    let is_widest = |path: Graded| path.path.cwnd() == widest;
    let is_collected = |path: Graded| path.quality == best && !is_widest(path);
    let (mut all, mut collected, mut wide) = (0, 0, 0);
    for path in paths {
        all += 1;
        collected += u64::from(is_collected(path));
        wide += u64::from(is_widest(path));
    }
    let part = |of: u64| i64::try_from(ONE / (all * of).max(1)).unwrap_or(0);
    if collected == 0 {
        0
    } else if is_collected(own) {
        part(collected)
    } else if is_widest(own) {
        -part(wide)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::time::Duration;
    use std::vec::Vec;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Window in bytes, round-trip time in milliseconds, bytes between losses.
    type Given = (u64, u64, u64);

    fn paths(table: &[Given]) -> impl Iterator<Item = Graded> + Clone {
        table.iter().map(|&(cwnd, ms, span)| {
            let path = Path::new(cwnd, Duration::from_millis(ms));
            Graded::new(path, Losses::new(span, 0))
        })
    }

    fn gains(table: &[Given]) -> Vec<i64> {
        let all = paths(table);
        all.clone().map(|own| gain(own, all.clone())).collect()
    }

    /// In 1/10,000, rounded to the nearest.
    fn decimal(gain: i64) -> i64 {
        (gain * 10_000 + (1 << 31)) >> 32
    }

    #[test]
    fn gains_have_the_values_of_the_formula() {
        let table: &[(&[Given], &[i64])] = &[
            // A TCP.
            (&[(10, 50, 900)], &[10_000]),
            // Two equal: s = 1/2; both are best and widest.
            (&[(10, 50, 900), (10, 50, 900)], &[2_500, 2_500]),
            // The second is best and narrow: s = 3/4 and 1/4, so 9/16 - 1/2 and 1/16 + 1/2.
            (&[(30, 50, 500), (10, 50, 900)], &[625, 5_625]),
            // The widest is best: nothing to move. s = 3/4 and 1/4.
            (&[(30, 50, 900), (10, 50, 500)], &[5_625, 625]),
            // Same l, but the second is near: l / r^2 is larger; rates 30 / 100 and 10 / 50, so
            // 9/25 - 1/2 and 4/25 + 1/2.
            (&[(30, 100, 900), (10, 50, 900)], &[-1_400, 6_600]),
            // Four times l makes up for twice the round-trip time: both best, so B - M is the
            // second, as before.
            (&[(30, 100, 3_600), (10, 50, 900)], &[-1_400, 6_600]),
            // A third path, neither best nor widest: epsilon is 1/3, and 0 for it. Rates 4, 2, 2.
            (
                &[(40, 50, 100), (20, 50, 900), (20, 50, 100)],
                &[-833, 3_958, 625],
            ),
            // Two best, one widest: 1 / (3 * 2) each, -1/3.
            (
                &[(40, 50, 100), (20, 50, 900), (20, 50, 900)],
                &[-833, 2_292, 2_292],
            ),
            // Two widest, one best: 1/3, and 1 / (3 * 2) less each. Rates 2, 2, 1 of 5.
            (
                &[(40, 50, 100), (40, 50, 100), (20, 50, 900)],
                &[-67, -67, 3_733],
            ),
            // Before anything was acknowledged all are best.
            (&[(20, 50, 0), (10, 50, 0)], &[-556, 6_111]),
        ];
        for (given, expected) in table {
            let gains: Vec<_> = gains(given).into_iter().map(decimal).collect();
            assert_eq!(gains, *expected, "{given:?}");
        }
    }

    #[test]
    fn the_longer_of_the_last_two_spans_counts() {
        let mut losses = Losses::default();
        losses.acked(500);
        assert_eq!(losses.span(), 500);
        losses.lost();
        losses.acked(100);
        assert_eq!(losses, Losses::new(500, 100));
        assert_eq!(losses.span(), 500);
        losses.acked(u64::MAX);
        assert_eq!(losses.span(), MAX_BYTES);
        losses.lost();
        losses.lost();
        assert_eq!(losses.span(), 0);
    }

    proptest! {
        /// Order does not matter, nothing overflows, and the epsilons add up to nothing or, where
        /// each is rounded down, almost nothing.
        #[test]
        fn windows_move_and_do_not_arise(given in vec(any::<Given>(), 1..8)) {
            let all = paths(&given);
            let moved: i64 = all.clone().map(|own| epsilon(own, all.clone())).sum();
            prop_assert!(moved.abs() <= 8, "{moved}");
            let mut reversed = given.clone();
            reversed.reverse();
            let mut expected = gains(&given);
            expected.reverse();
            prop_assert_eq!(gains(&reversed), expected);
        }
    }
}
