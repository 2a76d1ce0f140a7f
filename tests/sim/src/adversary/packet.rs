//! What travels between nodes: packets as values.

use std::time::Duration;

use mars_consumer_core::SpecName;
use mars_forwarder_core::Edit;
use mars_wire::{Component, MarsName, NameBuf};

pub(super) const HOP_LIMIT: u8 = 32;
const LIFETIME: Duration = Duration::from_secs(2);

/// What an Interest or a Data is about: all that its octets would say and no link header does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Which name.
    pub name: SpecName,
    /// Who discovers; 0 for data.
    pub src: u8,
    /// Of the Interest.
    pub lifetime: Duration,
    /// Of the Interest.
    pub hop_limit: Option<u8>,
}

impl Packet {
    /// A discovery Interest as an application sends it.
    #[must_use]
    pub const fn probe(src: u8, probe_idx: u64, seq: u64) -> Self {
        Self {
            name: SpecName::Discovery { probe_idx, seq },
            src,
            lifetime: LIFETIME,
            hop_limit: Some(HOP_LIMIT),
        }
    }

    /// Its name. There is one dest.
    #[must_use]
    pub fn name(&self) -> NameBuf {
        let dest = dest();
        let dest = dest.as_name();
        let src = [self.src];
        match self.name {
            SpecName::Discovery { probe_idx, seq } => MarsName::Discovery {
                dest,
                src: Component::generic(&src),
                probe_idx,
                seq,
            }
            .to_name_buf(),
            SpecName::Data { segment } => MarsName::Data { dest, segment }.to_name_buf(),
        }
    }
}

/// The dest of all worlds.
pub(super) fn dest() -> NameBuf {
    NameBuf::new().generic(b"p")
}

/// A packet with what was written into it on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The packet.
    pub packet: Packet,
    /// What was written.
    pub edit: Edit,
}

/// An Interest carries its lifetime and hop limit on.
pub(super) fn written(mut packet: Packet, edit: &Edit) -> Packet {
    if let Edit::Interest {
        hop_limit,
        lifetime,
        ..
    } = edit
    {
        packet.hop_limit = *hop_limit;
        packet.lifetime = lifetime.unwrap_or(packet.lifetime);
    }
    packet
}
