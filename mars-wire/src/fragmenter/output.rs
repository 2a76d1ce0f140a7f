//! What a fragmenter asks for.

use core::ops::Range;

use mars_time::Instant;

/// One thing to do, or the end of the drain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output<'a, P> {
    /// Send one link packet: the head, then the octets of the packet in this range.
    Transmit {
        /// What stands before the fragment; empty if the packet goes bare.
        head: &'a [u8],
        /// The host's handle of the network packet.
        packet: P,
        /// Octets of the network packet; empty in an IDLE packet.
        range: Range<usize>,
    },
    /// Nothing more. A fragmenter has no timers: there is never a time to wake it at.
    Timeout(Option<Instant>),
}
