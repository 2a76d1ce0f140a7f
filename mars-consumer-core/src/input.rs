//! What a consumer is told.

use mars_wire::{MarsHeader, NackReason, Name};

/// A decoded Data.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// `FinalBlockId` as a segment number, if the Data has one.
    pub final_segment: Option<u64>,
    /// Octets of Content.
    pub content_len: usize,
    /// The MARS link header as the local forwarder wrote it; empty if there was none.
    pub header: MarsHeader,
}

/// A decoded Nack.
#[derive(Clone, Copy, Debug)]
pub struct Nack<'a> {
    /// Name of the Interest.
    pub name: Name<'a>,
    /// Nonce of the Interest.
    pub nonce: Option<u32>,
    /// Why, in `NDNLPv2` terms.
    pub reason: NackReason,
    /// The MARS link header with the detail; empty if there was none.
    pub header: MarsHeader,
}

/// One thing that happened. `P` is the host's packet handle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Input<'a, P> {
    /// Nothing but time.
    Timeout,
    /// A Data arrived.
    Data {
        /// Its decoded fields.
        data: Data<'a>,
        /// The host's handle.
        packet: P,
    },
    /// A Nack arrived.
    Nack {
        /// Its decoded fields.
        nack: Nack<'a>,
    },
    /// The reader takes this many segments more ([`crate::Config::credit`] is the credit at start).
    Credit {
        /// Segments.
        segments: u64,
    },
    /// The host verified a delivered segment ([`crate::Config::verify`]).
    Accept {
        /// The segment.
        segment: u64,
    },
    /// The host refused a delivered segment: fetch it again. Its next delivery takes no credit.
    Reject {
        /// The segment.
        segment: u64,
    },
    /// Look for paths again now, if no round of discovery is under way. The consumer does so by
    /// itself every [`crate::Config::rediscovery`] and when all paths are lost; this is for a host
    /// that knows sooner (a link came up), and for discovery alone, where no round follows by itself.
    Rediscover,
    /// Send nothing new for now.
    Pause,
    /// Go on.
    Resume,
    /// Stop for good.
    Cancel,
}
