//! When the next packet may go.

use core::time::Duration;
use mars_time::Instant;

/// A bucket of a few packets that fills by one per gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pacer {
    gap: u64,
    next: Instant,
}

impl Pacer {
    /// Unpaced.
    pub(crate) const fn new() -> Self {
        Self {
            gap: 0,
            next: Instant::ZERO,
        }
    }

    /// Time between two packets, nanoseconds, for a window (Q8) per round trip (ns), run faster by
    /// `pacing` (Q8) so that it is the window and not the pace that limits.
    ///
    /// Ranges: `rtt` below 2^37, so the product is below 2^53; the divisor is at least 64 * 257.
    pub(crate) const fn gap_for(rtt: u64, window_q8: u64, pacing_q8: u16) -> u64 {
        (rtt << 16) / (window_q8 * pacing_q8 as u64)
    }

    pub(crate) fn set_gap(&mut self, gap: u64) {
        self.gap = gap;
    }

    /// A packet left. Gaps are below 2^38, a burst is at most 64.
    pub(crate) fn sent(&mut self, now: Instant, burst: u8) {
        let credit = self.gap * (u64::from(burst) - 1);
        let since = self
            .next
            .as_nanos()
            .max(now.as_nanos().saturating_sub(credit));
        self.next = Instant::from_nanos(since.saturating_add(self.gap));
    }

    pub(crate) const fn gap(&self) -> Duration {
        Duration::from_nanos(self.gap)
    }

    pub(crate) const fn next(&self) -> Instant {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_from_the_page() {
        // 40 ms, 154 packets, 282/256: 40 ms / 169.6
        assert_eq!(Pacer::gap_for(40_000_000, 154 << 8, 282), 235_792);
        // A quarter of a packet per round trip at 256/256.
        assert_eq!(Pacer::gap_for(1_000, 64, 256), 4_000);
    }

    #[test]
    fn after_a_pause_a_burst_goes_at_once() {
        let mut pacer = Pacer::new();
        pacer.set_gap(1_000_000);
        let now = Instant::from_secs(1);
        let mut at_once = 0;
        while pacer.next() <= now {
            pacer.sent(now, 2);
            at_once += 1;
        }
        assert_eq!(at_once, 2);
        assert_eq!(pacer.next(), now + Duration::from_millis(1));
    }
}
