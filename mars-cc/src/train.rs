//! What a link carries, read from the spacing of Data that queued before it.

use mars_time::Instant;

/// Intervals after which the older half counts half.
const MEMORY: u32 = 64;
/// Intervals without which nothing is said.
const ENOUGH: u32 = 4;

/// Spacing of Data that found the queue busy.
///
/// Data that waited behind another left right after it, so the time between the two arrivals is
/// what the link takes for one packet, however slowly they were asked for. A lost packet between
/// the two makes the link look slower, never faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Train {
    previous: Option<Instant>,
    intervals: u32,
    nanos: u64,
}

impl Train {
    /// Data arrived that had found `queue` packets waiting.
    pub(crate) fn add(&mut self, now: Instant, queue: u16) {
        if let Some(previous) = self.previous.replace(now)
            && queue > 0
        {
            let gap = now.as_nanos().saturating_sub(previous.as_nanos());
            self.nanos = self.nanos.saturating_add(gap);
            self.intervals += 1;
            if self.intervals >= MEMORY {
                self.intervals /= 2;
                self.nanos /= 2;
            }
        }
    }

    /// `nanos` per packet it was over a time in which the link was known to be full.
    pub(crate) fn learn(&mut self, nanos: u64) {
        self.intervals = ENOUGH;
        self.nanos = nanos.saturating_mul(u64::from(ENOUGH));
    }

    /// Nanoseconds per packet, once known.
    pub(crate) fn spacing(&self) -> Option<u64> {
        (self.intervals >= ENOUGH).then(|| (self.nanos / u64::from(self.intervals)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_that_queued_tells_the_spacing() {
        let mut train = Train::default();
        // (arrival in microseconds, queue found)
        for (at, queue) in [(0, 0), (260, 1), (520, 2), (9_000, 0), (9_260, 1)] {
            train.add(Instant::from_micros(at), queue);
            assert_eq!(train.spacing(), None);
        }
        train.add(Instant::from_micros(9_520), 1);
        assert_eq!(train.spacing(), Some(260_000));
    }

    #[test]
    fn old_intervals_fade() {
        let mut train = Train::default();
        let mut at = 0;
        for step in (0..100).map(|_| 100).chain((0..600).map(|_| 10)) {
            at += step;
            train.add(Instant::from_micros(at), 5);
        }
        assert!(train.spacing().is_some_and(|spacing| spacing < 10_100));
    }
}
