//! What a forwarder shows of itself.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::{Name, Rank};

use crate::dest::Dest;
use crate::forwarder::Forwarder;
use crate::upstream::Upstream;
use crate::{Counters, FaceId};

impl<P: Clone> Forwarder<P> {
    /// What it holds about `dest`, if anything.
    #[must_use]
    pub fn dest(&self, dest: Name<'_>) -> Option<DestView<'_, P>> {
        let ix = self.find_dest(self.hash.of(dest.as_value()), dest)?;
        Some(DestView {
            forwarder: self,
            dest: self.dests.get(ix)?,
        })
    }

    /// All dests with state, in no particular (but repeatable) order.
    pub fn dests(&self) -> impl Iterator<Item = DestView<'_, P>> {
        let view = |(_, dest)| DestView {
            forwarder: self,
            dest,
        };
        self.dests.iter().map(view)
    }

    /// Interests pending.
    #[must_use]
    pub fn pending(&self) -> u32 {
        self.pit.len()
    }

    /// What has happened since the start, in numbers.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Data in the content store.
    #[must_use]
    pub fn cached(&self) -> u32 {
        self.cache.len()
    }
}

/// What a forwarder holds about one dest, for inspection.
#[derive(Clone, Copy, Debug)]
pub struct DestView<'a, P> {
    forwarder: &'a Forwarder<P>,
    dest: &'a Dest,
}

/// One valid upstream face of a dest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidUpstream {
    /// The face.
    pub face: FaceId,
    /// Its hop count by routing.
    pub hops: u32,
    /// Closest rank learnt from it; `None`: it stands outside the rank order (plain NDN).
    pub rank: Option<Rank>,
    /// Interests that may be in flight over it for this dest.
    pub window: u32,
    /// Interests in flight over it for this dest.
    pub in_flight: u32,
    /// Smoothed round-trip time, of data if there was any, else of probes.
    pub srtt: Option<Duration>,
    /// Out of use until then, after repeated refusals; later, tried with one Interest at a time.
    pub suspended: Option<Instant>,
}

impl<'a, P> DestView<'a, P> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> Name<'a> {
        self.dest.name.as_name()
    }

    /// The node's own rank, if it ever had a label.
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        self.dest.rank
    }

    /// Generation that the node works in.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.dest.generation
    }

    /// Valid upstream faces that are up, shortest tier first.
    pub fn valid_upstreams(&self) -> impl Iterator<Item = ValidUpstream> + use<'a, P> {
        let faces = &self.forwarder.faces;
        let valid = self.dest.upstreams.iter().filter(|u| u.is_valid());
        valid.filter_map(|u: &Upstream| {
            Some(ValidUpstream {
                face: faces.get(u.face)?.id,
                hops: u.hops,
                rank: u.learnt(),
                window: u.cc.window(),
                in_flight: u.cc.in_flight(),
                srtt: u.srtt(),
                suspended: u.health.until(),
            })
        })
    }

    /// Interests that wait for release.
    #[must_use]
    pub fn queue_len(&self) -> usize {
        self.dest.queue.len()
    }

    /// Whether discovery has converged here: there is a path, and nothing is left to be probed.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.dest.has_converged()
    }
}
