//! What a subflow does as any TCP does: RFC 5681, as functions of one window. Bytes throughout.

use crate::Loss;

/// Section 3.1, equation 2: what an ACK of `acked` bytes adds in slow start.
#[must_use]
pub fn slow_start(acked: u64, mss: u16) -> u64 {
    acked.min(u64::from(mss))
}

/// Sections 3.1 and 3.2: window and slow-start threshold after a loss. The window stands for what
/// was in flight; `floor` is the least threshold.
#[must_use]
pub fn after_loss(cwnd: u64, mss: u16, floor: u64, loss: Loss) -> (u64, u64) {
    let ssthresh = (cwnd / 2).max(floor);
    match loss {
        // Section 3.2, step 6, without the inflation in between: the host holds it meanwhile.
        Loss::Duplicates => (ssthresh, ssthresh),
        // The loss window: one full-sized segment.
        Loss::Timeout => (u64::from(mss), ssthresh),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_adds_at_most_a_segment() {
        for (acked, added) in [(0, 0), (400, 400), (1_000, 1_000), (3_000, 1_000)] {
            assert_eq!(slow_start(acked, 1_000), added);
        }
    }

    #[test]
    fn a_loss_halves_and_a_timeout_restarts() {
        let table = [
            (20_000, Loss::Duplicates, (10_000, 10_000)),
            (3_000, Loss::Duplicates, (2_000, 2_000)),
            (20_000, Loss::Timeout, (1_000, 10_000)),
            (1_000, Loss::Timeout, (1_000, 2_000)),
        ];
        for (cwnd, loss, expected) in table {
            assert_eq!(after_loss(cwnd, 1_000, 2_000, loss), expected);
        }
    }
}
