//! What goes wrong with a data Interest: a Nack, a silence, a face that is gone; and what is kept
//! of it for a while: the entry that waits for a second answer, the Interest that waits for a path.

use core::time::Duration;

use mars_cc::Input as Feedback;
use mars_time::Instant;
use mars_wire::NackDetail;

use crate::counters::bump;
use crate::dest::DestIx;
use crate::discovery::detail_of;
use crate::face::FaceIx;
use crate::forwarder::Forwarder;
use crate::input::Nack;
use crate::output::Event;
use crate::pit::{OutIx, OutState, Pit, PitIx};
use crate::queue::Ticket;

/// After the first answer an entry is kept at least this long for those of other faces.
const MIN_LINGER: Duration = Duration::from_millis(50);
/// Entries that linger take at most this share of the PIT; no downstream is charged for them.
const LINGER_SHARE: u32 = 8;

impl<P: Clone> Forwarder<P> {
    // ---- Nacks and lost faces

    pub(crate) fn on_data_nack(&mut self, ix: PitIx, out: OutIx, face: FaceIx, nack: &Nack<'_>) {
        let Some(dest) = self.pit.get(ix).map(|entry| entry.dest) else {
            return;
        };
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
        self.pit.refused(out);
        if !congestion {
            self.note_data_refusal(dest, face);
        }
        self.retry(ix, detail);
    }

    /// A face refused data for want of a route, or because it had seen the Interest.
    fn note_data_refusal(&mut self, dest: DestIx, face: FaceIx) {
        let now = self.now;
        let upstream = self.upstream_mut(dest, face);
        if let Some(until) = upstream.and_then(|u| u.health.refused(now)) {
            bump(&mut self.counters.suspensions);
            self.note_path(dest, face, |dest, face| Event::PathSuspended {
                dest,
                face,
                until,
            });
        }
    }

    /// Puts an Interest whose face failed it at the head of its queue; down it goes if no face is
    /// left that it may take.
    pub(crate) fn retry(&mut self, ix: PitIx, detail: NackDetail) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let dest = entry.dest;
        if entry.queued || self.pit.waiting_out(ix).is_some() {
            return self.arm_pit(ix);
        }
        if self.pit.ins(ix).next().is_none() {
            return self.linger(ix);
        }
        if !self.may_go_on(ix, dest) {
            return self.fail_data(ix, detail);
        }
        bump(&mut self.counters.moved);
        self.requeue(ix, dest);
    }

    /// At the head of its queue, exempt from the cap: it was admitted before.
    fn requeue(&mut self, ix: PitIx, dest: DestIx) {
        if let (Some(entry), Some(d)) = (self.pit.get_mut(ix), self.dests.get_mut(dest)) {
            entry.queued = true;
            d.queue.push_returned(Ticket {
                entry: ix,
                stamp: entry.stamp,
            });
        }
        self.arm_pit(ix);
        self.stir_dest(dest);
    }

    /// Returns an Interest to all who asked, and ends its entry.
    pub(crate) fn fail_data(&mut self, ix: PitIx, detail: NackDetail) {
        self.refuse_all(ix, detail);
        self.erase(ix);
    }

    // ---- silence

    /// Out-records that were silent for too long give their slots back; retransmission is the
    /// consumer's business. The entry ends with its last in-record, or when it has lingered.
    pub(crate) fn on_data_timer(&mut self, ix: PitIx) {
        let now = self.now;
        let mut fell_silent = false;
        while let Some((out, _)) = self.due_out(ix) {
            self.settle(out, OutState::Silent, Feedback::Lost);
            bump(&mut self.counters.silences);
            fell_silent = true;
        }
        while self.take_asker(ix, |r| r.expires <= now).is_some() {
            bump(&mut self.counters.expired);
        }
        if self.pit.ins(ix).next().is_some() {
            if fell_silent {
                self.park(ix);
            }
            // Without the asker that left, it may take that face.
            if let Some(entry) = self.pit.get(ix).filter(|entry| entry.queued) {
                self.stir_dest(entry.dest);
            }
            return self.arm_pit(ix);
        }
        let lingers = self.pit.get(ix).and_then(|entry| entry.linger);
        if lingers.is_some_and(|at| at > now) {
            return self.arm_pit(ix);
        }
        self.erase(ix);
    }

    /// An Interest for which nothing is under way any more waits for a path to appear.
    fn park(&mut self, ix: PitIx) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        if entry.queued || self.pit.waiting_out(ix).is_some() {
            return;
        }
        let ticket = Ticket {
            entry: ix,
            stamp: entry.stamp,
        };
        let pit = &self.pit;
        if let Some(d) = self.dests.get_mut(entry.dest) {
            d.parked.push(ticket, d.pending, |t| is_parked(pit, t));
        }
    }

    /// A face appeared where there was none: it is asked for what all others were asked for in
    /// vain. A route event, not a timeout: a forwarder does not retransmit on silence, and while
    /// another face is there, the consumer's next try finds it.
    pub(crate) fn revive(&mut self, dest: DestIx, face: FaceIx) {
        let now = self.now;
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        if d.has_usable(now, face) {
            return;
        }
        for ticket in d.parked.take() {
            let ix = ticket.entry;
            if !is_parked(&self.pit, ticket) {
                continue;
            }
            if self.pit.out_of(ix, face).is_none() && self.may_take(ix, face) {
                bump(&mut self.counters.revived);
                self.requeue(ix, dest);
            } else {
                self.park(ix);
            }
        }
    }

    // ---- stragglers

    /// After the answer, or after what came instead: an entry that nobody asks for any more is kept
    /// while another face may still answer, so that its answer is a sample and not unsolicited;
    /// as long as that face holds a slot, and 50 ms at least.
    pub(crate) fn linger(&mut self, ix: PitIx) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        if !self.pit.is_owed(ix) {
            return self.erase(ix);
        }
        let until = entry.linger.or_else(|| {
            let soonest = self.now + MIN_LINGER;
            Some(self.pit.last_wait(ix).map_or(soonest, |at| at.max(soonest)))
        });
        self.linger_until(ix, until);
    }

    /// Keeps an entry that nobody asks for any more until then. It ends at once if it is worth
    /// nothing, or if it would be one too many of those that linger.
    pub(crate) fn linger_until(&mut self, ix: PitIx, until: Option<Instant>) {
        let lingers = self.pit.get(ix).is_some_and(|entry| entry.linger.is_some());
        let room = lingers || self.lingering < self.config.max_pending / LINGER_SHARE;
        if until.is_none() || !room {
            return self.erase(ix);
        }
        self.set_linger(ix, until);
        self.arm_pit(ix);
    }

    /// Sets or ends the time that an entry without askers is kept, and counts such entries.
    pub(crate) fn set_linger(&mut self, ix: PitIx, until: Option<Instant>) {
        let Some(entry) = self.pit.get_mut(ix) else {
            return;
        };
        let (was, is) = (entry.linger.is_some(), until.is_some());
        entry.linger = until;
        self.lingering = self.lingering + u32::from(is) - u32::from(was);
    }
}

/// Whether a parked Interest is still pending with nothing under way.
pub(crate) fn is_parked<P>(pit: &Pit<P>, ticket: Ticket) -> bool {
    let entry = pit.get(ticket.entry);
    entry.is_some_and(|e| e.stamp == ticket.stamp && !e.queued)
        && pit.waiting_out(ticket.entry).is_none()
        && pit.ins(ticket.entry).next().is_some()
}
