//! The linked increase of RFC 6356, as functions of all windows and round-trip times.

/// Fractional bits of ratios.
const RATIO_BITS: u32 = 32;
/// Fractional bits of the rates inside [`alpha`]: a slow subflow of one segment still counts.
const RATE_BITS: u32 = 16;

/// A subflow as the law sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Congestion window, bytes, below 2^40.
    pub cwnd: u64,
    /// Smoothed round-trip time, microseconds; 0 counts as 1.
    pub rtt_us: u32,
}

/// RFC 6356, section 4, equation 2: how much more aggressive than its share of the connection a
/// subflow may be. In units of 2^-32, saturating; 0 if no window holds anything.
///
/// Round-trip times matter only in proportion, so they are divided by the smallest: then no term
/// exceeds the sum of the windows.
#[must_use]
pub fn alpha(paths: impl Iterator<Item = Path> + Clone) -> u64 {
    let fastest = paths.clone().map(rtt).min().unwrap_or(1);
    let (mut total, mut rate_sum, mut best) = (0_u64, 0_u64, 0_u64);
    for path in paths {
        let nearness = (fastest << RATIO_BITS) / rtt(path);
        let rate = mul(path.cwnd << RATE_BITS, nearness, RATIO_BITS);
        total = total.saturating_add(path.cwnd);
        rate_sum = rate_sum.saturating_add(rate);
        best = best.max(mul(rate, nearness, RATIO_BITS));
    }
    // total * best / rate_sum^2, one division after the other: neither quotient overflows.
    let best_share = div(best, rate_sum, RATIO_BITS);
    let total_share = div(total, rate_sum, RATIO_BITS + RATE_BITS);
    mul(total_share, best_share, RATIO_BITS)
}

/// RFC 6356, section 3, equation 1: what an ACK of `acked` bytes adds to `cwnd` in congestion
/// avoidance, in units of 2^-`bits` bytes. `total` is the sum of all windows, `alpha` as by
/// [`alpha`]. Never more than a single TCP would add.
#[must_use]
pub fn increase(cwnd: u64, mss: u16, acked: u64, total: u64, alpha: u64, bits: u32) -> u64 {
    let acked = u128::from(acked.min(cwnd)) * u128::from(mss);
    let alone = (acked << bits) / u128::from(cwnd.max(1));
    // Below 2^(40 + 16 + 64), hence the shift at the end.
    let coupled = (acked * u128::from(alpha) / u128::from(total.max(1))) >> (RATIO_BITS - bits);
    u64::try_from(coupled.min(alone)).unwrap_or(u64::MAX)
}

fn rtt(path: Path) -> u64 {
    u64::from(path.rtt_us.max(1))
}

/// `a * b / 2^bits`, saturating.
fn mul(a: u64, b: u64, bits: u32) -> u64 {
    u64::try_from((u128::from(a) * u128::from(b)) >> bits).unwrap_or(u64::MAX)
}

