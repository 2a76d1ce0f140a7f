//! What a forwarder is told: faces, routes, and decoded packets with borrowed names.

use core::time::Duration;

use mars_wire::{MarsHeader, NackReason, Name, PitToken};

/// The host's number of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

/// What is at the other end of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaceKind {
    /// An application on this host: no hop limit is spent, no queue is reported.
    Local,
    /// A MARS forwarder.
    Mars,
    /// A plain NDN forwarder: no discovery over it, usable in the shortest tier only.
    Plain,
}

/// One routing next hop of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The face.
    pub face: FaceId,
    /// The routing protocol's distance to the producer through that face, at least 1.
    pub hops: u32,
}

/// A decoded Interest.
#[derive(Clone, Copy, Debug)]
pub struct Interest<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Its nonce; without one the forwarder adds its own.
    pub nonce: Option<u32>,
    /// How long the downstream waits.
    pub lifetime: Duration,
    /// Hops left, if it counts them.
    pub hop_limit: Option<u8>,
    /// Wanted back with the answer.
    pub pit_token: Option<PitToken>,
    /// `MustBeFresh`: the content store answers only with Data that is still fresh.
    pub must_be_fresh: bool,
    /// The MARS link header; empty if there was none.
    pub header: MarsHeader,
}

/// A decoded Data.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// `FreshnessPeriod`: how long it is fresh in a content store; `None`: not at all.
    pub freshness: Option<Duration>,
    /// Octets that the packet holds while it is cached; counted by the content store only.
    pub octets: u32,
    /// The MARS link header; empty if there was none.
    pub header: MarsHeader,
}

/// A decoded Nack: an Interest that came back.
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
    /// A new face, up.
    FaceAdded {
        /// Its number, not in use.
        face: FaceId,
        /// What is at its other end.
        kind: FaceKind,
    },
    /// A face is gone for good, with its routes and records.
    FaceRemoved {
        /// Its number.
        face: FaceId,
    },
    /// A face works again.
    FaceUp {
        /// Its number.
        face: FaceId,
    },
    /// A face has stopped working for now.
    FaceDown {
        /// Its number.
        face: FaceId,
    },
    /// The whole set of next hops of a prefix, replacing the one before; empty: withdrawn.
    Routes {
        /// The prefix.
        prefix: Name<'a>,
        /// At most one entry per face.
        routes: &'a [Route],
    },
    /// An application behind a local face answers for a prefix.
    ProducerRegistered {
        /// The prefix.
        prefix: Name<'a>,
        /// A local face.
        face: FaceId,
    },
    /// It no longer does.
    ProducerWithdrawn {
        /// The prefix.
        prefix: Name<'a>,
        /// The local face.
        face: FaceId,
    },
    /// Packets that wait to be serialised on a face, as the host last saw it. Between two reports
    /// the forwarder adds the Data that it hands out itself.
    DataQueue {
        /// The face.
        face: FaceId,
        /// Packets waiting.
        packets: u32,
    },
    /// An Interest arrived.
    Interest {
        /// Where.
        face: FaceId,
        /// Its decoded fields.
        interest: Interest<'a>,
        /// The host's handle.
        packet: P,
    },
    /// A Data arrived.
    Data {
        /// Where.
        face: FaceId,
        /// Its decoded fields.
        data: Data<'a>,
        /// The host's handle.
        packet: P,
    },
    /// A Nack arrived.
    Nack {
        /// Where.
        face: FaceId,
        /// Its decoded fields.
        nack: Nack<'a>,
    },
}
