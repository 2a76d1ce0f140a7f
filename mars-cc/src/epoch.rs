//! What was seen since the last decision.

use mars_time::Instant;

/// Most samples that an epoch counts. Keeps products within 64 bits.
const MOST_SAMPLES: u32 = (1 << 19) - 1;

/// Sums over the Data of one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    start: Instant,
    samples: u32,
    reports: u32,
    sum_queue: u64,
    rtts: u32,
    sum_rtt: u64,
    least_rtt: u64,
    most_rtt: u64,
    lost: u32,
    nacked: bool,
}

impl Epoch {
    /// An epoch that starts now.
    pub(crate) const fn new(start: Instant) -> Self {
        Self {
            start,
            samples: 0,
            reports: 0,
            sum_queue: 0,
            rtts: 0,
            sum_rtt: 0,
            least_rtt: u64::MAX,
            most_rtt: 0,
            lost: 0,
            nacked: false,
        }
    }

    /// Data arrived, with the reported queue and the round trip in nanoseconds.
    pub(crate) fn add(&mut self, queue: Option<u16>, rtt: Option<u64>) {
        if self.samples >= MOST_SAMPLES {
            return;
        }
        self.samples += 1;
        if let Some(queue) = queue {
            self.reports += 1;
            self.sum_queue += u64::from(queue);
        }
        if let Some(rtt) = rtt {
            self.rtts += 1;
            self.sum_rtt += rtt;
            self.least_rtt = self.least_rtt.min(rtt);
            self.most_rtt = self.most_rtt.max(rtt);
        }
    }

    /// A packet's time ran out.
    pub(crate) fn lose(&mut self) {
        self.lost = self.lost.saturating_add(1);
    }

    pub(crate) const fn lost(&self) -> u32 {
        self.lost
    }

    /// Greatest round trip less the least, ns.
    pub(crate) const fn rtt_spread(&self) -> u64 {
        self.most_rtt.saturating_sub(self.least_rtt)
    }

    /// A packet was refused for congestion.
    pub(crate) fn nack(&mut self) {
        self.nacked = true;
    }

    pub(crate) const fn is_nacked(&self) -> bool {
        self.nacked
    }

    /// Whether nothing happened in it.
    pub(crate) const fn is_empty(&self) -> bool {
        self.samples == 0 && self.lost == 0 && !self.nacked
    }

    pub(crate) const fn samples(&self) -> u32 {
        self.samples
    }

    /// Nanoseconds since the start.
    pub(crate) fn elapsed(&self, now: Instant) -> u64 {
        now.as_nanos().saturating_sub(self.start.as_nanos())
    }

    /// Whether any Data carried a report, or none came yet.
    pub(crate) const fn is_reported(&self) -> bool {
        self.reports > 0 || self.samples == 0
    }

    /// Mean of the reported queues, Q8; `None` if nothing was reported.
    pub(crate) fn queue(&self) -> Option<u64> {
        (self.sum_queue << 8).checked_div(u64::from(self.reports))
    }

    /// Mean round trip, ns.
    pub(crate) fn mean_rtt(&self) -> Option<u64> {
        self.sum_rtt.checked_div(u64::from(self.rtts))
    }

    /// Least round trip, ns.
    pub(crate) fn least_rtt(&self) -> Option<u64> {
        (self.rtts > 0).then_some(self.least_rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_what_was_told() {
        let mut epoch = Epoch::new(Instant::from_millis(5));
        assert_eq!(
            (epoch.queue(), epoch.mean_rtt(), epoch.least_rtt()),
            (None, None, None)
        );
        epoch.add(Some(3), Some(10));
        epoch.add(None, None);
        epoch.add(Some(4), Some(20));
        assert_eq!(epoch.samples(), 3);
        assert_eq!(epoch.queue(), Some(3 * 256 + 128));
        assert_eq!((epoch.mean_rtt(), epoch.least_rtt()), (Some(15), Some(10)));
        assert_eq!(epoch.elapsed(Instant::from_millis(7)), 2_000_000);
        assert_eq!(epoch.elapsed(Instant::ZERO), 0);
    }
}
