//! What a forwarder asks for, and what it reports.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::{MarsHeader, NackReason, Name, NameBuf, PitToken, Rank};

use crate::{Data, FaceId, Input, Interest, Nack};

/// What the host must write into a packet on its way out. Nothing of the link header that the
/// packet arrived with survives: the fields here are all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The handle is an Interest.
    Interest {
        /// Write this hop limit, if the Interest has one.
        hop_limit: Option<u8>,
        /// Write this nonce.
        nonce: u32,
        /// Write this lifetime; `None`: leave it.
        lifetime: Option<Duration>,
        /// MARS link header to send with it.
        header: MarsHeader,
    },
    /// The handle is a Data.
    Data {
        /// PIT token of this downstream.
        pit_token: Option<PitToken>,
        /// MARS link header to send with it.
        header: MarsHeader,
    },
    /// The handle is the Interest that is returned in a Nack.
    Nack {
        /// Write this nonce, the one that this downstream used.
        nonce: u32,
        /// The `NDNLPv2` reason.
        reason: NackReason,
        /// PIT token of this downstream.
        pit_token: Option<PitToken>,
        /// MARS link header to send with it.
        header: MarsHeader,
    },
}

impl Edit {
    /// The MARS link header to send.
    #[must_use]
    pub const fn header(&self) -> &MarsHeader {
        match self {
            Self::Interest { header, .. }
            | Self::Data { header, .. }
            | Self::Nack { header, .. } => header,
        }
    }

    /// What the other end of a link is told, where packets travel as values and not as octets: in
    /// simulators and model checkers. The packet comes in over `face` of the receiver; `lifetime`
    /// and `hop_limit` are those that an Interest arrives with. PIT tokens do not travel, and Data
    /// is never fresh.
    #[must_use]
    pub fn arrival<'a, P>(
        &self,
        face: FaceId,
        name: Name<'a>,
        lifetime: Duration,
        hop_limit: Option<u8>,
        packet: P,
    ) -> Input<'a, P> {
        let header = *self.header();
        match *self {
            Self::Interest { nonce, .. } => Input::Interest {
                face,
                interest: Interest {
                    name,
                    nonce: Some(nonce),
                    lifetime,
                    hop_limit,
                    pit_token: None,
                    must_be_fresh: false,
                    header,
                },
                packet,
            },
            Self::Data { .. } => Input::Data {
                face,
                data: Data {
                    name,
                    freshness: None,
                    octets: 0,
                    header,
                },
                packet,
            },
            Self::Nack { nonce, reason, .. } => Input::Nack {
                face,
                nack: Nack {
                    name,
                    nonce: Some(nonce),
                    reason,
                    header,
                },
            },
        }
    }
}

/// One thing to do, a fact, or the end of the drain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output<P> {
    /// Send a packet.
    Transmit {
        /// Over this face.
        face: FaceId,
        /// After writing this into it.
        edit: Edit,
        /// The host's handle.
        packet: P,
    },
    /// A fact; the host may drop it.
    Event(Event),
    /// Nothing more; wake the forwarder at this time, if any.
    Timeout(Option<Instant>),
}

/// A fact, reported once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A packet was dropped or refused.
    Dropped {
        /// The face that it came from.
        face: FaceId,
        /// Why.
        reason: DropReason,
    },
    /// An upstream face became valid for a dest.
    PathFound {
        /// The dest.
        dest: NameBuf,
        /// The upstream face.
        face: FaceId,
        /// Closest rank learnt from it; `None`: it stands outside the rank order (plain NDN).
        rank: Option<Rank>,
    },
    /// An upstream face is no longer valid for a dest.
    PathLost {
        /// The dest.
        dest: NameBuf,
        /// The upstream face.
        face: FaceId,
    },
    /// Discovery of a dest has converged at this node.
    Converged {
        /// The dest.
        dest: NameBuf,
    },
    /// Discovery gave an upstream face up for this round.
    FaceRefused {
        /// The dest.
        dest: NameBuf,
        /// The upstream face.
        face: FaceId,
        /// Why.
        reason: Refusal,
    },
    /// A valid upstream face refused data again and again: it is out of use for a while.
    PathSuspended {
        /// The dest.
        dest: NameBuf,
        /// The upstream face.
        face: FaceId,
        /// Tried again from then on, with one Interest at a time.
        until: Instant,
    },
    /// A suspended face brought Data: it is in full use again.
    PathResumed {
        /// The dest.
        dest: NameBuf,
        /// The upstream face.
        face: FaceId,
    },
}

/// Why discovery gave an upstream face up for a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// It refused the edge (Nack order), or its rank is not closer to the producer than the node's.
    Order,
    /// It has no path (Nack no-route).
    NoRoute,
    /// It had seen three probes in a row before (Nack duplicate).
    Duplicates,
    /// Four probes in a row stayed without an answer.
    Silence,
}

/// Why a packet was dropped or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// Hop limit used up.
    HopLimit,
    /// Same name and nonce from the same face: a copy.
    Copy,
    /// Same nonce from another face: a loop (Nack duplicate was sent).
    Loop,
    /// Data or Nack that nobody waits for.
    Unsolicited,
    /// The dest's Interest queue is full (Nack queue-full was sent).
    QueueFull,
    /// No upstream (Nack no-route was sent).
    NoRoute,
    /// The PIT is at its cap, or this face holds as many entries as are left free.
    PitFull,
    /// The dest table is at its cap, or this face holds as many dests as are left free.
    DestsFull,
    /// Retransmission too soon after the last transmission.
    Suppressed,
}

impl DropReason {
    /// All reasons, in order.
    pub const ALL: [Self; 9] = [
        Self::HopLimit,
        Self::Copy,
        Self::Loop,
        Self::Unsolicited,
        Self::QueueFull,
        Self::NoRoute,
        Self::PitFull,
        Self::DestsFull,
        Self::Suppressed,
    ];

    pub(crate) const COUNT: usize = Self::ALL.len();
}
