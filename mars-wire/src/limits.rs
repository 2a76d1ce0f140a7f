//! Limits and units of the packet format.

use core::time::Duration;

/// Most octets of a packet, its link header included.
pub const MAX_PACKET: usize = 8800;

/// Whole milliseconds, rounded up: a duration is never sent as a shorter one, and only zero is sent
/// as zero.
pub(crate) const fn millis(duration: Duration) -> u64 {
    let rest = duration.subsec_nanos().div_ceil(1_000_000);
    duration
        .as_secs()
        .saturating_mul(1000)
        .saturating_add(rest as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_rounded_up() {
        let table = [
            (Duration::ZERO, 0),
            (Duration::from_nanos(1), 1),
            (Duration::from_micros(999), 1),
            (Duration::from_secs(4), 4000),
            (Duration::new(4, 1), 4001),
            (Duration::from_millis(u64::MAX), u64::MAX),
            (Duration::MAX, u64::MAX),
        ];
        for (duration, ms) in table {
            assert_eq!(millis(duration), ms, "{duration:?}");
        }
    }
}
