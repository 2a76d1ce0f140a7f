//! What a controller is told.

use core::time::Duration;

/// One thing that happened to the packets that a controller meters.
///
/// Every packet takes a slot with [`Input::Sent`] and gives it back with exactly one of
/// `Delivered`, `Nacked`, `Lost` or `Released`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Nothing but time.
    Timeout,
    /// A packet left.
    Sent,
    /// The answer came.
    Delivered {
        /// Packets in the queue that this controller watches, as the upstream reported them;
        /// `None` if it does not report (a plain NDN upstream).
        queue: Option<u16>,
        /// Round-trip time, `None` if it would be ambiguous (a retransmitted packet, Karn's rule).
        rtt: Option<Duration>,
    },
    /// The upstream refused the packet for congestion.
    Nacked,
    /// The packet's time ran out.
    Lost,
    /// The slot is free for a reason that says nothing about the path (overwritten by a
    /// retransmission, entry erased, satisfied over another path).
    Released,
    /// The path came back or its nature changed: window and phase start afresh. Slots stay taken.
    Reset,
}
