//! What a node holds about one dest: its rank, its upstream faces and their standing, the
//! downstream faces that asked, the Interest queue.

use alloc::vec::Vec;
use core::time::Duration;

use mars_time::Instant;
use mars_wire::{Label, NameBuf, Rank};

use crate::face::FaceIx;
use crate::fib::FibIx;
use crate::parked::Parked;
use crate::queue::Queue;
use crate::tier;
use crate::upstream::{Standing, Upstream};

/// Index of a dest.
pub(crate) type DestIx = u32;

/// How far a generation may jump at once.
const MAX_JUMP: u32 = 16;
/// How soon it may jump again.
const JUMP_REST: Duration = Duration::from_secs(1);
/// A node whose discovery converged longer ago than this probes all its faces again when asked.
const ROUND_REST: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Dest {
    pub(crate) name: NameBuf,
    pub(crate) hash: u64,
    /// Longest matching prefix.
    pub(crate) fib: Option<FibIx>,
    /// Local face that answers for it: this node is the producer's forwarder.
    pub(crate) producer: Option<FaceIx>,
    /// Next hops within theta, sorted by (hops, face).
    pub(crate) upstreams: Vec<Upstream>,
    /// Faces that sent discovery Interests.
    pub(crate) downstreams: Vec<Downstream>,
    /// Generation that the node works in; never below that of `rank`.
    pub(crate) generation: u32,
    /// When the generation last jumped.
    jumped: Option<Instant>,
    /// The node's own rank. Only ever moves closer to the producer.
    pub(crate) rank: Option<Rank>,
    /// Highest `ProbeIdx` followed.
    probe_idx: u64,
    /// Hop count of the tier being probed.
    tier: Option<u32>,
    /// When discovery last converged here.
    pub(crate) converged: Option<Instant>,
    /// Whose turn it is when probes rotate over the valid faces.
    turn: usize,
    /// Interests that wait for a window.
    pub(crate) queue: Queue,
    /// PIT entries that name it.
    pub(crate) pending: u32,
    /// The face whose Interest opened it; it counts among what that face may open.
    pub(crate) opened_by: FaceIx,
    /// Interests that were asked for in vain, until a path appears where there was none.
    pub(crate) parked: Parked,
    /// Last time that a packet named it.
    pub(crate) used: Instant,
    /// When pacing or the end of a suspension lets queued Interests go on.
    pub(crate) wake: Option<Instant>,
    /// When lifetimes are looked at next.
    pub(crate) check: Instant,
    /// Stands in the list of work.
    pub(crate) stirred: bool,
}

/// One face that sent discovery Interests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Downstream {
    pub(crate) face: FaceIx,
    /// A face that probes came in over is never an upstream of a longer tier.
    pub(crate) ingress: bool,
    /// Its bound in the present generation.
    bound: Option<Label>,
    /// Times that this node lowered its label for it in this generation.
    pub(crate) lowered: u8,
}

impl Dest {
    pub(crate) fn new(name: NameBuf, hash: u64, opened_by: FaceIx, now: Instant) -> Self {
        Self {
            name,
            hash,
            fib: None,
            producer: None,
            upstreams: Vec::new(),
            downstreams: Vec::new(),
            generation: 0,
            jumped: None,
            rank: None,
            probe_idx: 0,
            tier: None,
            converged: None,
            turn: 0,
            queue: Queue::default(),
            pending: 0,
            opened_by,
            parked: Parked::default(),
            used: now,
            wake: None,
            check: Instant::MAX,
            stirred: false,
        }
    }

    pub(crate) fn upstream(&self, face: FaceIx) -> Option<&Upstream> {
        self.upstreams.iter().find(|u| u.face == face)
    }

    pub(crate) fn upstream_mut(&mut self, face: FaceIx) -> Option<&mut Upstream> {
        self.upstreams.iter_mut().find(|u| u.face == face)
    }

    pub(crate) fn has_valid(&self) -> bool {
        self.upstreams.iter().any(Upstream::is_valid)
    }

    /// Whether data Interests have anywhere to go but over `face`.
    pub(crate) fn has_usable(&self, now: Instant, face: FaceIx) -> bool {
        self.upstreams
            .iter()
            .any(|u| u.is_usable(now) && u.face != face)
    }

