//! The data plane: Interests into the queue of their dest, Data back to all who asked, slots back
//! to their windows.

use core::time::Duration;

use mars_cc::Input as Feedback;
use mars_time::Instant;
use mars_wire::{MarsHeader, MarsName, NackDetail};

use crate::counters::bump;
use crate::dest::DestIx;
use crate::face::{Face, FaceIx};
use crate::forwarder::{Forwarder, saturate};
use crate::input::{Data, Interest};
use crate::output::{DropReason, Edit, Event};
use crate::pit::{InRecord, Kind, OutIx, OutRecord, OutState, PitIx};
use crate::queue::Ticket;

/// A retransmission sooner than this after the last transmission is suppressed, if no round-trip
/// time is known.
const MIN_REPEAT: Duration = Duration::from_millis(10);

impl<P: Clone> Forwarder<P> {
    // ---- Interests

    pub(crate) fn on_new_data_interest(
        &mut self,
        hash: u64,
        dest: DestIx,
        asker: InRecord,
        interest: &Interest<'_>,
        packet: P,
    ) {
        let now = self.now;
        let cap = usize::from(self.config.interest_queue);
        let hold = self.config.hold_without_route;
        // Data from here would make neighbours believe for longer in a rank that was forgotten.
        let quarantined = self.is_quarantined() && !self.faces.is_local(asker.face);
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        d.used = now;
        let direct = d.producer.filter(|producer| *producer != asker.face);
        let refusal = if quarantined {
            Some((NackDetail::NoRoute, DropReason::NoRoute))
        } else if direct.is_some() {
            None
        } else if !hold && !d.has_usable(now, asker.face) {
            Some((NackDetail::NoRoute, DropReason::NoRoute))
        } else if d.queue.len() >= cap {
            Some((NackDetail::QueueFull, DropReason::QueueFull))
        } else {
            None
        };
        if let Some((detail, reason)) = refusal {
            self.refuse(&asker, Some(dest), detail, packet);
            return self.note_drop(asker.face, reason);
        }
        d.pending += 1;
        let ix = self
            .pit
            .insert(hash, interest.name.as_value(), packet, dest, Kind::Data);
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.hop_limit = interest.hop_limit;
        }
        let face = asker.face;
        self.pit.add_in(ix, asker);
        if let Some(producer) = direct {
            return self.send_data_interest(ix, dest, producer);
        }
        self.arm_pit(ix);
        self.enqueue(ix, dest, face);
        self.stir_dest(dest);
    }

    /// The same name while it is pending: a retransmission, or another downstream that joins.
    ///
    /// It goes out again only if nothing is under way any more, or if the same downstream repeats
    /// itself after the answer was due; a downstream that joins never restarts the clock. What
    /// lingers for a straggler alone is as good as new.
    pub(crate) fn on_repeated_data_interest(
        &mut self,
        ix: PitIx,
        asker: InRecord,
        hop_limit: Option<u8>,
    ) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let (dest, queued, face) = (entry.dest, entry.queued, asker.face);
        let lingered = entry.linger.is_some();
        let joins = self.pit.ins(ix).all(|r| r.face != face);
        self.add_asker(ix, asker);
        if lingered {
            self.set_linger(ix, None);
        } else if joins {
            bump(&mut self.counters.aggregated);
        }
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.hop_limit = farther(entry.hop_limit, hop_limit);
        }
        if queued {
            return;
        }
        if !lingered
            && let Some(due) = self.answer_due(ix, dest)
            && (joins || self.now < due)
        {
            if !joins {
                self.note_drop(face, DropReason::Suppressed);
            }
            return;
        }
        self.pit.new_epoch(ix);
        self.free_last_resort(ix, dest);
        self.send_again(ix, dest, asker);
    }

    /// When the answer to what is under way for an entry was to be expected, by the latest round
    /// trips; `None` if nothing is.
    fn answer_due(&self, ix: PitIx, dest: DestIx) -> Option<Instant> {
        let waiting = self.pit.outs(ix).filter(|(_, r)| r.is_waiting());
        let (sent, face) = waiting.map(|(_, r)| (r.sent, r.face)).max()?;
        let rtt = self.dests.get(dest).and_then(|d| d.upstream(face)?.srtt());
        Some(sent + rtt.unwrap_or(MIN_REPEAT).max(MIN_REPEAT))
    }

    /// A pending Interest for which nothing is under way goes to the producer here or into the
    /// queue; if that is full, whoever repeated it is told so.
    fn send_again(&mut self, ix: PitIx, dest: DestIx, asker: InRecord) {
        let Some(d) = self.dests.get(dest) else {
            return;
        };
        if let Some(producer) = d.producer.filter(|producer| *producer != asker.face) {
            if let Some((out, _)) = self.pit.out_of(ix, producer) {
                self.settle(out, OutState::Done, Feedback::Released);
            }
            return self.send_data_interest(ix, dest, producer);
        }
        if d.queue.len() < usize::from(self.config.interest_queue) {
            self.enqueue(ix, dest, asker.face);
            return self.stir_dest(dest);
        }
        self.note_drop(asker.face, DropReason::QueueFull);
        self.take_asker(ix, |r| r.face == asker.face);
        if let Some(packet) = self.pit.get(ix).map(|entry| entry.packet.clone()) {
            self.refuse(&asker, Some(dest), NackDetail::QueueFull, packet);
        }
        if self.pit.ins(ix).next().is_none() {
            self.erase(ix);
        }
    }

    /// A retransmission that has no face left but those that still owe an answer may take them
    /// again: their slots are given back.
    fn free_last_resort(&mut self, ix: PitIx, dest: DestIx) {
        if self.may_go_on(ix, dest) {
            return;
        }
        while let Some((out, _)) = self.pit.waiting_out(ix) {
            self.settle(out, OutState::Silent, Feedback::Lost);
        }
    }

    fn enqueue(&mut self, ix: PitIx, dest: DestIx, face: FaceIx) {
        if let (Some(entry), Some(d)) = (self.pit.get_mut(ix), self.dests.get_mut(dest)) {
            entry.queued = true;
            d.queue.push(
                face,
                Ticket {
                    entry: ix,
                    stamp: entry.stamp,
                },
            );
        }
    }

    /// An entry in the queue has ended; those behind it may be able to go.
    pub(crate) fn leave_queue(&mut self, ix: PitIx) {
        let Some(entry) = self.pit.get_mut(ix) else {
            return;
        };
        entry.queued = false;
        let dest = entry.dest;
        let pit = &self.pit;
        if let Some(d) = self.dests.get_mut(dest) {
            d.queue.cancel(|ticket| is_live(pit, ticket));
        }
        self.stir_dest(dest);
    }

    // ---- Data

    pub(crate) fn on_object_data(
        &mut self,
        ix: PitIx,
        out: OutIx,
        face: FaceIx,
        data: &Data<'_>,
        packet: P,
    ) {
        let Some((hash, dest)) = self.pit.get(ix).map(|entry| (entry.hash, entry.dest)) else {
            return;
        };
        let Some(before) = self.pit.out(out) else {
            return;
        };
        // After a repetition nobody knows which one was answered.
        let first_sent = (!before.is_repeated()).then_some(before.sent);
        let answered = before.state == OutState::Done;
        let record = self.pit.settle(out, OutState::Done);
        if let Some(out) = self.pit.out_mut(out) {
            out.state = OutState::Done;
        }
        if let Some(record) = record {
            let rtt = first_sent.map(|sent| self.now.saturating_duration_since(sent));
            let queue = data.header.interest_queue;
            self.feed(
                dest,
                &record,
                Feedback::Delivered { queue, rtt },
                Feedback::Delivered {
                    queue: data.header.data_queue,
                    rtt,
                },
            );
        }
        self.note_delivery(dest, face, first_sent);
        if self.pit.ins(ix).next().is_none() {
            if answered {
                self.note_drop(face, DropReason::Unsolicited);
            } else {
                bump(&mut self.counters.stragglers);
            }
            return self.linger(ix);
        }
        self.keep(hash, data, &packet);
        let queue = self.dests.get(dest).map(|d| saturate(d.queue.len()));
        while let Some(asker) = self.take_asker(ix, |_| true) {
            self.deliver(&asker, queue, packet.clone());
        }
        self.linger(ix);
    }

    /// Data for one downstream, with this node's queues.
    fn deliver(&mut self, asker: &InRecord, interest_queue: Option<u16>, packet: P) {
        let header = MarsHeader {
            interest_queue,
            data_queue: self.faces.get(asker.face).and_then(Face::reported_queue),
            ..MarsHeader::default()
        };
        let edit = Edit::Data {
            pit_token: asker.token,
            header,
        };
        self.transmit(asker.face, edit, packet);
    }

    /// `sent` is when the Interest left that was answered, if it left once.
    fn note_delivery(&mut self, dest: DestIx, face: FaceIx, sent: Option<Instant>) {
        let now = self.now;
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        d.used = now;
        let resumed = d.upstream_mut(face).is_some_and(|upstream| {
            upstream.was_heard(now);
            if let Some(sent) = sent {
                upstream.has_answered(sent);
            }
            upstream.health.delivered()
        });
        if resumed {
            self.note_path(dest, face, |dest, face| Event::PathResumed { dest, face });
            self.stir_dest(dest);
        }
    }

    // ---- the content store

    fn keep(&mut self, hash: u64, data: &Data<'_>, packet: &P) {
        if !self.cache.is_on() {
            return;
        }
        let fresh_until = self.now + data.freshness.unwrap_or_default();
        let name = data.name.as_value();
        let kept = self
            .cache
            .insert(hash, name, packet.clone(), data.octets, fresh_until);
        if let Some(evicted) = kept {
            bump(&mut self.counters.cached);
            let evictions = &mut self.counters.cache_evictions;
            *evictions = evictions.saturating_add(evicted.into());
        }
    }

    /// Answers an Interest from the content store. False if nothing fits.
    pub(crate) fn answer_from_cache(
        &mut self,
        hash: u64,
        asker: &InRecord,
        interest: &Interest<'_>,
    ) -> bool {
        if !self.cache.is_on() {
            return false;
        }
        // What answers probes was never kept.
        let name = interest.name.as_value();
        let found = self.cache.get(hash, name, interest.must_be_fresh, self.now);
        let Some(packet) = found else {
            return false;
        };
        bump(&mut self.counters.cache_hits);
        self.dead.insert(hash, asker.nonce, asker.face);
        // The downstream takes it for a sign of life, and believes in this node's rank the longer.
        let dest = MarsName::parse(interest.name).and_then(|name| {
            let dest = name.dest();
            self.find_dest(self.hash.of(dest.as_value()), dest)
        });
        if let Some(d) = dest.and_then(|dest| self.dests.get_mut(dest)) {
            d.used = self.now;
        }
        self.deliver(asker, None, packet);
        true
    }

    // ---- slots

    /// Settles a waiting out-record, once: its slot goes back, and the windows are told why.
    pub(crate) fn settle(&mut self, out: OutIx, state: OutState, why: Feedback) {
        let Some((_, dest, kind)) = self.pit.entry_of(out) else {
            return;
        };
        let Some(record) = self.pit.settle(out, state) else {
            return;
        };
        match kind {
            Kind::Data => self.feed(dest, &record, why, why),
            Kind::Probe { .. } if record.metered => {
                if let Some(upstream) = self.upstream_mut(dest, record.face) {
                    upstream.probes = upstream.probes.saturating_sub(1);
                }
            }
            Kind::Probe { .. } => {}
        }
    }

    /// Tells both windows of an out-record what became of its packet.
    pub(crate) fn feed(
        &mut self,
        dest: DestIx,
        record: &OutRecord,
        prefix: Feedback,
        all: Feedback,
    ) {
        if !record.metered {
            return;
        }
        // Neither can refuse: the record holds a slot of both.
        let now = self.now;
        let upstream = self
            .dests
            .get_mut(dest)
            .and_then(|d| d.upstream_mut(record.face));
        if let Some(upstream) = upstream {
            let _ = upstream.cc.handle_input(now, prefix);
        }
        if let Some(face) = self.faces.get_mut(record.face) {
            let _ = face.cc.handle_input(now, all);
        }
        self.stir_face(record.face);
        self.stir_dest(dest);
    }
}

/// The hop limit that reaches farther; without one there is no limit.
fn farther(a: Option<u8>, b: Option<u8>) -> Option<u8> {
    Some(a?.max(b?))
}

/// Whether a ticket's entry still waits in the queue.
pub(crate) fn is_live<P>(pit: &crate::pit::Pit<P>, ticket: Ticket) -> bool {
    pit.get(ticket.entry)
        .is_some_and(|e| e.stamp == ticket.stamp && e.queued)
}
