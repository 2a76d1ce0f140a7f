//! What a node holds about one dest: its rank, its upstream faces and their standing, the
//! downstream faces that asked, the Interest queue.

use alloc::vec::Vec;
use core::time::Duration;

use mars_cc::Controller;
use mars_time::Instant;
use mars_wire::{Label, NameBuf, Rank};

use crate::face::FaceIx;
use crate::fib::FibIx;
use crate::queue::Queue;
use crate::tier;

/// Index of a dest.
pub(crate) type DestIx = u32;

/// Answers without `TierConv` within one tier after which a face no longer holds up convergence.
const MAX_ANSWERS: u8 = 16;
/// Silent probes in a row after which a face is refused for the round.
const MAX_SILENT: u8 = 4;
/// Duplicate Nacks in a row after which a face is refused for the round.
const MAX_DUPLICATES: u8 = 3;
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
    /// Last time that a packet named it.
    pub(crate) used: Instant,
    /// When pacing or an exclusion lets queued Interests go on.
    pub(crate) wake: Option<Instant>,
    /// When lifetimes are looked at next.
    pub(crate) check: Instant,
    /// Stands in the list of work.
    pub(crate) stirred: bool,
}

/// One next hop.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) face: FaceIx,
    pub(crate) hops: u32,
    pub(crate) up: bool,
    pub(crate) standing: Standing,
    /// In `PendingConverged`: the tier is not done before it has answered.
    pub(crate) pending: bool,
    /// Probes in flight.
    pub(crate) probes: u16,
    /// Last Data over it.
    pub(crate) heard: Instant,
    answers: u8,
    silent: u8,
    duplicates: u8,
    /// Doublings of the time that a probe waits, after silence.
    patience: u8,
    /// Smoothed RTT of probes.
    probe_rtt: Option<Duration>,
    /// Level P of the control law.
    pub(crate) cc: Controller,
    /// Whether the dest stands in the face's rotation.
    pub(crate) waiting: bool,
    /// Data Interests refused in a row.
    refusals: u8,
    /// Out of use for data until then.
    pub(crate) excluded: Option<Instant>,
}

/// What discovery knows of a next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing yet.
    Unknown,
    /// Not to be used in this round.
    Refused,
    /// Likewise, but only because it was silent: probed again when nothing else is left, since at
    /// heavy loss good faces fall silent too.
    Silent,
    /// In `ValidUpstream`.
    Valid {
        /// Closest rank learnt from it; `None`: it stands outside the order.
        rank: Option<Rank>,
        /// `NodeConv` was heard from it.
        node_conv: bool,
    },
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

impl Upstream {
    pub(crate) fn new(face: FaceIx, hops: u32, up: bool, cc: &Controller) -> Self {
        Self {
            face,
            hops,
            up,
            standing: Standing::Unknown,
            pending: false,
            probes: 0,
            heard: Instant::ZERO,
            answers: 0,
            silent: 0,
            duplicates: 0,
            patience: 0,
            probe_rtt: None,
            cc: *cc,
            waiting: false,
            refusals: 0,
            excluded: None,
        }
    }

    /// In `ValidUpstream`, as discovery sees it.
    pub(crate) const fn is_valid(&self) -> bool {
        self.up && matches!(self.standing, Standing::Valid { .. })
    }

