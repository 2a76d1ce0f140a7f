//! Path discovery at one node: what it does with a probe, an answer, a refusal, a silence.
//!
//! Safety is one comparison, made wherever a face becomes valid or the node's rank changes: the
//! closest rank ever learnt from a valid face is strictly closer to the producer than the node's
//! own. Everything else here decides how fast and how many paths are found, never whether the
//! union of valid edges stays acyclic.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::{Label, MarsHeader, NackDetail, NackReason, Rank};

use crate::config::RankRule;
use crate::dest::{DestIx, Standing, Upstream};
use crate::face::FaceIx;
use crate::forwarder::{Forwarder, name_of, saturate};
use crate::input::{Data, Interest, Nack};
use crate::output::{DropReason, Edit, Event};
use crate::pit::{InRecord, Kind, OutIx, OutRecord, OutState, PitIx};
use crate::{FaceKind, rank};

/// Times that a node asks an upstream again for one probe because labels moved meanwhile.
const MAX_ASKED_AGAIN: u8 = 4;
/// Times that a node lowers its label for one downstream in one generation: an attacker that asks
/// lower and lower would use the label up.
const MAX_LOWERED: u8 = 4;

/// What an answer makes of the face that it came from.
enum Verdict {
    Valid(Option<Rank>),
    /// Labels moved while it was on its way: ask once more, blame nobody.
    AskAgain,
    Refuse,
}

impl<P: Clone> Forwarder<P> {
    // ---- a probe arrives

