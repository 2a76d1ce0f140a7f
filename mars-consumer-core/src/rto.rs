//! The retransmission timeout of RFC 6298, a pure law in nanoseconds.

/// Nanoseconds in a millisecond.
const MS: u64 = 1_000_000;

/// Smoothed round-trip time, its variation, and the back-off (RFC 6298, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rto {
    estimate: Option<Estimate>,
    /// Doublings since the last sample (5.5).
    doublings: u32,
    min: u64,
    max: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Estimate {
    srtt: u64,
    rttvar: u64,
}

impl Rto {
    /// Timeout before the first sample (2.1).
    const INITIAL: u64 = 1_000 * MS;
    /// The clock granularity `G`: hosts wake in time to about this.
    const GRANULARITY: u64 = MS;

    /// Timeouts will lie in `min..=max`. The RFC's minimum of 1 s (2.4) is the caller's choice here,
    /// and so is the maximum (2.5).
    pub(crate) const fn new(min: u64, max: u64) -> Self {
        Self {
            estimate: None,
            doublings: 0,
            min,
            max,
        }
    }

    pub(crate) fn srtt(&self) -> Option<u64> {
        self.estimate.map(|e| e.srtt)
    }

    /// A round-trip time that belongs to one transmission beyond doubt (3, Karn's algorithm). Ends
    /// the back-off.
    pub(crate) fn sample(&mut self, rtt: u64) {
        self.doublings = 0;
        self.estimate = Some(match self.estimate {
            // 2.2
            None => Estimate {
                srtt: rtt,
                rttvar: rtt / 2,
            },
            // 2.3, with alpha = 1/8 and beta = 1/4; the variation first.
            Some(Estimate { srtt, rttvar }) => Estimate {
                rttvar: (rttvar.saturating_mul(3)).saturating_add(srtt.abs_diff(rtt)) / 4,
                srtt: (srtt.saturating_mul(7)).saturating_add(rtt) / 8,
            },
        });
    }

    /// The timer ran out (5.5).
    pub(crate) const fn back_off(&mut self) {
        self.doublings = self.doublings.saturating_add(1);
    }

    /// The timeout, not below `floor` before back-off, and doubled at least `times` times.
    pub(crate) fn timeout(&self, floor: u64, times: u32) -> u64 {
        let base = match self.estimate {
            None => Self::INITIAL,
            Some(Estimate { srtt, rttvar }) => {
                srtt.saturating_add(rttvar.saturating_mul(4).max(Self::GRANULARITY))
            }
        };
        let base = base.max(floor).max(self.min);
        doubled(base, self.doublings.max(times), self.max)
    }
}

/// `span` doubled `times` times, at most `max`.
pub(crate) fn doubled(span: u64, times: u32, max: u64) -> u64 {
    // Beyond 63 doublings anything but zero is over any maximum.
    let factor = 1_u64 << times.min(63);
    span.saturating_mul(factor).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples in ms; SRTT, RTTVAR, RTO in microseconds, by hand from section 2.
    #[test]
    fn follows_the_table() {
        let table: [(u64, u64, u64, u64); 6] = [
            (100, 100_000, 50_000, 300_000),
            (100, 100_000, 37_500, 250_000),
            (200, 112_500, 53_125, 325_000),
            (40, 103_437, 57_968, 335_312),
            (100, 103_007, 44_335, 280_351),
            (100, 102_631, 34_003, 238_647),
        ];
        let mut rto = Rto::new(0, u64::MAX);
        assert_eq!(rto.timeout(0, 0), 1_000 * MS);
        for (sample, srtt, rttvar, timeout) in table {
            rto.sample(sample * MS);
            let e = rto.estimate.unwrap();
            assert_eq!(
                (e.srtt / 1_000, e.rttvar / 1_000, rto.timeout(0, 0) / 1_000),
                (srtt, rttvar, timeout)
            );
        }
    }

    #[test]
    fn granularity_minimum_floor_and_maximum_bound_it() {
        let mut rto = Rto::new(20 * MS, 400 * MS);
        for _ in 0..100 {
            rto.sample(50 * MS);
        }
        assert_eq!(rto.timeout(0, 0), 51 * MS);
        assert_eq!(rto.timeout(90 * MS, 0), 90 * MS);
        assert_eq!(rto.timeout(90 * MS, 2), 360 * MS);
        assert_eq!(rto.timeout(90 * MS, 3), 400 * MS);
        for _ in 0..100 {
            rto.sample(2 * MS);
        }
        assert_eq!(rto.timeout(0, 0), 20 * MS);
    }

    #[test]
    fn back_off_doubles_until_the_next_sample() {
        let mut rto = Rto::new(0, 60_000 * MS);
        let mut seen = [0; 8];
        for slot in &mut seen {
            *slot = rto.timeout(0, 0) / MS;
            rto.back_off();
        }
        assert_eq!(
            seen,
            [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
        );
        rto.sample(100 * MS);
        assert_eq!(rto.timeout(0, 0), 300 * MS);
    }

    #[test]
    fn absurd_samples_saturate() {
        let mut rto = Rto::new(1, u64::MAX);
        for sample in [u64::MAX, 0, u64::MAX] {
            rto.sample(sample);
            rto.back_off();
        }
        assert_eq!(rto.timeout(0, u32::MAX), u64::MAX);
    }
}
