//! What a stream decoder gives out.

use mars_time::Instant;

use crate::stream::StreamError;

/// One element, the end of it all, or the end of the drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output<'a> {
    /// The next whole element: 2 to [`MAX_PACKET`](crate::MAX_PACKET) octets.
    Element {
        /// Octets of the stream before it.
        offset: u64,
        /// The element, from its TYPE; for [`LinkPacket::decode`](crate::LinkPacket::decode).
        octets: &'a [u8],
    },
    /// The stream is of no more use: close it. Told once; no element follows.
    Failed(StreamError),
    /// Nothing more. A stream decoder has no timers: there is never a time to wake it at.
    Timeout(Option<Instant>),
}
