//! An answer arrives: what it makes of the face that it came from, and what goes down.

use core::time::Duration;

use mars_wire::{Label, MarsHeader, NackDetail, Rank};

use crate::config::RankRule;
use crate::dest::{Dest, DestIx};
use crate::face::FaceIx;
use crate::forwarder::{Forwarder, saturate};
use crate::input::Data;
use crate::output::{DropReason, Edit, Event, Refusal};
use crate::pit::{InRecord, Kind, OutIx, OutRecord, OutState, PitIx};
use crate::rank;
use crate::upstream::{Standing, Upstream};

/// Times that a node asks an upstream again for one probe because labels moved meanwhile.
const MAX_ASKED_AGAIN: u8 = 4;

/// How long an answered probe is kept for downstreams that ask again: as long as they do.
const KEPT: Duration = Duration::from_millis(500);

/// What an answer makes of the face that it came from.
enum Verdict {
    Valid(Option<Rank>),
    /// Labels moved while it was on its way: ask once more, blame nobody.
    AskAgain,
    Refuse,
}

impl<P: Clone> Forwarder<P> {
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
            let verdict = if record.sent + self.config.path_lifetime <= now {
                // Its upstream may have forgotten meanwhile what it told.
                Verdict::AskAgain
            } else {
                self.judge(dest, face, data.header.rank(), record.bound)
            };
            match verdict {
                Verdict::Valid(rank) => {
                    self.validate(dest, face, rank, &data.header);
                    if let Some(upstream) = self.upstream_mut(dest, face) {
                        upstream.has_answered(record.sent);
                    }
                }
                Verdict::AskAgain => {
                    if let Some(from) = from
                        && self.ask_again(ix, dest, face, from)
                    {
                        return;
                    }
                }
                Verdict::Refuse => {
                    self.refuse_upstream(dest, face, Standing::Refused, Refusal::Order);
                }
            }
            if let Some(upstream) = self.upstream_mut(dest, face) {
                upstream.was_heard(now);
                upstream.answered(data.header.tier_conv, data.header.node_conv);
            }
            self.note_convergence(dest);
        }
        if is_producer || self.dests.get(dest).is_some_and(Dest::can_answer) {
            self.answer_arrived(ix, dest, &packet);
        } else if let Some(from) = from {
            self.forward_probe(ix, from);
        } else {
            self.erase(ix);
        }
        self.stir_dest(dest);
    }

    /// Settles the out-record of an answer, late ones included; `None` if it was answered before.
    fn take_answered(&mut self, dest: DestIx, out: OutIx) -> Option<OutRecord> {
        let record = *self.pit.out(out)?;
        if record.state == OutState::Done {
            return None;
        }
        self.settle(out, OutState::Done, mars_cc::Input::Released);
        self.pit.out_mut(out)?.state = OutState::Done;
        let rtt = self.now.saturating_duration_since(record.sent);
        if let Some(upstream) = self.upstream_mut(dest, record.face)
            // Counted from the first time it is too long rather than too short: better than none.
            && (!record.is_repeated() || upstream.srtt().is_none())
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
    pub(super) fn set_rank(&mut self, dest: DestIx, label: Label) {
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let own = Rank {
            generation: d.generation,
            label,
        };
        d.rank = Some(own);
        self.forget_paths(dest, |u| {
            u.learnt().is_some_and(|learnt| !learnt.closer_than(own))
        });
    }

    /// Takes the faces that `gone` picks out of the valid set, without a refusal.
    pub(crate) fn forget_paths(&mut self, dest: DestIx, gone: impl Fn(&Upstream) -> bool) {
        let mut next = 0;
        while let Some(upstream) = self
            .dests
            .get_mut(dest)
            .and_then(|d| d.upstreams.get_mut(next))
        {
            next += 1;
            if !gone(upstream) {
                continue;
            }
            let (face, was_valid) = (upstream.face, upstream.is_valid());
            upstream.standing = Standing::Unknown;
            if was_valid {
                self.note_path_lost(dest, face);
            }
        }
    }

    fn validate(&mut self, dest: DestIx, face: FaceIx, rank: Option<Rank>, header: &MarsHeader) {
        let upstream = self.upstream_mut(dest, face);
        let Some(upstream) = upstream else {
            return;
        };
        let (old, known) = match upstream.standing {
            Standing::Valid { rank, node_conv } => (rank, Some(node_conv)),
            _ => (None, None),
        };
        let rank = match (old, rank) {
            (Some(old), Some(new)) if old.closer_than(new) => Some(old),
            (old, new) => new.or(old),
        };
        upstream.standing = Standing::Valid {
            rank,
            node_conv: header.node_conv || known == Some(true),
        };
        if known.is_none() {
            self.note_path_found(dest, face, rank);
        }
    }

    pub(super) fn note_convergence(&mut self, dest: DestIx) {
        let now = self.now;
        if let Some(d) = self.dests.get_mut(dest)
            && d.converged.is_none()
            && d.has_converged()
        {
            d.converged = Some(now);
            let dest = d.name.clone();
            self.emit(Event::Converged { dest });
        }
    }

    fn ask_again(&mut self, ix: PitIx, dest: DestIx, face: FaceIx, from: FaceIx) -> bool {
        match self.pit.get_mut(ix).map(|entry| &mut entry.kind) {
            Some(Kind::Probe { asked_again, .. }) if *asked_again < MAX_ASKED_AGAIN => {
                *asked_again += 1;
            }
            _ => return false,
        }
        self.send_probe(ix, dest, face, from, Duration::ZERO);
        true
    }

    fn answer_arrived(&mut self, ix: PitIx, dest: DestIx, packet: &P) {
        if let Some(interest) = self.pit.get(ix).map(|entry| entry.packet.clone()) {
            self.answer_all(ix, dest, packet, &interest);
        }
    }

    /// Sends the answer to all who asked, each within its bound. The entry keeps it for a while: a
    /// downstream whose answer was lost asks again, and must not send the probe all the way once more;
    /// and another face may answer, too.
    pub(super) fn answer_all(&mut self, ix: PitIx, dest: DestIx, packet: &P, interest: &P) {
        // A producer may have come, or a generation, since the probe was let in.
        self.rank_as_producer(dest);
        // What is told now is remembered by others: the rank is kept for as long from now on.
        if let Some(d) = self.dests.get_mut(dest) {
            d.used = self.now;
        }
        let mut until = None;
        while let Some(asker) = self.take_asker(ix, |_| true) {
            until = until.max(Some(asker.expires));
            if self.fits(dest, &asker) {
                self.answer(dest, &asker, packet.clone());
            } else {
                self.refuse(&asker, Some(dest), NackDetail::Order, interest.clone());
            }
        }
        let until = until.or_else(|| self.pit.get(ix)?.linger);
        let is_owed = self.pit.is_owed(ix);
        let until = until.map(|at| if is_owed { at } else { at.min(self.now + KEPT) });
        self.pit.keep_answer(ix, packet.clone());
        self.linger_until(ix, until);
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
}
