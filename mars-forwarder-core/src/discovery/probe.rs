//! A probe arrives: generation and rank order, tiers, and the face that it goes on to.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::{Label, MarsHeader, NackDetail, Rank};

use crate::FaceKind;
use crate::config::RankRule;
use crate::dest::{Dest, DestIx};
use crate::face::FaceIx;
use crate::forwarder::Forwarder;
use crate::input::Interest;
use crate::output::Edit;
use crate::pit::{InRecord, Kind, OutRecord, PitIx};
use crate::rank;
use crate::release::may_take;
use crate::upstream::Upstream;

/// Times that a node lowers its label for one downstream in one generation: an attacker that asks
/// lower and lower would use the label up.
const MAX_LOWERED: u8 = 4;

impl<P: Clone> Forwarder<P> {
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
        let kind = Kind::Probe {
            asked_again: 0,
            answered: false,
        };
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
        let can_answer = self.dests.get(dest).is_some_and(Dest::can_answer);
        if let Some(data) = self.pit.kept_answer(ix).cloned() {
            if can_answer {
                return self.answer_all(ix, dest, &data, &packet);
            }
            self.pit.reopen(ix, packet);
        }
        self.set_linger(ix, None);
        if self.pit.waiting_out(ix).is_none() {
            self.pit.new_epoch(ix);
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
        self.rank_as_producer(dest);
        let d = self.dests.get(dest).ok_or(NackDetail::NoRoute)?;
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

    /// The producer's forwarder has label 0 in whatever generation it works in.
    pub(super) fn rank_as_producer(&mut self, dest: DestIx) {
        let d = self.dests.get(dest);
        if d.is_some_and(|d| d.producer.is_some() && d.label() != Some(Label::ZERO)) {
            self.set_rank(dest, Label::ZERO);
        }
    }

    /// Moves the node's label below a downstream's bound, if room is left above the valid
    /// upstreams. The edge is refused rather than the order weakened.
    pub(super) fn lower_label(&mut self, dest: DestIx, face: FaceIx, bound: Label) -> bool {
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

    // ---- it goes on

    /// Asks the next face for this probe; tells the downstream if none is left.
    pub(super) fn forward_probe(&mut self, ix: PitIx, from: FaceIx) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let left = self.patience(ix);
        let is_first = self.pit.outs(ix).next().is_none();
        while let Some(d) = self.dests.get_mut(dest) {
            let pit = &self.pit;
            let faces = &self.faces;
            let untried =
                |face: FaceIx| pit.tried(ix, face).is_none() && may_take(pit, faces, ix, face);
            let may = |u: &Upstream| untried(u.face) && (is_first || u.may_answer_within(left));
            let next = match d.producer {
                Some(producer) => Some(producer).filter(|face| untried(*face)),
                None => d.choose_probe_face(may),
            };
            if let Some(face) = next {
                return self.send_probe(ix, dest, face, from, Duration::ZERO);
            }
            if d.producer.is_some() || d.can_answer() {
                break;
            }
            if d.step() {
                continue;
            }
            if let Some(face) = d.choose_silent_face(may) {
                return self.send_probe(ix, dest, face, from, Duration::ZERO);
            }
            break;
        }
        if self.pit.waiting_out(ix).is_some() {
            return self.arm_pit(ix);
        }
        // Faces that were silent or busy for this probe may answer the next one.
        let hopeful = self.dests.get(dest).is_some_and(|d| {
            let hope = |u: &Upstream| {
                (u.up && u.pending || u.is_valid() || u.is_silent())
                    && self.pit.ins(ix).all(|r| r.face != u.face)
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

    /// Sends a probe over a face; `waited`: for so long already, if it is repeated.
    pub(super) fn send_probe(
        &mut self,
        ix: PitIx,
        dest: DestIx,
        face: FaceIx,
        from: FaceIx,
        waited: Duration,
    ) {
        let (Some(entry), Some(kind)) = (self.pit.get(ix), self.faces.get(face).map(|f| f.kind))
        else {
            return;
        };
        let first = self.pit.outs(ix).next().is_none();
        let asked = self.pit.ins(ix).find(|r| r.face == from).map(|r| r.nonce);
        let left = self.patience(ix);
        let (hop_limit, packet) = (entry.hop_limit, entry.packet.clone());
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let bound = d.label().or(d.bound_of(from));
        let generation = d.generation;
        // A repeated probe may be answered for the first time that it was sent.
        let (sent, sent_bound, repeats) = match self.pit.out_of(ix, face) {
            Some((_, before)) => (before.sent, before.bound, before.repeats.saturating_add(1)),
            None => (self.now, bound, 0),
        };
        let (mut wait, mut patience, mut metered) = (whole_millis(left), None, false);
        if let Some(upstream) = d.upstream_mut(face) {
            upstream.probes = upstream.probes.saturating_add(1);
            wait = whole_millis(upstream.probe_wait(left + waited).saturating_sub(waited));
            patience = Some(upstream.repeat_after(repeats, wait));
            metered = true;
        }
        let deadline = self.now + patience.unwrap_or(wait);
        let nonce = match asked {
            Some(nonce) if first => nonce,
            _ => self.rng.next_u32(),
        };
        let mut record = OutRecord::new(ix, face, nonce, sent, deadline);
        record.bound = sent_bound;
        record.repeats = repeats;
        record.metered = metered;
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

    /// How long the most patient of those who asked still waits.
    pub(super) fn patience(&self, ix: PitIx) -> Duration {
        let last = self.pit.ins(ix).map(|r| r.expires).max();
        last.map_or(Duration::ZERO, |at| at.saturating_duration_since(self.now))
    }

    /// Refuses a probe to all who asked. Kept for a while if a silent face may still answer.
    pub(super) fn fail_probe(&mut self, ix: PitIx, detail: NackDetail) {
        if detail == NackDetail::NoRoute
            && let Some(entry) = self.pit.get(ix)
            && let Some(d) = self.dests.get_mut(entry.dest)
        {
            self.pit.ins(ix).for_each(|r| d.leave_ingress(r.face));
        }
        let until = self.refuse_all(ix, detail);
        self.linger_for_answers(ix, until);
    }

    /// Keeps a probe that nobody waits for any more as long as its last asker would have waited,
    /// if a face may still answer: a path that is slow is a path.
    pub(super) fn linger_for_answers(&mut self, ix: PitIx, until: Option<Instant>) {
        let until = until.or_else(|| self.pit.get(ix)?.linger);
        self.linger_until(ix, until.filter(|_| self.pit.is_owed(ix)));
    }
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
