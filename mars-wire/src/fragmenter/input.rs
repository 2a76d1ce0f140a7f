//! What a fragmenter is told.

use crate::{LinkHeader, NackReason};

/// One thing that happened. `P` is the host's handle of a network packet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input<'a, P> {
    /// Nothing but time.
    Timeout,
    /// A packet is to be sent.
    Packet {
        /// Its header fields. A Sequence in it is that of another link and not sent on.
        header: &'a LinkHeader<'a>,
        /// Whether it is an Interest that is returned, and why.
        nack: Option<NackReason>,
        /// Octets of the network packet; 0 for an IDLE packet.
        len: usize,
        /// The host's handle of the network packet.
        packet: P,
    },
}
