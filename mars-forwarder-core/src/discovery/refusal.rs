//! A probe is refused, or nothing comes back: which face is blamed, and what is tried next.

use mars_time::Instant;
use mars_wire::{NackDetail, NackReason};

use crate::dest::{Dest, DestIx};
use crate::face::FaceIx;
use crate::forwarder::Forwarder;
use crate::input::Nack;
use crate::output::{Event, Refusal};
use crate::pit::{OutIx, OutRecord, OutState, PitIx};
use crate::upstream::{Standing, Upstream};

impl<P: Clone> Forwarder<P> {
    pub(crate) fn on_probe_nack(&mut self, ix: PitIx, out: OutIx, face: FaceIx, nack: &Nack<'_>) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        self.settle(out, OutState::Done, mars_cc::Input::Released);
        let bound = self.pit.out(out).and_then(|record| record.bound);
        let label = self.dests.get(dest).and_then(Dest::label);
        let from = self.pit.asker(ix);
        match detail_of(nack) {
            // The bound was not this node's own: whoever sent it harms only itself.
            NackDetail::Order if bound.is_some() && label.is_none() => self.note_busy(dest, face),
            NackDetail::Order => {
                self.refuse_upstream(dest, face, Standing::Refused, Refusal::Order);
            }
            NackDetail::NoRoute => {
                self.refuse_upstream(dest, face, Standing::Refused, Refusal::NoRoute);
            }
            NackDetail::Duplicate => {
                let upstream = self.upstream_mut(dest, face);
                if upstream.is_some_and(Upstream::was_duplicate) {
                    self.refuse_upstream(dest, face, Standing::Refused, Refusal::Duplicates);
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
        self.stir_dest(dest);
    }

    fn note_busy(&mut self, dest: DestIx, face: FaceIx) {
        if let Some(upstream) = self.upstream_mut(dest, face) {
            upstream.was_busy();
        }
    }

    /// Takes a face out of discovery for this round, and out of the valid set.
    pub(crate) fn refuse_upstream(
        &mut self,
        dest: DestIx,
        face: FaceIx,
        standing: Standing,
        reason: Refusal,
    ) {
        let upstream = self.upstream_mut(dest, face);
        let Some(upstream) = upstream else {
            return;
        };
        let was_valid = upstream.is_valid();
        let was_refused = upstream.standing == standing;
        upstream.standing = standing;
        upstream.pending = false;
        if !was_refused {
            self.note_path(dest, face, |dest, face| Event::FaceRefused {
                dest,
                face,
                reason,
            });
        }
        if was_valid {
            self.note_path_lost(dest, face);
        }
    }

    pub(crate) fn on_probe_timer(&mut self, ix: PitIx) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        let due = |at: Instant| at <= now;
        while let Some((out, face)) = self.due_out(ix) {
            self.settle(out, OutState::Silent, mars_cc::Input::Released);
            if self.repeat_probe(ix, dest, out, face) {
                continue;
            }
            let sent = self.pit.out(out).map_or(now, |record| record.sent);
            let upstream = self.upstream_mut(dest, face);
            if upstream.is_some_and(|u| u.fell_silent(sent, now)) {
                self.refuse_upstream(dest, face, Standing::Silent, Refusal::Silence);
            }
        }
        while self.take_asker(ix, |r| due(r.expires)).is_some() {}
        self.note_convergence(dest);
        let from = self.pit.asker(ix);
        let lingers = self
            .pit
            .get(ix)
            .is_some_and(|entry| entry.linger.is_some_and(|at| !due(at)));
        match from {
            Some(from) if self.pit.waiting_out(ix).is_none() => {
                self.forward_probe(ix, from);
            }
            None if !lingers => self.erase(ix),
            _ => self.arm_pit(ix),
        }
        self.stir_dest(dest);
    }

    /// Sends a probe over a lossy face once more. An upstream that has it already does nothing, one
    /// whose answer was lost answers again: so each link is mended at its own end, and a probe
    /// crosses many of them though each may lose it.
    fn repeat_probe(&mut self, ix: PitIx, dest: DestIx, out: OutIx, face: FaceIx) -> bool {
        let now = self.now;
        let Some((sent, repeats)) = self.pit.out(out).map(|r| (r.sent, r.repeats)) else {
            return false;
        };
        let (waited, left) = (now.saturating_duration_since(sent), self.patience(ix));
        let upstream = self.dests.get(dest).and_then(|d| d.upstream(face));
        let asker = self.pit.ins(ix).find(|r| r.expires > now);
        match (upstream, asker.map(|r| r.face)) {
            (Some(upstream), Some(from))
                if upstream.may_repeat(repeats) && upstream.probe_wait(left + waited) > waited =>
            {
                self.send_probe(ix, dest, face, from, waited);
                true
            }
            _ => false,
        }
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
