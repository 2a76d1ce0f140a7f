//! What a reassembler gives out, and what it reports.

use mars_time::Instant;

use crate::LpPacket;

/// One packet, a fact, or the end of the drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
#[allow(
    clippy::large_enum_variant,
    reason = "it is taken apart where it was polled"
)]
pub enum Output<'a> {
    /// A packet is here, whole. What is inside is not looked into: see [`LpPacket::body`].
    Packet(LpPacket<'a>),
    /// A fact; the host may drop it.
    Event(Event),
    /// Nothing more; wake the reassembler at this time, if any.
    Timeout(Option<Instant>),
}

/// A fact, reported once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A fragment was refused. What is held is as it was.
    Refused {
        /// Message that it claimed to be of: Sequence of its first fragment.
        message: u64,
        /// Why.
        reason: RefuseReason,
    },
    /// A message was given up, and what was held of it is gone.
    Dropped {
        /// The message: Sequence of its first fragment.
        message: u64,
        /// Fragments that had arrived.
        received: u16,
        /// Fragments that it has.
        count: u16,
        /// Why.
        reason: DropReason,
    },
}

/// Why a fragment was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefuseReason {
    /// Its `FragCount` is above [`Config::max_fragments`](crate::reassembler::Config::max_fragments).
    TooManyFragments,
    /// It has no octets.
    Empty,
    /// Its `FragCount` is not that of the fragment of this message that came first.
    CountDiffers,
    /// With it the packet would be longer than [`MAX_PACKET`](crate::MAX_PACKET) octets.
    TooLong,
}

/// Why a message was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// No new fragment came for [`Config::lifetime`](crate::reassembler::Config::lifetime).
    Expired,
    /// It was the stalest when another message began and
    /// [`Config::max_messages`](crate::reassembler::Config::max_messages) were in progress.
    MessageCap,
    /// It was the stalest when a fragment came for which there was no room within
    /// [`Config::max_octets`](crate::reassembler::Config::max_octets).
    OctetCap,
}