    /// Whether the node can answer a probe: it is the producer's forwarder, or it is labelled and
    /// has a valid upstream, or one that stands outside the order.
    pub(crate) fn can_answer(&self) -> bool {
        let labelled = self.label().is_some();
        let answers = |u: &Upstream| u.is_valid() && (labelled || u.learnt().is_none());
        self.producer.is_some() || self.upstreams.iter().any(answers)
    }

    /// Labelled in the generation that the node works in.
    pub(crate) fn label(&self) -> Option<Label> {
        self.rank
            .filter(|rank| rank.generation == self.generation)
            .map(|rank| rank.label)
    }

    // ---- generations

    /// Goes over to a newer generation if that is allowed: at most 16 ahead, once a second. One
    /// that is farther ahead is approached by 16. False if the node does not work in it now.
    pub(crate) fn adopt(&mut self, generation: u32, now: Instant) -> bool {
        if generation <= self.generation {
            return generation == self.generation;
        }
        if self
            .jumped
            .is_some_and(|at| now.saturating_duration_since(at) <= JUMP_REST)
        {
            return false;
        }
        self.jumped = Some(now);
        self.generation = generation.min(self.generation.saturating_add(MAX_JUMP));
        self.new_round();
        self.probe_idx = 0;
        for downstream in &mut self.downstreams {
            *downstream = Downstream::new(downstream.face);
        }
        self.generation == generation
    }

    /// Forgets tiers and refusals. Labels, valid faces and the data over them stay.
    fn new_round(&mut self) {
        self.tier = None;
        self.converged = None;
        for upstream in &mut self.upstreams {
            upstream.start_round();
        }
    }

    // ---- tiers

    /// Follows the consumer's index: one step per probe at most, whatever it says. The first probe
    /// opens the first tier; a later one the next tier, once the present one has converged.
    pub(crate) fn follow(&mut self, probe_idx: u64, now: Instant) {
        let rested = |at: Instant| now.saturating_duration_since(at) > ROUND_REST;
        if self.tier.is_none() {
            self.step();
        } else if self.converged.is_some_and(rested) {
            self.new_round();
            self.step();
        }
        if probe_idx > self.probe_idx {
            self.probe_idx += 1;
            if self.tier_conv() {
                self.step();
            }
        }
    }

    /// Opens the next tier: its faces that are neither ingress nor refused are to be probed, then
    /// the valid ones that have not converged. False if there is no tier left.
    pub(crate) fn step(&mut self) -> bool {
        let next = tier::next_tier(self.tier, self.upstreams.iter().map(|u| u.hops));
        if let Some(hops) = next {
            self.tier = Some(hops);
        }
        let Self {
            upstreams,
            downstreams,
            ..
        } = self;
        for upstream in upstreams {
            upstream.answers = 0;
            upstream.pending = upstream.up
                && match upstream.standing {
                    Standing::Valid { .. } => !upstream.node_conv(),
                    Standing::Refused | Standing::Silent => false,
                    // A face of an earlier tier that has not answered yet stays.
                    Standing::Unknown => {
                        (upstream.pending || next == Some(upstream.hops))
                            && !is_ingress(downstreams, upstream.face)
                    }
                };
        }
        next.is_some()
    }

    /// Faces that came (back) while their tier or a later one was being probed are probed too.
    pub(crate) fn probe_newcomers(&mut self) {
        let Self {
            upstreams,
            downstreams,
            tier,
            converged,
            ..
        } = self;
        for upstream in upstreams {
            if upstream.up
                && upstream.standing == Standing::Unknown
                && tier.is_some_and(|tier| upstream.hops <= tier)
                && !is_ingress(downstreams, upstream.face)
            {
                upstream.pending = true;
                *converged = None;
            }
        }
    }

    /// `TierConv`: nothing is left to be probed in this tier.
    pub(crate) fn tier_conv(&self) -> bool {
        self.producer.is_some() || !self.upstreams.iter().any(|u| u.pending)
    }

