//! Round-trip times: the smoothed one, and the least of late.

use core::time::Duration;

use mars_time::Instant;

/// Longest round trip that is believed, 64 s in nanoseconds; keeps products within 64 bits.
pub(crate) const LONGEST: u64 = 64_000_000_000;

/// A span as nanoseconds, within 1 ns to [`LONGEST`].
pub(crate) fn clamped(span: Duration) -> u64 {
    // Below 2^6 seconds nothing overflows; as_nanos would count in 128 bits.
    let nanos = span.as_secs().min(1 << 6) * 1_000_000_000 + u64::from(span.subsec_nanos());
    nanos.clamp(1, LONGEST)
}

/// Smoothed and least round trip, nanoseconds, in constant memory.
///
/// The least is kept in two buckets of half the memory each, so a sample is forgotten after half
/// to one whole memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rtt {
    smoothed: u64,
    least_now: u64,
    least_before: u64,
    bucket_ends: Instant,
}

impl Rtt {
    /// From the first sample.
    pub(crate) fn new(now: Instant, sample: u64, memory: Duration) -> Self {
        Self {
            smoothed: sample,
            least_now: sample,
            least_before: sample,
            bucket_ends: now + memory / 2,
        }
    }

    /// One more sample. With `hold` nothing is forgotten.
    pub(crate) fn add(&mut self, now: Instant, sample: u64, memory: Duration, hold: bool) {
        // RFC 6298, section 2: alpha = 1/8.
        self.smoothed = self.smoothed - self.smoothed / 8 + sample / 8;
        if hold || now < self.bucket_ends {
            self.least_now = self.least_now.min(sample);
            return;
        }
        // After a gap of more than a bucket, what the old buckets held is too old altogether.
        let missed = now >= self.bucket_ends + memory / 2;
        self.least_before = if missed { sample } else { self.least_now };
        self.least_now = sample;
        self.bucket_ends = now + memory / 2;
    }

    /// Forgets what was least: the path has become longer.
    pub(crate) fn rebase(&mut self, least: u64) {
        self.least_now = least;
        self.least_before = least;
    }

    pub(crate) const fn smoothed(&self) -> u64 {
        if self.smoothed == 0 { 1 } else { self.smoothed }
    }

    pub(crate) fn least(&self) -> u64 {
        self.least_now.min(self.least_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_clamped() {
        for (span, nanos) in [
            (Duration::ZERO, 1),
            (Duration::from_millis(40), 40_000_000),
            (Duration::from_secs(64), 64_000_000_000),
            (Duration::MAX, 64_000_000_000),
        ] {
            assert_eq!(clamped(span), nanos);
        }
    }

    const MEMORY: Duration = Duration::from_secs(10);

    #[test]
    fn the_least_is_forgotten_after_its_memory() {
        let mut rtt = Rtt::new(Instant::ZERO, 20, MEMORY);
        for (second, sample, least) in [
            (1, 30, 20),
            (4, 15, 15),
            (6, 40, 15), // the first bucket is the past one now
            (9, 35, 15),
            (12, 50, 35), // and gone now
            (40, 60, 60), // a gap makes all old
        ] {
            rtt.add(Instant::from_secs(second), sample, MEMORY, false);
            assert_eq!(rtt.least(), least, "at {second} s");
        }
    }

    #[test]
    fn held_nothing_is_forgotten() {
        let mut rtt = Rtt::new(Instant::ZERO, 20, MEMORY);
        rtt.add(Instant::from_secs(100), 30, MEMORY, true);
        assert_eq!(rtt.least(), 20);
        rtt.rebase(30);
        assert_eq!(rtt.least(), 30);
    }

    #[test]
    fn smoothing_follows_rfc_6298() {
        let mut rtt = Rtt::new(Instant::ZERO, 8_000, MEMORY);
        rtt.add(Instant::ZERO, 16_000, MEMORY, false);
        assert_eq!(rtt.smoothed(), 9_000);
    }
}
