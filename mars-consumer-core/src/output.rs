//! What a consumer asks for, and what it reports.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::MarsHeader;

/// The varying part of an Interest's name; [`crate::Consumer::name`] makes the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecName {
    /// `/dest/src/pd/probe_idx/seq`.
    Discovery {
        /// Discovery index.
        probe_idx: u64,
        /// Sequence number.
        seq: u64,
    },
    /// `/dest/data/segment`.
    Data {
        /// Segment of the object.
        segment: u64,
    },
}

/// An Interest to encode and send to the local forwarder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterestSpec {
    /// Its name.
    pub name: SpecName,
    /// Its nonce.
    pub nonce: u32,
    /// Its lifetime.
    pub lifetime: Duration,
    /// MARS link header to send with it.
    pub header: MarsHeader,
}

/// One thing to do, a fact, or the end of the drain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output<P> {
    /// Encode and send an Interest.
    Transmit {
        /// Which.
        spec: InterestSpec,
    },
    /// The next segment for the reader, in order, each once (again after a `Reject`).
    Deliver {
        /// The segment.
        segment: u64,
        /// The host's handle of its Data.
        packet: P,
    },
    /// A fact; the host may drop it.
    Event(Event),
    /// Nothing more; wake the consumer at this time, if any.
    Timeout(Option<Instant>),
}

/// A fact, reported once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The first path is known: data flows from now on.
    PathFound {
        /// Time since the start of discovery.
        after: Duration,
    },
    /// Discovery has converged (`NodeConv`).
    Discovered {
        /// Probes sent.
        probes: u64,
        /// Time since the start of discovery.
        after: Duration,
    },
    /// Discovery ended without `NodeConv`: too many probes were silent or refused, too many were
    /// sent, or the upstream is plain NDN. Data flows over the paths that were found.
    DiscoveryStalled {
        /// Probes sent.
        probes: u64,
        /// Time since the start of discovery.
        after: Duration,
    },
    /// Data Interests found no route any more; paths are looked for again.
    PathLost,
    /// Nobody had a route: discovery starts afresh in a new generation.
    GenerationStarted {
        /// Its number.
        generation: u32,
    },
    /// All segments are delivered (and accepted, if verification is on).
    Completed {
        /// Segments.
        segments: u64,
        /// Time since the start.
        after: Duration,
    },
    /// It ends without the whole object.
    GaveUp {
        /// Why.
        reason: GiveUp,
    },
}

/// Why a consumer gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUp {
    /// No route, in every generation that was allowed.
    Unreachable,
    /// A segment was asked for as often as allowed.
    Retries {
        /// The segment.
        segment: u64,
    },
    /// The host cancelled.
    Cancelled,
}