/// `a * 2^bits / b`, saturating; 0 if `b` is.
fn div(a: u64, b: u64, bits: u32) -> u64 {
    let quotient = (u128::from(a) << bits).checked_div(u128::from(b));
    quotient.map_or(0, |q| u64::try_from(q).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Fractional bits of the increases asked for below.
    const BITS: u32 = 24;
    /// One, as a ratio.
    const ONE: u64 = 1 << RATIO_BITS;

    fn alpha_of(paths: &[(u64, u32)]) -> u64 {
        alpha(paths.iter().map(|&(cwnd, rtt_us)| Path { cwnd, rtt_us }))
    }

    /// In millionths, rounded.
    fn micro(ratio: u64) -> u64 {
        (ratio * 1_000_000 + ONE / 2) >> RATIO_BITS
    }

    #[test]
    fn alpha_has_the_values_of_the_formula() {
        // Worked out by hand from the formula, in millionths.
        let table: &[(&[(u64, u32)], u64)] = &[
            // One subflow is a TCP.
            (&[(14_000, 30_000)], 1_000_000),
            (&[(1, 1)], 1_000_000),
            // n equal subflows: n w (w / r^2) / (n w / r)^2 = 1 / n.
            (&[(14_000, 30_000), (14_000, 30_000)], 500_000),
            (
                &[(9_000, 50_000), (9_000, 50_000), (9_000, 50_000)],
                333_333,
            ),
            // 10 and 100 ms, equal windows: 2 (1 / 100) / (1 / 10 + 1 / 100)^2 = 0.02 / 0.0121.
            (&[(14_000, 10_000), (14_000, 100_000)], 1_652_893),
            // 10 and 20 ms, windows 1 and 3: 4 (1 / 100) / (1 / 10 + 3 / 20)^2 = 0.04 / 0.0625.
            (&[(10_000, 10_000), (30_000, 20_000)], 640_000),
            // 10 and 20 ms, windows 1 and 8: best is the slow one, 9 (8 / 400) / (0.5)^2.
            (&[(10_000, 10_000), (80_000, 20_000)], 720_000),
            // Nothing to divide by.
            (&[], 0),
            (&[(0, 10_000)], 0),
        ];
        for (paths, expected) in table {
            assert_eq!(micro(alpha_of(paths)), *expected, "{paths:?}");
        }
    }

    #[test]
    fn an_ack_adds_the_lesser_of_two_terms() {
        let mss = 1_000_u64;
        let add = |windows: [u64; 2], alpha| {
            let total = windows.iter().sum::<u64>() * mss;
            increase(windows[0] * mss, 1_000, mss, total, alpha, BITS)
        };
        // Two equal subflows of w segments: a segment acknowledged adds 1 / (4 w) segments.
        let half = ONE / 2;
        assert_eq!(add([10, 10], half) >> BITS, mss / 40);
        // 10 and 100 ms, equal windows of w: the lesser of 0.826 / w and 1 / w.
        let alpha = alpha_of(&[(10_000, 10_000), (10_000, 100_000)]);
        assert_eq!((add([10, 10], alpha) * 1_000) >> BITS, 82_644);
        // A small window beside a large one of the same path: the connection's term would give it
        // 1.96 / w, a TCP of its own gets 1 / w.
        assert_eq!(add([1, 50], 100 * ONE) >> BITS, mss);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let huge = (1_u64 << 40) - 1;
        assert_eq!(micro(alpha_of(&[(huge, u32::MAX); 2])), 500_000);
        // A far path of little use beside a near one that is all but closed.
        assert!(alpha_of(&[(1, 1), (huge, u32::MAX)]) > ONE);
        assert_eq!(
            increase(huge, u16::MAX, u64::MAX, huge, u64::MAX, BITS) >> BITS,
            65_535
        );
        assert_eq!(increase(0, 0, 0, 0, 0, BITS), 0);
    }

    proptest! {
        /// RFC 6356, goal 2: on no path more aggressive than a TCP.
        #[test]
        fn no_path_outdoes_a_tcp(
            paths in vec((1..1_u64 << 40, any::<u32>()), 1..8),
            mss: u16,
            acked: u64,
        ) {
            let alpha = alpha_of(&paths);
            let total = paths.iter().map(|(cwnd, _)| cwnd).sum();
            for (cwnd, _) in paths {
                let added = increase(cwnd, mss, acked, total, alpha, BITS);
                let tcp = (u128::from(acked.min(cwnd)) * u128::from(mss)) << BITS;
                prop_assert!(u128::from(added) * u128::from(cwnd) <= tcp);
            }
        }

        /// Which subflow is which does not matter.
        #[test]
        fn order_does_not_matter(mut paths in vec((1..1_u64 << 40, any::<u32>()), 1..8)) {
            let alpha = alpha_of(&paths);
            paths.reverse();
            prop_assert_eq!(alpha, alpha_of(&paths));
        }

        /// `(sum w / r)^2` is at least the best path's own `(w / r)^2`, which bounds alpha.
        #[test]
        fn alpha_stays_below_total_over_best(paths in vec((1..1_u64 << 30, 1..1_000_000_u32), 1..8)) {
            let total: u64 = paths.iter().map(|(cwnd, _)| cwnd).sum();
            let best = paths
                .iter()
                .max_by_key(|(cwnd, rtt)| (u128::from(*cwnd) << 80) / (u128::from(*rtt) * u128::from(*rtt)))
                .map_or(1, |(cwnd, _)| *cwnd);
            let bound = u128::from(total) * u128::from(ONE) / u128::from(best);
            // One part in 2^16 for the roundings inside.
            prop_assert!(u128::from(alpha_of(&paths)) <= bound + (bound >> 16) + 1);
        }
    }
}