    pub(crate) fn on_new_probe(
        &mut self,
        hash: u64,
        dest: DestIx,
        mut asker: InRecord,
        probe_idx: u64,
        interest: &Interest<'_>,
        packet: P,
    ) {
        let face = asker.face;
        if let Err(detail) = self.admit(dest, &mut asker, probe_idx, interest.header.generation) {
            return self.refuse(&asker, Some(dest), detail, packet);
        }
        let kind = Kind::Probe { asked_again: 0 };
        let ix = self
            .pit
            .insert(hash, interest.name.as_value(), packet, dest, kind);
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.hop_limit = interest.hop_limit;
        }
        if let Some(dest) = self.dests.get_mut(dest) {
            dest.pending += 1;
        }
        self.pit.add_in(ix, asker);
        self.forward_probe(ix, face);
    }

    /// The same probe again: over another way, or because the downstream asks again.
    pub(crate) fn on_repeated_probe(
        &mut self,
        ix: PitIx,
        mut asker: InRecord,
        probe_idx: u64,
        interest: &Interest<'_>,
        packet: P,
    ) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let face = asker.face;
        if let Err(detail) = self.admit(dest, &mut asker, probe_idx, interest.header.generation) {
            return self.refuse(&asker, Some(dest), detail, packet);
        }
        self.add_asker(ix, asker);
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.linger = None;
        }
        if self.pit.outs(ix).all(|(_, record)| !record.is_waiting()) {
            self.pit.forget_settled(ix);
            self.forward_probe(ix, face);
        }
    }

    /// Generation and rank order of an arriving probe, then tiers. On success the asker's
    /// generation is filled in.
    fn admit(
        &mut self,
        dest: DestIx,
        asker: &mut InRecord,
        probe_idx: u64,
        generation: Option<u32>,
    ) -> Result<(), NackDetail> {
        if self.is_quarantined() {
            return Err(NackDetail::NoRoute);
        }
        let now = self.now;
        let enforced = self.config.rank_rule == RankRule::Enforced;
        let d = self.dests.get_mut(dest).ok_or(NackDetail::NoRoute)?;
        d.used = now;
        asker.generation = generation.unwrap_or(d.generation);
        if !d.adopt(asker.generation, now) {
            return Err(NackDetail::Stale);
        }
        if d.producer.is_some() {
            d.rank = Some(Rank {
                generation: d.generation,
                label: Label::ZERO,
            });
        }
        if enforced
            && let (Some(label), Some(bound)) = (d.label(), asker.bound)
            && label >= bound
            && (d.producer.is_some() || d.has_valid())
            && !self.lower_label(dest, asker.face, bound)
        {
            return Err(NackDetail::Order);
        }
        if let Some(d) = self.dests.get_mut(dest) {
            d.note_ingress(asker.face, asker.bound);
            d.follow(probe_idx, now);
        }
        Ok(())
    }

    /// Moves the node's label below a downstream's bound, if room is left above the valid
    /// upstreams. The edge is refused rather than the order weakened.
    fn lower_label(&mut self, dest: DestIx, face: FaceIx, bound: Label) -> bool {
        let Some(d) = self.dests.get_mut(dest) else {
            return false;
        };
        if d.producer.is_some() || d.upstream(face).is_some_and(Upstream::is_valid) {
            return false;
        }
        let generation = d.generation;
        let known = d.upstreams.iter().filter_map(Upstream::learnt);
        let low = known
            .filter(|r| r.generation == generation)
            .map(|r| r.label)
            .max();
        let Some(label) = rank::choose(low.unwrap_or(Label::ZERO), bound) else {
            return false;
        };
        d.note_ingress(face, None);
        let downstream = d.downstreams.iter_mut().find(|down| down.face == face);
        let Some(downstream) = downstream.filter(|down| down.lowered < MAX_LOWERED) else {
            return false;
        };
        downstream.lowered += 1;
        d.rank = Some(Rank { generation, label });
        true
    }

    // ---- a probe goes on

    /// Asks the next face for this probe; tells the downstream if none is left.
    fn forward_probe(&mut self, ix: PitIx, from: FaceIx) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        while let Some(d) = self.dests.get_mut(dest) {
            let pit = &self.pit;
            let untried = |face: FaceIx| {
                pit.out_of(ix, face).is_none() && pit.ins(ix).all(|r| r.face != face)
            };
            let next = match d.producer {
                Some(producer) => Some(producer).filter(|face| untried(*face)),
                None => d.choose_probe_face(|u| untried(u.face)),
            };
            if let Some(face) = next {
                return self.send_probe(ix, dest, face, from);
            }
            let may_step = d.producer.is_none() && !d.can_answer();
            if !(may_step && d.step()) {
                break;
            }
        }
        if self.pit.outs(ix).any(|(_, record)| record.is_waiting()) {
            return self.arm_pit(ix);
        }
        // Faces that were silent or busy for this probe may answer the next one.
        let hopeful = self.dests.get(dest).is_some_and(|d| {
            let hope = |u: &Upstream| {
                u.up && (u.pending || u.is_valid()) && self.pit.ins(ix).all(|r| r.face != u.face)
            };
            d.producer.is_none() && d.upstreams.iter().any(hope)
        });
        let detail = if hopeful {
            NackDetail::QueueFull
        } else {
            NackDetail::NoRoute
        };
        self.fail_probe(ix, detail);
    }

    fn send_probe(&mut self, ix: PitIx, dest: DestIx, face: FaceIx, from: FaceIx) {
        let (Some(entry), Some(kind)) = (self.pit.get(ix), self.faces.get(face).map(|f| f.kind))
        else {
            return;
        };
        let first = self.pit.outs(ix).next().is_none();
        let asked = self.pit.ins(ix).find(|r| r.face == from).map(|r| r.nonce);
        let patience = self.pit.ins(ix).map(|r| r.expires).max();
        let left = patience.map_or(Duration::ZERO, |at| at.saturating_duration_since(self.now));
        let (hop_limit, packet) = (entry.hop_limit, entry.packet.clone());
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let bound = d.label().or(d.bound_of(from));
        let generation = d.generation;
        // Shorter than the downstream waits, so that this node, not that one, notices a silence,
        // and has time for another try.
        let mut wait = left - left / 4;
        if let Some(upstream) = d.upstream_mut(face) {
            upstream.probes = upstream.probes.saturating_add(1);
            wait = wait.min(upstream.probe_wait());
        }
        let wait = whole_millis(wait);
        let nonce = match asked {
            Some(nonce) if first => nonce,
            _ => self.rng.next_u32(),
        };
        let mut record = OutRecord::new(ix, face, nonce, self.now, self.now + wait);
        record.repeated = !first && self.pit.out_of(ix, face).is_some();
        record.bound = bound;
        self.pit.add_out(record);
        let header = MarsHeader {
            generation: Some(generation),
            label: bound,
            ..MarsHeader::default()
        };
        let edit = Edit::Interest {
            hop_limit: spend_hop(hop_limit, kind),
            nonce,
            lifetime: Some(wait),
            header,
        };
        self.transmit(face, edit, packet);
        self.arm_pit(ix);
    }

    /// Refuses a probe to all who asked. Kept for a while if a silent face may still answer.
    fn fail_probe(&mut self, ix: PitIx, detail: NackDetail) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let (hash, dest, packet) = (entry.hash, entry.dest, entry.packet.clone());
        let mut until = None;
        while let Some(asker) = self.pit.take_in(ix, |_| true) {
            until = until.max(Some(asker.expires));
            self.dead.insert(hash, asker.nonce, asker.face);
            if detail == NackDetail::NoRoute
                && let Some(d) = self.dests.get_mut(dest)
            {
                d.leave_ingress(asker.face);
            }
            self.refuse(&asker, Some(dest), detail, packet.clone());
            if detail == NackDetail::NoRoute {
                self.note_drop(asker.face, DropReason::NoRoute);
            }
        }
        if !self
            .pit
            .outs(ix)
            .any(|(_, record)| record.state == OutState::Silent)
        {
            return self.erase(ix);
        }
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.linger = until;
        }
        self.arm_pit(ix);
    }

    // ---- an answer arrives

    pub(crate) fn on_answer(
        &mut self,
        ix: PitIx,
        out: OutIx,
        face: FaceIx,
        data: &Data<'_>,
        packet: P,
    ) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        let Some(record) = self.take_answered(dest, out) else {
            return self.note_drop(face, DropReason::Unsolicited);
        };
        let from = self.pit.asker(ix);
        let is_producer = self
            .dests
            .get(dest)
            .is_some_and(|d| d.producer == Some(face));
        if !is_producer {
            match self.judge(dest, face, data.header.rank(), record.bound) {
                Verdict::Valid(rank) => self.validate(dest, face, rank, &data.header),
                Verdict::AskAgain => {
                    if let Some(from) = from
                        && self.ask_again(ix, dest, face, from)
                    {
                        return;
                    }
                }
                Verdict::Refuse => self.refuse_upstream(dest, face),
            }
            if let Some(upstream) = self.dests.get_mut(dest).and_then(|d| d.upstream_mut(face)) {
                upstream.heard(now);
                upstream.answered(data.header.tier_conv, data.header.node_conv);
            }
            self.note_convergence(dest);
        }
        if is_producer
            || self
                .dests
                .get(dest)
                .is_some_and(crate::dest::Dest::can_answer)
        {
            self.answer_all(ix, dest, &packet);
        } else if let Some(from) = from {
            self.forward_probe(ix, from);
        } else {
            self.erase(ix);
        }
        self.release(dest);
    }

    /// Settles the out-record of an answer, late ones included; `None` if it was answered before.
    fn take_answered(&mut self, dest: DestIx, out: OutIx) -> Option<OutRecord> {
        let record = *self.pit.out_mut(out)?;
        match record.state {
            OutState::Waiting(_) => {
                self.free_slot(
                    dest,
                    out,
                    Kind::Probe { asked_again: 0 },
                    mars_cc::Input::Released,
                );
            }
            OutState::Silent => {}
            OutState::Done => return None,
        }
        self.pit.out_mut(out)?.state = OutState::Done;
        let rtt = self.now.saturating_duration_since(record.sent);
        if !record.repeated
            && let Some(upstream) = self
                .dests
                .get_mut(dest)
                .and_then(|d| d.upstream_mut(record.face))
        {
            upstream.sample_probe_rtt(rtt);
        }
        Some(record)
    }

    /// Compares the rank of an answer with the node's own; labels the node if it has none yet.
    fn judge(
        &mut self,
        dest: DestIx,
        face: FaceIx,
        rank: Option<Rank>,
        sent: Option<Label>,
    ) -> Verdict {
        let now = self.now;
        let enforced = self.config.rank_rule == RankRule::Enforced;
        let Some(d) = self.dests.get_mut(dest) else {
            return Verdict::Refuse;
        };
        let Some(upstream) = d.upstream(face) else {
            return Verdict::Refuse;
        };
        let Some(rank) = rank else {
            let is_shortest = d.upstreams.first().is_some_and(|u| u.hops == upstream.hops);
            return if is_shortest {
                Verdict::Valid(None)
            } else {
                Verdict::Refuse
            };
        };
        if rank.generation < d.generation {
            return Verdict::AskAgain;
        }
        if rank.generation > d.generation && !d.adopt(rank.generation, now) {
            // Too far ahead to follow. Only a rank that is known can be compared with.
            return if d.rank.is_some() {
                Verdict::Valid(Some(rank))
            } else {
                Verdict::Refuse
            };
        }
        if !enforced {
            let label = rank::choose(rank.label, Label::MAX).unwrap_or(Label::MAX);
            d.rank = d.rank.or(Some(Rank {
                generation: d.generation,
                label,
            }));
            return Verdict::Valid(Some(rank));
        }
        if let Some(label) = d.label() {
            let own = Rank {
                generation: d.generation,
                label,
            };
            return if rank.closer_than(own) {
                Verdict::Valid(Some(rank))
            } else if sent.is_none_or(|bound| rank.label < bound) {
                Verdict::AskAgain
            } else {
                Verdict::Refuse
            };
        }
        let cap = rank::cap(rank.label, d.bounds());
        let Some(label) = rank::choose(rank.label, cap) else {
            return Verdict::Refuse;
        };
        self.set_rank(dest, label);
        Verdict::Valid(Some(rank))
    }

    /// Labels the node in its generation. Faces known by an older one are not valid any more.
    fn set_rank(&mut self, dest: DestIx, label: Label) {
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let own = Rank {
            generation: d.generation,
            label,
        };
        d.rank = Some(own);
        let name = name_of(d);
        let mut lost = alloc::vec::Vec::new();
        for upstream in &mut d.upstreams {
            if upstream
                .learnt()
                .is_some_and(|learnt| !learnt.closer_than(own))
            {
                upstream.standing = Standing::Unknown;
                lost.push(upstream.face);
            }
        }
        for face in lost {
            if let Some(face) = self.faces.get(face) {
                let face = face.id;
                self.emit(Event::PathLost {
                    dest: name.clone(),
                    face,
                });
            }
        }
    }

    fn validate(&mut self, dest: DestIx, face: FaceIx, rank: Option<Rank>, header: &MarsHeader) {
        let now = self.now;
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let name = name_of(d);
        let Some(upstream) = d.upstream_mut(face) else {
            return;
        };
        let (old, known) = match upstream.standing {
            Standing::Valid {
                rank, node_conv, ..
            } => (rank, Some(node_conv)),
            Standing::Unknown | Standing::Refused => (None, None),
        };
        let rank = match (old, rank) {
            (Some(old), Some(new)) if old.closer_than(new) => Some(old),
            (old, new) => new.or(old),
        };
        upstream.standing = Standing::Valid {
            rank,
            heard: now,
            node_conv: header.node_conv || known == Some(true),
        };
        if known.is_none()
            && let Some(face) = self.faces.get(face)
        {
            let face = face.id;
            self.emit(Event::PathFound {
                dest: name,
                face,
                rank,
            });
        }
    }

    fn note_convergence(&mut self, dest: DestIx) {
        let now = self.now;
        if let Some(d) = self.dests.get_mut(dest)
            && d.converged.is_none()
            && d.can_answer()
            && d.node_conv()
        {
            d.converged = Some(now);
            let dest = name_of(d);
            self.emit(Event::Converged { dest });
        }
    }

    fn ask_again(&mut self, ix: PitIx, dest: DestIx, face: FaceIx, from: FaceIx) -> bool {
        match self.pit.get_mut(ix).map(|entry| &mut entry.kind) {
            Some(Kind::Probe { asked_again }) if *asked_again < MAX_ASKED_AGAIN => {
                *asked_again += 1
            }
            _ => return false,
        }
        self.send_probe(ix, dest, face, from);
        true
    }

    /// Sends the answer to all who asked, each within its bound, and ends the entry.
    fn answer_all(&mut self, ix: PitIx, dest: DestIx, packet: &P) {
        let Some(interest) = self.pit.get(ix).map(|entry| entry.packet.clone()) else {
            return;
        };
        while let Some((asker, hash)) = self.take_asker(ix) {
            self.dead.insert(hash, asker.nonce, asker.face);
            if self.fits(dest, &asker) {
                self.answer(dest, &asker, packet.clone());
            } else {
                self.refuse(&asker, Some(dest), NackDetail::Order, interest.clone());
            }
        }
        self.erase(ix);
    }

    /// Whether the node's rank is below what the downstream asked for, after lowering it if need be.
    fn fits(&mut self, dest: DestIx, asker: &InRecord) -> bool {
        let Some(d) = self.dests.get(dest) else {
            return false;
        };
        if self.config.rank_rule == RankRule::Off || d.generation != asker.generation {
            return true;
        }
        match (d.label(), asker.bound) {
            (Some(label), Some(bound)) if label >= bound => {
                self.lower_label(dest, asker.face, bound)
            }
            _ => true,
        }
    }

    fn answer(&mut self, dest: DestIx, asker: &InRecord, packet: P) {
        let (Some(d), Some(face)) = (self.dests.get(dest), self.faces.get(asker.face)) else {
            return;
        };
        let label = d.label();
        let header = MarsHeader {
            interest_queue: Some(saturate(d.queue.len())),
            data_queue: face.reported_queue(),
            tier_conv: d.tier_conv(),
            node_conv: d.node_conv(),
            generation: label.map(|_| d.generation),
            label,
            nack_detail: None,
        };
        let edit = Edit::Data {
            pit_token: asker.token,
            header,
        };
        self.transmit(asker.face, edit, packet);
    }

    // ---- refusals and silence

    pub(crate) fn on_probe_nack(&mut self, ix: PitIx, out: OutIx, face: FaceIx, nack: &Nack<'_>) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        self.free_slot(
            dest,
            out,
            Kind::Probe { asked_again: 0 },
            mars_cc::Input::Released,
        );
        if let Some(record) = self.pit.out_mut(out) {
            record.state = OutState::Done;
        }
        let from = self.pit.asker(ix);
        match detail_of(nack) {
            NackDetail::Order | NackDetail::NoRoute => self.refuse_upstream(dest, face),
            NackDetail::Duplicate => {
                let upstream = self.dests.get_mut(dest).and_then(|d| d.upstream_mut(face));
                if upstream.is_some_and(Upstream::was_duplicate) {
                    self.refuse_upstream(dest, face);
                }
            }
            NackDetail::Stale => {
                let generation = nack.header.generation.unwrap_or(0);
                let d = self.dests.get_mut(dest);
                if d.is_some_and(|d| generation > d.generation && d.adopt(generation, now)) {
                    return self.fail_probe(ix, NackDetail::Stale);
                }
                self.note_busy(dest, face);
            }
            _ => self.note_busy(dest, face),
        }
        self.note_convergence(dest);
        match from {
            Some(from) => self.forward_probe(ix, from),
            None => self.erase(ix),
        }
        self.release(dest);
    }

    fn note_busy(&mut self, dest: DestIx, face: FaceIx) {
        if let Some(upstream) = self.dests.get_mut(dest).and_then(|d| d.upstream_mut(face)) {
            upstream.was_busy();
        }
    }

    /// Takes a face out of discovery for this round, and out of the valid set.
    pub(crate) fn refuse_upstream(&mut self, dest: DestIx, face: FaceIx) {
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let name = name_of(d);
        let Some(upstream) = d.upstream_mut(face) else {
            return;
        };
        let was_valid = upstream.is_valid();
        upstream.standing = Standing::Refused;
        upstream.pending = false;
        if was_valid && let Some(face) = self.faces.get(face) {
            let face = face.id;
            self.emit(Event::PathLost { dest: name, face });
        }
    }

    pub(crate) fn on_probe_timer(&mut self, ix: PitIx) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        let due = |at: Instant| at <= now;
        while let Some((out, face)) = self.due_out(ix) {
            self.free_slot(
                dest,
                out,
                Kind::Probe { asked_again: 0 },
                mars_cc::Input::Released,
            );
            let upstream = self.dests.get_mut(dest).and_then(|d| d.upstream_mut(face));
            if upstream.is_some_and(Upstream::fell_silent) {
                self.refuse_upstream(dest, face);
            }
        }
        while let Some(asker) = self.pit.take_in(ix, |r| due(r.expires)) {
            if let Some(hash) = self.pit.get(ix).map(|entry| entry.hash) {
                self.dead.insert(hash, asker.nonce, asker.face);
            }
        }
        self.note_convergence(dest);
        let from = self.pit.asker(ix);
        let lingers = self
            .pit
            .get(ix)
            .is_some_and(|entry| entry.linger.is_some_and(|at| !due(at)));
        match from {
            Some(from) if self.pit.outs(ix).all(|(_, r)| !r.is_waiting()) => {
                self.forward_probe(ix, from)
            }
            None if !lingers => self.erase(ix),
            _ => self.arm_pit(ix),
        }
        self.release(dest);
    }

    /// The next out-record of an entry whose time has run out.
    pub(crate) fn due_out(&self, ix: PitIx) -> Option<(OutIx, FaceIx)> {
        let now = self.now;
        let due = |r: &OutRecord| matches!(r.state, OutState::Waiting(at) if at <= now);
        self.pit
            .outs(ix)
            .find(|(_, r)| due(r))
            .map(|(out, r)| (out, r.face))
    }

    /// Goes on with a probe whose face is gone.
    pub(crate) fn redirect_probe(&mut self, ix: PitIx) {
        match self.pit.asker(ix) {
            Some(from) => self.forward_probe(ix, from),
            None => self.erase(ix),
        }
    }
}

/// The MARS detail of a Nack, or what the plain reason comes to.
pub(crate) fn detail_of(nack: &Nack<'_>) -> NackDetail {
    nack.header.nack_detail.unwrap_or(match nack.reason {
        NackReason::NoRoute => NackDetail::NoRoute,
        NackReason::Duplicate => NackDetail::Duplicate,
        _ => NackDetail::QueueFull,
    })
}

/// The hop limit to write before a packet leaves over a face of this kind.
pub(crate) fn spend_hop(hop_limit: Option<u8>, kind: FaceKind) -> Option<u8> {
    match kind {
        FaceKind::Local => hop_limit,
        FaceKind::Mars | FaceKind::Plain => hop_limit.map(|hops| hops.saturating_sub(1)),
    }
}

/// Lifetimes travel in whole milliseconds.
fn whole_millis(wait: Duration) -> Duration {
    Duration::from_millis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1))
}
