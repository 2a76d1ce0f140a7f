//! A consumer that asks so often and no more.

use mars_consumer_core::SpecName;
use mars_wire::{MarsHeader, NackDetail};

use super::packet::Packet;

/// A consumer that asks a fixed number of times: the next when the last was answered or refused.
#[derive(Clone, Debug)]
pub(super) struct Prober {
    src: u8,
    pub(super) left: u8,
    seq: u64,
    probe_idx: u64,
    generation: u32,
    nonce: u32,
    waits: bool,
}

impl Prober {
    pub(super) fn new(src: u8, probes: u8, seed: u64) -> Self {
        Self {
            src,
            left: probes,
            seq: 0,
            probe_idx: 0,
            generation: 0,
            nonce: u32::try_from(seed & 0xFFFF).unwrap_or(0) << 8,
            waits: false,
        }
    }

    pub(super) fn next(&mut self, impatient: bool) -> Option<(Packet, u32, MarsHeader)> {
        if self.left == 0 || (self.waits && !impatient) {
            return None;
        }
        self.waits = true;
        self.left -= 1;
        self.nonce += 1;
        let packet = Packet::probe(self.src, self.probe_idx, self.seq);
        self.seq += 1;
        let header = MarsHeader {
            generation: Some(self.generation),
            ..MarsHeader::default()
        };
        Some((packet, self.nonce, header))
    }

    pub(super) fn heard(&mut self, name: SpecName, header: &MarsHeader) {
        let SpecName::Discovery { probe_idx, .. } = name else {
            return;
        };
        self.waits = false;
        if let Some(generation) = header.generation
            && (header.label.is_some() || header.nack_detail == Some(NackDetail::Stale))
        {
            self.generation = self.generation.max(generation);
        }
        if header.tier_conv && probe_idx == self.probe_idx {
            self.probe_idx += 1;
        }
    }
}
