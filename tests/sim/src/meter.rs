//! What is measured while a run goes on. Nothing here is read back by a node.

use std::collections::BTreeMap;
use std::time::Duration;

use mars_forwarder_core::DropReason;
use mars_time::Instant;

use crate::packet::{Body, Kind};

/// One consumer's fetch, or its discovery if it fetches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowMeter {
    /// When its consumer started.
    pub start: Instant,
    /// When its first data Interest left.
    pub first_data_interest: Option<Instant>,
    /// When the first path was found.
    pub first_path: Option<Duration>,
    /// When discovery had converged.
    pub discovered: Option<Duration>,
    /// Discovery Interests sent.
    pub probes: u64,
    /// Data Interests sent, retransmissions included.
    pub interests: u64,
    /// Segments delivered.
    pub segments: u64,
    /// Octets delivered.
    pub octets: u64,
    /// Time from start to the last segment.
    pub completed: Option<Duration>,
    /// Why it gave up, if it did.
    pub gave_up: Option<String>,
    /// Whether the digest of what was delivered is the object's; `None`: not looked at.
    pub verified: Option<bool>,
}

impl FlowMeter {
    /// Whether nothing more will happen to it.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.completed.is_some() || self.gave_up.is_some()
    }
}

/// Interests that met a node twice, per dest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DestMeter {
    /// When a discovery packet of the dest was last handled anywhere.
    pub last_discovery: Instant,
    /// Interests that met a node twice and were sent after the last discovery packet.
    pub looped: u64,
    /// Interests that met a node twice while discovery was going on.
    pub revisits: u64,
}

/// Largest packets on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// A discovery Interest.
    pub interest: u32,
    /// A discovery Data.
    pub data: u32,
    /// A Nack of a discovery Interest.
    pub nack: u32,
    /// Any packet.
    pub any: u32,
}

/// All that is measured.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Per flow.
    pub flows: Vec<FlowMeter>,
    /// Per dest.
    pub dests: Vec<DestMeter>,
    /// Largest packets.
    pub sizes: Sizes,
    /// Packets that forwarders dropped, by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Nodes whose valid upstreams changed since this was last taken.
    pub changed: Vec<u32>,
    /// Times that a machine refused an input or broke its contract: faults of this host, or of the
    /// machine; a run with any of them fails.
    pub faults: Vec<String>,
}

impl Meter {
    /// For so many flows and dests.
    #[must_use]
    pub fn new(flows: usize, dests: usize) -> Self {
        Self {
            flows: vec![FlowMeter::default(); flows],
            dests: vec![DestMeter::default(); dests],
            ..Self::default()
        }
    }

    /// Notes the size of a packet that is being sent.
    pub fn note_size(&mut self, body: &Body, nack: bool, octets: u32) {
        self.sizes.any = self.sizes.any.max(octets);
        if !body.discovery {
            return;
        }
        let largest = match body.kind {
            _ if nack => &mut self.sizes.nack,
            Kind::Interest { .. } => &mut self.sizes.interest,
            Kind::Data { .. } => &mut self.sizes.data,
        };
        *largest = (*largest).max(octets);
    }

    /// Notes an Interest that met a node twice.
    pub fn note_revisit(&mut self, dest: u32, born: Instant) {
        let Some(dest) = self.dests.get_mut(dest as usize) else {
            return;
        };
        if born > dest.last_discovery {
            dest.looped += 1;
        } else {
            dest.revisits += 1;
        }
    }

    /// Notes a packet that a forwarder dropped.
    pub fn note_drop(&mut self, reason: DropReason) {
        let name = match reason {
            DropReason::HopLimit => "hop_limit",
            DropReason::Copy => "copy",
            DropReason::Loop => "loop",
            DropReason::Unsolicited => "unsolicited",
            DropReason::QueueFull => "queue_full",
            DropReason::NoRoute => "no_route",
            DropReason::PitFull => "pit_full",
            DropReason::DestsFull => "dests_full",
            DropReason::Suppressed => "suppressed",
            _ => "other",
        };
        *self.drops.entry(name).or_default() += 1;
    }

    /// Notes a fault; the first few say all.
    pub fn note_fault(&mut self, fault: impl FnOnce() -> String) {
        if self.faults.len() < 16 {
            self.faults.push(fault());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revisit_is_a_loop_only_once_discovery_is_quiet() {
        let mut meter = Meter::new(0, 1);
        meter.dests[0].last_discovery = Instant::from_millis(5);
        meter.note_revisit(0, Instant::from_millis(5));
        meter.note_revisit(0, Instant::from_millis(6));
        meter.note_revisit(9, Instant::from_millis(6));
        assert_eq!((meter.dests[0].revisits, meter.dests[0].looped), (1, 1));
    }
}