    /// `NodeConv`: nor in any other, here or farther up.
    pub(crate) fn node_conv(&self) -> bool {
        let done = |u: &Upstream| !u.is_valid() || u.node_conv();
        self.producer.is_some()
            || self.tier_conv()
                && tier::next_tier(self.tier, self.upstreams.iter().map(|u| u.hops)).is_none()
                && self.upstreams.iter().all(done)
    }

    /// `NodeConv` with something to show for it.
    pub(crate) fn has_converged(&self) -> bool {
        self.can_answer() && self.node_conv()
    }

    /// The face for the next probe, out of those that `may` take it: a pending one (new before
    /// known, then the fewest probes in flight), else the next valid one in rotation.
    pub(crate) fn choose_probe_face(&mut self, may: impl Fn(&Upstream) -> bool) -> Option<FaceIx> {
        let pending = self
            .upstreams
            .iter()
            .filter(|u| u.pending && u.up && may(u))
            .min_by_key(|u| (u.is_valid(), u.probes));
        if let Some(upstream) = pending {
            return Some(upstream.face);
        }
        let count = self.upstreams.len();
        let turn = self.turn;
        let next = (0..count)
            .filter_map(|i| Some(((turn + i) % count, self.upstreams.get((turn + i) % count)?)))
            .find(|(_, u)| u.is_valid() && may(u));
        let (at, upstream) = next?;
        self.turn = (at + 1) % count;
        Some(upstream.face)
    }

    /// The last resort: the face that was refused for silence and has the fewest probes in flight.
    pub(crate) fn choose_silent_face(&self, may: impl Fn(&Upstream) -> bool) -> Option<FaceIx> {
        let silent = self.upstreams.iter().filter(|u| u.is_silent() && may(u));
        Some(silent.min_by_key(|u| u.probes)?.face)
    }

    // ---- downstreams and bounds

    /// Notes an ingress face; it leaves `PendingConverged` unless it is a valid upstream.
    pub(crate) fn note_ingress(&mut self, face: FaceIx, bound: Option<Label>) {
        let known = self.downstreams.iter().position(|d| d.face == face);
        let at = known.unwrap_or_else(|| {
            self.downstreams.push(Downstream::new(face));
            self.downstreams.len() - 1
        });
        if let Some(downstream) = self.downstreams.get_mut(at) {
            downstream.ingress = true;
            downstream.bound = bound.or(downstream.bound);
        }
        if let Some(upstream) = self.upstream_mut(face)
            && !upstream.is_valid()
        {
            upstream.pending = false;
        }
    }

    pub(crate) fn leave_ingress(&mut self, face: FaceIx) {
        if let Some(downstream) = self.downstreams.iter_mut().find(|d| d.face == face) {
            downstream.ingress = false;
            downstream.bound = None;
        }
    }

    pub(crate) fn bound_of(&self, face: FaceIx) -> Option<Label> {
        self.downstreams.iter().find(|d| d.face == face)?.bound
    }

    pub(crate) fn bounds(&self) -> impl Iterator<Item = Label> {
        self.downstreams.iter().filter_map(|d| d.bound)
    }

    // ---- lifetime

    /// When the next valid face expires for want of Data, or the whole state may be forgotten.
    pub(crate) fn next_expiry(&self, lifetime: Duration) -> Instant {
        let ranked = self.upstreams.iter().filter(|u| u.learnt().is_some());
        let expiry = ranked.map(|u| u.asked + lifetime).min();
        expiry.unwrap_or(Instant::MAX).min(self.forget_at(lifetime))
    }

    /// A rank is kept for twice the path lifetime after last use; without one there is nothing
    /// that must be remembered.
    pub(crate) fn forget_at(&self, lifetime: Duration) -> Instant {
        let keep = if self.rank.is_some() {
            lifetime.saturating_mul(2)
        } else {
            lifetime
        };
        self.used + keep
    }
}

impl Downstream {
    const fn new(face: FaceIx) -> Self {
        Self {
            face,
            ingress: false,
            bound: None,
            lowered: 0,
        }
    }
}

fn is_ingress(downstreams: &[Downstream], face: FaceIx) -> bool {
    downstreams.iter().any(|d| d.face == face && d.ingress)
}
