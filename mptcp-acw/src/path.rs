//! A subflow as the coupled laws see it, and shares of the connection's rate.

use core::time::Duration;

/// Fractional bits of shares and gains.
pub const RATIO_BITS: u32 = 32;
/// One, as a share or a gain.
pub const ONE: u64 = 1 << RATIO_BITS;
/// Windows are kept below this, bytes.
pub(crate) const MAX_WINDOW: u64 = 1 << 40;
/// Delays are kept within this, nanoseconds: a bit more than half an hour.
pub(crate) const MAX_DELAY_NS: u64 = 1 << 41;
/// Fractional bits of a rate: one segment per half an hour still has nine bits.
const RATE_BITS: u32 = 40;

/// Window and round-trip time of a subflow, and the rate that the two make.
///
/// All laws need only two things of it: the rate `x = w / r`, and, among several, its share
/// `s = x / sum(x)`. Since `w / r^2 = x^2 / w`, the term that RFC 6356, OLIA and BALIA have in
/// common is
///
/// ```text
/// (w / r^2) / sum(x)^2  =  s^2 / w
/// ```
///
/// that is, `s^2` times what a TCP alone adds. No round-trip time needs to be squared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    cwnd: u64,
    rtt_ns: u64,
    /// Units of 2^-[`RATE_BITS`] bytes per nanosecond, saturating, never 0.
    rate: u64,
}

impl Path {
    /// A path of `cwnd` bytes, taken as 1 to 2^40 - 1, and a smoothed round-trip time, taken as one
    /// nanosecond to half an hour.
    #[must_use]
    pub fn new(cwnd: u64, rtt: Duration) -> Self {
        Self::from_ns(cwnd, nanos(rtt))
    }

    pub(crate) fn from_ns(cwnd: u64, rtt_ns: u64) -> Self {
        let cwnd = cwnd.clamp(1, MAX_WINDOW - 1);
        let rtt_ns = rtt_ns.clamp(1, MAX_DELAY_NS);
        let rate = (u128::from(cwnd) << RATE_BITS) / u128::from(rtt_ns);
        Self {
            cwnd,
            rtt_ns,
            rate: u64::try_from(rate).unwrap_or(u64::MAX).max(1),
        }
    }

    /// Congestion window, bytes.
    #[must_use]
    pub const fn cwnd(&self) -> u64 {
        self.cwnd
    }

    pub(crate) const fn rtt_ns(&self) -> u64 {
        self.rtt_ns
    }

    pub(crate) const fn rate(&self) -> u64 {
        self.rate
    }

    /// What this path has of `total`, a sum of rates that holds its own; units of 2^-32.
    pub(crate) fn share(&self, total: u64) -> u64 {
        let share = (u128::from(self.rate) << RATIO_BITS) / u128::from(total.max(1));
        u64::try_from(share).map_or(ONE, |share| share.min(ONE))
    }
}

/// A delay in nanoseconds, within 1 and [`MAX_DELAY_NS`].
pub(crate) fn nanos(delay: Duration) -> u64 {
    let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
    nanos.clamp(1, MAX_DELAY_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(cwnd: u64, ms: u64) -> Path {
        Path::new(cwnd, Duration::from_millis(ms))
    }

    #[test]
    fn shares_are_of_rates() {
        // Windows and round-trip times, and the first one's share in thousandths.
        let table = [
            (path(10_000, 10), path(10_000, 10), 500),
            (path(10_000, 10), path(10_000, 30), 750),
            (path(10_000, 10), path(30_000, 30), 500),
            (path(10_000, 10), path(90_000, 10), 100),
        ];
        for (own, other, expected) in table {
            let share = own.share(own.rate() + other.rate());
            assert_eq!((share * 1_000 + ONE / 2) >> RATIO_BITS, expected);
        }
    }

    #[test]
    fn extremes_are_taken_as_the_nearest_bound() {
        let least = Path::new(0, Duration::MAX);
        assert_eq!((least.cwnd(), least.rate()), (1, 1));
        let most = Path::new(u64::MAX, Duration::ZERO);
        assert_eq!((most.cwnd(), most.rate()), (MAX_WINDOW - 1, u64::MAX));
        assert_eq!((most.share(u64::MAX), least.share(u64::MAX)), (ONE, 0));
        assert_eq!(least.share(0), ONE);
    }

    /// At 100 Gbit/s and 10 s: 125 GB, 12.5 bytes per nanosecond.
    #[test]
    fn a_long_fat_path_has_its_rate_exactly() {
        let path = Path::new(125_000_000_000, Duration::from_secs(10));
        assert_eq!(path.rate(), 25 << (RATE_BITS - 1));
    }
}
