//! What a subflow does as any TCP does: RFC 5681, as functions of one window. Bytes throughout,
//! but for increases in congestion avoidance, which are in units of 2^-24 bytes.

use crate::path::RATIO_BITS;

/// Fractional bits of a window: at 100 Gbit/s and 10 s an ACK adds a hundred-thousandth of a byte.
pub const WINDOW_BITS: u32 = 24;

/// Section 3.1, equation 2: what an ACK of `acked` bytes adds in slow start.
#[must_use]
pub fn slow_start(acked: u64, mss: u16) -> u64 {
    acked.min(u64::from(mss))
}

/// Section 3.1, equation 3, for any number of bytes and times a `gain` (2^-32): what an ACK of
/// `acked` bytes adds to `cwnd` in congestion avoidance, in units of 2^-24 bytes. More than a
/// window counts as a window, so with a gain of 1 at most a segment is added.
#[must_use]
pub fn congestion_avoidance(acked: u64, mss: u16, cwnd: u64, gain: i64) -> i64 {
    let acked = u128::from(acked.min(cwnd));
    // Below 2^(64 + 16 + 32) for gains up to 1; the fields of a coupler are far below that.
    let product = (acked * u128::from(mss)).saturating_mul(u128::from(gain.unsigned_abs()));
    let added = (product / u128::from(cwnd.max(1))) >> (RATIO_BITS - WINDOW_BITS);
    let added = i64::try_from(added).unwrap_or(i64::MAX);
    if gain < 0 { -added } else { added }
}

/// Section 3.1, equation 4: the threshold after a loss with `flight` bytes outstanding, at least
/// `floor`.
#[must_use]
pub fn halved(flight: u64, floor: u64) -> u64 {
    (flight / 2).max(floor)
}

/// Section 4.1: the window after an idle period longer than a retransmission timeout.
#[must_use]
pub fn restarted(cwnd: u64, initial: u64) -> u64 {
    cwnd.min(initial)
}

/// What the segment at the head of the receiver's queue costs the subflow that holds it (Raiciu
/// et al., "How Hard Can It Be?", NSDI 2012, section 4.2): half its window, down to a segment, and
/// half its threshold, down to two, unless the window is still below the threshold.
#[must_use]
pub fn penalised(cwnd: u64, ssthresh: u64, mss: u16) -> (u64, u64) {
    let mss = u64::from(mss);
    let halved = (cwnd / 2).max(mss).min(cwnd);
    if cwnd >= ssthresh {
        (halved, (ssthresh / 2).max(2 * mss).min(ssthresh))
    } else {
        (halved, ssthresh)
    }
}

/// RFC 7661, section 4.2: whether a window is validated, that is, at least half in use.
#[must_use]
pub fn is_validated(cwnd: u64, flight: u64) -> bool {
    flight >= cwnd.div_ceil(2)
}

/// RFC 6582, section 3.2, step 3: what is left of an inflation of the window when an ACK in fast
/// recovery acknowledges `acked` bytes but not all.
#[must_use]
pub fn deflated(inflation: u64, acked: u64, mss: u16) -> u64 {
    let mss = u64::from(mss);
    let back = if acked >= mss { mss } else { 0 };
    inflation
        .saturating_sub(acked)
        .saturating_add(back)
        .min(inflation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::ONE;

    #[test]
    fn slow_start_adds_at_most_a_segment() {
        for (acked, added) in [(0, 0), (400, 400), (1_000, 1_000), (3_000, 1_000)] {
            assert_eq!(slow_start(acked, 1_000), added);
        }
    }

    #[test]
    fn congestion_avoidance_adds_a_segment_per_window() {
        let one = i64::try_from(ONE).unwrap();
        // A segment per window: 1,000 * 1,000 / 10,000; ten of them; far more than a window.
        let table = [
            (0, 10_000, one, 0),
            (1_000, 10_000, one, 100),
            (10_000, 10_000, one, 1_000),
            (u64::MAX, 10_000, one, 1_000),
            (1_000, 10_000, one / 4, 25),
            (1_000, 10_000, -one / 2, -50),
            (1_000, 10_000, 0, 0),
            (1_000, 0, one, 0),
        ];
        for (acked, cwnd, gain, added) in table {
            let got = congestion_avoidance(acked, 1_000, cwnd, gain);
            assert_eq!(got, added << WINDOW_BITS, "{acked} {cwnd} {gain}");
        }
        // 1,448^2 / 125e9 = 1.677e-5 bytes, times 2^24.
        let far = congestion_avoidance(1_448, 1_448, 125_000_000_000, one);
        assert_eq!(far, 281);
    }

    #[test]
    fn losses_idling_and_penalties_cut() {
        for (flight, threshold) in [(20_000, 10_000), (3_000, 2_000), (0, 2_000)] {
            assert_eq!(halved(flight, 2_000), threshold);
        }
        for (cwnd, window) in [(20_000, 10_000), (4_000, 4_000)] {
            assert_eq!(restarted(cwnd, 10_000), window);
        }
        let table = [
            ((20_000, 10_000), (10_000, 5_000)),
            ((9_000, 10_000), (4_500, 10_000)),
            ((3_000, 3_000), (1_500, 2_000)),
            ((1_500, 1_000), (1_000, 1_000)),
            ((1_000, 9_000), (1_000, 9_000)),
        ];
        for ((cwnd, ssthresh), expected) in table {
            assert_eq!(penalised(cwnd, ssthresh, 1_000), expected);
        }
    }

    #[test]
    fn half_a_window_in_use_is_enough() {
        for (cwnd, flight, valid) in [(10, 5, true), (10, 4, false), (11, 5, false), (0, 0, true)] {
            assert_eq!(is_validated(cwnd, flight), valid);
        }
    }

    #[test]
    fn a_partial_ack_deflates_and_lets_one_segment_go() {
        let table = [
            (5_000, 2_000, 4_000),
            (5_000, 400, 4_600),
            (5_000, 9_000, 1_000),
            (500, 9_000, 500),
            (0, 1_000, 0),
        ];
        for (inflation, acked, left) in table {
            assert_eq!(deflated(inflation, acked, 1_000), left);
        }
    }
}