    /// Valid, and not out of use for a while.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        self.is_valid() && self.excluded.is_none_or(|until| until <= now)
    }

    /// Up, but refused for silence.
    pub(crate) const fn is_silent(&self) -> bool {
        self.up && matches!(self.standing, Standing::Silent)
    }

    pub(crate) const fn learnt(&self) -> Option<Rank> {
        match self.standing {
            Standing::Valid { rank, .. } => rank,
            Standing::Unknown | Standing::Refused | Standing::Silent => None,
        }
    }

    const fn node_conv(&self) -> bool {
        match self.standing {
            Standing::Valid {
                node_conv, rank, ..
            } => node_conv || rank.is_none(),
            Standing::Unknown | Standing::Refused | Standing::Silent => false,
        }
    }

    /// Smoothed RTT, from data if there is any, else from probes.
    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.cc.srtt().or(self.probe_rtt)
    }

    /// How long to wait for the answer to a probe if the downstream waits for `left`.
    ///
    /// Four RTTs, at least 60 ms; before a sample 250 ms and another 100 ms for each hop to the
    /// producer; twice as long after each silence. In any case shorter than the downstream, by one
    /// share of what the hops that are still to come divide among themselves, so that of all nodes
    /// on the way the one next to a silence notices it first.
    pub(crate) fn probe_wait(&self, left: Duration) -> Duration {
        let hops = self.hops.min(255);
        let wait = match self.srtt() {
            Some(srtt) => srtt.saturating_mul(4).max(Duration::from_millis(60)),
            None => Duration::from_millis(250) + Duration::from_millis(100) * hops.min(16),
        };
        let wait = wait.saturating_mul(1 << self.patience.min(4));
        wait.min(left / (hops + 3) * (hops + 2))
    }

    /// Whether an answer can be here before the downstream gives up in `left`.
    pub(crate) fn may_answer_within(&self, left: Duration) -> bool {
        let guess = Duration::from_millis(20) * self.hops.min(16);
        left > self.srtt().unwrap_or(guess)
    }

    pub(crate) fn sample_probe_rtt(&mut self, rtt: Duration) {
        self.patience = 0;
        self.probe_rtt = Some(match self.probe_rtt {
            Some(old) => (old * 7 + rtt) / 8,
            None => rtt,
        });
    }

    /// Any Data over the face: it is alive.
    pub(crate) fn was_heard(&mut self, now: Instant) {
        self.silent = 0;
        self.duplicates = 0;
        self.refusals = 0;
        self.heard = now;
    }

    /// A probe's answer carried these flags.
    pub(crate) fn answered(&mut self, tier_conv: bool, conv: bool) {
        if let Standing::Valid { node_conv, .. } = &mut self.standing {
            *node_conv |= conv;
        }
        self.answers = self.answers.saturating_add(1);
        if tier_conv || self.answers >= MAX_ANSWERS {
            self.pending = false;
        }
    }

    /// A probe sent at `sent` stayed without an answer; true if that was once too often. A face
    /// that has answered a later one is not silent: that one probe was lost.
    pub(crate) fn fell_silent(&mut self, sent: Instant) -> bool {
        if self.heard > sent {
            return false;
        }
        self.silent = self.silent.saturating_add(1);
        self.patience = self.patience.saturating_add(1);
        self.silent >= MAX_SILENT
    }

    /// It said that it could not answer now, without fault of its own.
    pub(crate) fn was_busy(&mut self) {
        self.patience = self.patience.saturating_add(1);
        self.answered(false, false);
    }

    /// It had seen the probe before; true if that was once too often.
    pub(crate) fn was_duplicate(&mut self) -> bool {
        self.duplicates = self.duplicates.saturating_add(1);
        self.duplicates >= MAX_DUPLICATES
    }

    /// It refused a data Interest. After three in a row it is out of use for 100 ms, then 200 ms,
    /// up to 6.4 s.
    pub(crate) fn refused_data(&mut self, now: Instant) {
        self.refusals = self.refusals.saturating_add(1);
        if let Some(doublings) = self.refusals.checked_sub(3) {
            self.excluded = Some(now + Duration::from_millis(100 << doublings.min(6)));
        }
    }
}

impl Dest {
    pub(crate) fn new(name: NameBuf, hash: u64, now: Instant) -> Self {
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

    /// Whether a data Interest from `face` has anywhere to go.
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
            upstream.pending = false;
            upstream.answers = 0;
            upstream.silent = 0;
            upstream.duplicates = 0;
            match &mut upstream.standing {
                Standing::Refused | Standing::Silent => upstream.standing = Standing::Unknown,
                Standing::Valid { node_conv, .. } => *node_conv = false,
                Standing::Unknown => {}
            }
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
        let expiry = ranked.map(|u| u.heard + lifetime).min();
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
