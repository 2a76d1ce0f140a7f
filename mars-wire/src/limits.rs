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
