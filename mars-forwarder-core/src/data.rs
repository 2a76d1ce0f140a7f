//! The data plane: Interests into the queue of their dest, Data back to all who asked, Nacks to
//! another face or down.

use core::time::Duration;

use mars_cc::Input as Feedback;
use mars_wire::{MarsHeader, NackDetail};

use crate::dest::DestIx;
use crate::discovery::detail_of;
use crate::face::{Face, FaceIx};
use crate::forwarder::{Forwarder, saturate};
use crate::input::{Data, Interest, Nack};
use crate::output::{DropReason, Edit};
use crate::pit::{InRecord, Kind, OutIx, OutRecord, OutState, PitIx};
use crate::queue::Ticket;
use crate::release::Next;

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
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        d.used = now;
        let direct = d.producer.filter(|producer| *producer != asker.face);
        let refusal = if direct.is_some() {
            None
        } else if !d.has_usable(now, asker.face) {
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
        if !self.pass_queue(ix, dest, face) {
            self.arm_pit(ix);
            self.enqueue(ix, dest, face);
            self.stir_dest(dest);
        }
    }

    /// Sends a new Interest past an empty queue, if a window is open.
    fn pass_queue(&mut self, ix: PitIx, dest: DestIx, face: FaceIx) -> bool {
        if self.dests.get(dest).is_none_or(|d| d.queue.len() > 0) {
            return false;
        }
        let Next::Send(upstream) = self.next(ix, dest, 1) else {
            return false;
        };
        if let Some(d) = self.dests.get_mut(dest) {
            d.queue.pass(face);
        }
        self.send_data_interest(ix, dest, upstream);
        true
    }

    /// The same name while it is pending: a retransmission, or another downstream that joins.
    ///
    /// It goes out again only if nothing is under way any more, or if the same downstream repeats
    /// itself after the answer was due; a downstream that joins never restarts the clock.
    pub(crate) fn on_repeated_data_interest(&mut self, ix: PitIx, asker: InRecord) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let (dest, queued, face) = (entry.dest, entry.queued, asker.face);
        let joins = self.pit.ins(ix).all(|r| r.face != face);
        self.add_asker(ix, asker);
        if queued {
            return;
        }
        let last = self
            .pit
            .outs(ix)
            .filter(|(_, r)| r.is_waiting())
            .map(|(_, r)| (r.sent, r.face))
            .max();
        if let Some((sent, out_face)) = last {
            let rtt = self
                .dests
                .get(dest)
                .and_then(|d| d.upstream(out_face)?.srtt());
            let due = sent + rtt.unwrap_or(MIN_REPEAT).max(MIN_REPEAT);
            if joins || self.now < due {
                if !joins {
                    self.note_drop(face, DropReason::Suppressed);
                }
                return;
            }
        }
        self.pit.new_epoch(ix);
        self.free_last_resort(ix, dest);
        match self.dests.get(dest).and_then(|d| d.producer) {
            Some(producer) if producer != face => {
                if let Some((out, _)) = self.pit.out_of(ix, producer) {
                    self.settle(out, OutState::Done, Feedback::Released);
                }
                self.send_data_interest(ix, dest, producer);
            }
            _ => {
                self.enqueue(ix, dest, face);
                self.stir_dest(dest);
            }
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

    /// An entry in the queue has ended.
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
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        let first_sent = self
            .pit
            .out_mut(out)
            .and_then(|record| (!record.is_repeated()).then_some(record.sent));
        if let Some(record) = self.pit.settle(out, OutState::Done) {
            let rtt = now.saturating_duration_since(record.sent);
            let rtt = (!record.is_repeated()).then_some(rtt);
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
        if let Some(d) = self.dests.get_mut(dest) {
            d.used = now;
            if let Some(upstream) = d.upstream_mut(face) {
                upstream.was_heard(now);
                if let Some(sent) = first_sent {
                    upstream.has_answered(sent);
                }
            }
        }
        let queue = self.dests.get(dest).map(|d| saturate(d.queue.len()));
        while let Some(asker) = self.take_asker(ix, |_| true) {
            let header = MarsHeader {
                interest_queue: queue,
                data_queue: self.faces.get(asker.face).and_then(Face::reported_queue),
                ..MarsHeader::default()
            };
            let edit = Edit::Data {
                pit_token: asker.token,
                header,
            };
            self.transmit(asker.face, edit, packet.clone());
        }
        self.erase(ix);
    }

    // ---- Nacks, silence, lost faces

    pub(crate) fn on_data_nack(&mut self, ix: PitIx, out: OutIx, face: FaceIx, nack: &Nack<'_>) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
        let now = self.now;
        let detail = detail_of(nack);
        let congestion = matches!(detail, NackDetail::QueueFull | NackDetail::Stale);
        let (feedback, detail) = if congestion {
            (Feedback::Nacked, NackDetail::QueueFull)
        } else {
            (Feedback::Released, NackDetail::NoRoute)
        };
        if let Some(record) = self.pit.settle(out, OutState::Done) {
            self.feed(dest, &record, feedback, Feedback::Released);
        }
        if !congestion && let Some(upstream) = self.upstream_mut(dest, face) {
            upstream.refused_data(now);
        }
        self.retry(ix, detail);
    }

    /// Puts an Interest whose face failed it at the head of its queue; down it goes if no face is
    /// left that it may take.
    pub(crate) fn retry(&mut self, ix: PitIx, detail: NackDetail) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let (dest, stamp) = (entry.dest, entry.stamp);
        if entry.queued || self.pit.outs(ix).any(|(_, r)| r.is_waiting()) {
            return self.arm_pit(ix);
        }
        if !self.may_go_on(ix, dest) {
            return self.fail_data(ix, detail);
        }
        if let (Some(entry), Some(d)) = (self.pit.get_mut(ix), self.dests.get_mut(dest)) {
            entry.queued = true;
            d.queue.push_returned(Ticket { entry: ix, stamp });
        }
        self.arm_pit(ix);
        self.stir_dest(dest);
    }

    /// Returns an Interest to all who asked, and ends its entry.
    pub(crate) fn fail_data(&mut self, ix: PitIx, detail: NackDetail) {
        self.refuse_all(ix, detail);
        self.erase(ix);
    }

    /// Out-records that were silent for too long give their slots back; retransmission is the
    /// consumer's business. The entry ends with its last in-record.
    pub(crate) fn on_data_timer(&mut self, ix: PitIx) {
        let now = self.now;
        while let Some((out, _)) = self.due_out(ix) {
            self.settle(out, OutState::Silent, Feedback::Lost);
        }
        while self.take_asker(ix, |r| r.expires <= now).is_some() {}
        if self.pit.ins(ix).next().is_some() {
            self.arm_pit(ix);
        } else {
            self.erase(ix);
        }
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
            Kind::Probe { .. } if record.is_metered() => {
                if let Some(upstream) = self.upstream_mut(dest, record.face) {
                    upstream.probes = upstream.probes.saturating_sub(1);
                }
            }
            Kind::Probe { .. } => {}
        }
    }

    /// Tells both windows of an out-record what became of its packet.
    fn feed(&mut self, dest: DestIx, record: &OutRecord, prefix: Feedback, all: Feedback) {
        if !record.is_metered() {
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

/// Whether a ticket's entry still waits in the queue.
pub(crate) fn is_live<P>(pit: &crate::pit::Pit<P>, ticket: Ticket) -> bool {
    pit.get(ticket.entry)
        .is_some_and(|e| e.stamp == ticket.stamp && e.queued)
}
