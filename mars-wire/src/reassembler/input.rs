//! What a reassembler is told.

use crate::LpPacket;

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// Nothing but time.
    Timeout,
    /// A link packet arrived, of any kind, whole or a fragment.
    Packet(&'a LpPacket<'a>),
}
