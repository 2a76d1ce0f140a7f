//! Release: which Interest goes next, over which face, and when.
//!
//! An Interest goes when both windows of (dest, face) let it: that of the face, shared by all
//! dests, and that of the dest over the face. The shortest tier with room goes first; a longer one
//! carries only what the shorter cannot, so that detours do not eat capacity that direct paths
//! could use. Dests that wait for one face are served in rotation.

use core::time::Duration;

use mars_cc::Input as Feedback;
use mars_time::Instant;
use mars_wire::{MarsHeader, NackDetail};

use crate::data::is_live;
use crate::dest::DestIx;
use crate::discovery::spend_hop;
use crate::face::{self, FaceIx, Faces};
use crate::forwarder::Forwarder;
use crate::output::Edit;
use crate::pit::{OutRecord, OutState, Pit, PitIx};
use crate::queue::Place;
use crate::timers::Key;
use crate::upstream::Upstream;

/// Least time after which an unanswered Interest gives its slot back.
const MIN_SILENCE: Duration = Duration::from_millis(60);
/// The same before any round-trip time is known (RFC 6298, 2.1).
const FIRST_SILENCE: Duration = Duration::from_secs(1);

/// Interests of a queue that are looked at when the first may take only faces that are full: one
/// that was refused elsewhere must not hold up the rest.
pub(crate) const LOOK_AHEAD: usize = 16;

/// Where an Interest may go.
enum Next {
    Send(FaceIx),
    /// Faces are left, but no window is open.
    Wait,
    /// No face is left for it.
    Nowhere,
}

impl<P: Clone> Forwarder<P> {
    /// Sends what a dest has queued as far as the windows let it.
    pub(crate) fn release(&mut self, dest: DestIx) {
        while let Some(ix) = self.head(dest) {
            match self.next(ix, dest) {
                Next::Send(face) => self.send_head(ix, dest, face),
                Next::Wait => {
                    if !self.send_past_head(dest) {
                        return self.await_credit(dest);
                    }
                }
                Next::Nowhere => {
                    self.pop_head(ix, dest);
                    // What is still under way may be answered.
                    if self.pit.waiting_out(ix).is_none() {
                        self.fail_data(ix, NackDetail::NoRoute);
                    }
                }
            }
        }
    }

    /// Sends the first of those behind the head that may go. False if none may.
    fn send_past_head(&mut self, dest: DestIx) -> bool {
        let now = self.now;
        let faces = &self.faces;
        let open = |u: &Upstream| {
            u.is_usable(now)
                && u.can_send(now)
                && faces.get(u.face).is_some_and(|f| f.cc.can_send(now))
        };
        if self
            .dests
            .get(dest)
            .is_none_or(|d| !d.upstreams.iter().any(open))
        {
            return false;
        }
        for n in 1..LOOK_AHEAD {
            let Some((place, ix)) = self.candidate(dest, n) else {
                return false;
            };
            if let Next::Send(face) = self.next(ix, dest) {
                self.send_from(place, ix, dest, face);
                return true;
            }
        }
        false
    }

    /// Gives a face's credit to the dests that wait for it, in rotation.
    pub(crate) fn serve_face(&mut self, face: FaceIx) {
        let now = self.now;
        let mut fruitless = 0;
        loop {
            let Some(f) = self.faces.get_mut(face) else {
                return;
            };
            if !f.up || fruitless >= f.waiting.len() || !f.cc.can_send(now) {
                break;
            }
            let Some(dest) = f.waiting.pop_front() else {
                break;
            };
            if self.serve_dest(dest, face) {
                fruitless = 0;
            } else if self
                .faces
                .get(face)
                .is_some_and(|f| f.waiting.back() == Some(&dest))
            {
                fruitless += 1;
            }
        }
        self.arm_face(face);
    }

    /// One Interest of `dest` over `face`, whose turn it is. False if none could go.
    fn serve_dest(&mut self, dest: DestIx, face: FaceIx) -> bool {
        let now = self.now;
        let spill = usize::from(self.config.tier_spill);
        if let Some(upstream) = self.upstream_mut(dest, face) {
            upstream.waiting = false;
        }
        let mut sent = false;
        for n in 0..LOOK_AHEAD {
            let Some((place, ix)) = self.candidate(dest, n) else {
                break;
            };
            let Some(d) = self.dests.get(dest) else {
                break;
            };
            let may = |u: &&Upstream| u.is_usable(now) && self.may_take(ix, u.face);
            let mut may = d.upstreams.iter().filter(may);
            let shortest = may.clone().next().map(|u| u.hops);
            sent = may.find(|u| u.face == face).is_some_and(|u| {
                u.can_send(now) && (Some(u.hops) == shortest || d.queue.len() > spill)
            });
            if sent {
                self.send_from(place, ix, dest, face);
                break;
            }
        }
        self.release(dest);
        sent
    }

    /// The live entry at the head of a dest's queue.
    fn head(&mut self, dest: DestIx) -> Option<PitIx> {
        let pit = &self.pit;
        let ticket = self.dests.get_mut(dest)?.queue.peek(|t| is_live(pit, t))?;
        Some(ticket.entry)
    }

    fn pop_head(&mut self, ix: PitIx, dest: DestIx) {
        if let (Some(entry), Some(d)) = (self.pit.get_mut(ix), self.dests.get_mut(dest)) {
            entry.queued = false;
            d.queue.pop();
        }
    }

    /// The `n`-th entry of a dest's queue that may go before others.
    fn candidate(&mut self, dest: DestIx, n: usize) -> Option<(Place, PitIx)> {
        let pit = &self.pit;
        let queue = &mut self.dests.get_mut(dest)?.queue;
        let (place, ticket) = queue.candidate(n, |t| is_live(pit, t))?;
        Some((place, ticket.entry))
    }

    fn send_from(&mut self, place: Place, ix: PitIx, dest: DestIx, face: FaceIx) {
        if let Some(d) = self.dests.get_mut(dest) {
            d.queue.take(place);
        }
        if let Some(entry) = self.pit.get_mut(ix) {
            entry.queued = false;
        }
        self.send_data_interest(ix, dest, face);
    }

    fn send_head(&mut self, ix: PitIx, dest: DestIx, face: FaceIx) {
        self.pop_head(ix, dest);
        self.send_data_interest(ix, dest, face);
    }

    /// The face for an entry: in the shortest tier with an open window, one that was not asked
    /// before if there is any, and of those the one that has been ready for longest. Longer tiers
    /// open while more than a few Interests wait, and for what a shorter one left without an answer
    /// twice: or a black hole next to the producer would stop everybody. One loss is no reason for
    /// a detour.
    fn next(&self, ix: PitIx, dest: DestIx) -> Next {
        let now = self.now;
        let Some(d) = self.dests.get(dest) else {
            return Next::Nowhere;
        };
        if let Some(producer) = d.producer
            && self.may_take(ix, producer)
        {
            return Next::Send(producer);
        }
        let spills = d.queue.len() > usize::from(self.config.tier_spill);
        let mut tier = None;
        let mut all_silent = true;
        let mut best: Option<(bool, Instant, FaceIx)> = None;
        for upstream in d.upstreams.iter().filter(|u| u.is_usable(now)) {
            if !self.may_take(ix, upstream.face) {
                continue;
            }
            if tier != Some(upstream.hops) {
                if !all_silent && (best.is_some() || !spills) {
                    break;
                }
                tier = Some(upstream.hops);
            }
            let before = self.pit.out_of(ix, upstream.face);
            let asked = before.is_some();
            all_silent &= before.is_some_and(|(_, record)| record.is_repeated());
            let Some(face) = self.faces.get(upstream.face) else {
                continue;
            };
            if face.cc.can_send(now) && upstream.can_send(now) {
                let candidate = (asked, face.cc.next_send(), upstream.face);
                best = Some(best.map_or(candidate, |best| best.min(candidate)));
            }
        }
        match (best, tier) {
            (Some((.., face)), _) => Next::Send(face),
            (None, Some(_)) => Next::Wait,
            (None, None) if self.is_held(ix) => Next::Wait,
            (None, None) => Next::Nowhere,
        }
    }

    /// Whether any face is left for an entry.
    pub(crate) fn may_go_on(&self, ix: PitIx, dest: DestIx) -> bool {
        let now = self.now;
        let left = |u: &Upstream| u.is_usable(now) && self.may_take(ix, u.face);
        self.dests.get(dest).is_some_and(|d| {
            d.producer.is_some_and(|face| self.may_take(ix, face)) || d.upstreams.iter().any(left)
        })
    }

    /// Whether an entry waits for a next hop to appear: nobody was asked yet.
    fn is_held(&self, ix: PitIx) -> bool {
        self.config.hold_without_route && self.pit.outs(ix).next().is_none()
    }

    /// Puts a dest with a backlog into the rotation of each face that only its own window holds
    /// back, and wakes it when its pacing lets it go. Those behind the head count as long as those
    /// before them may not take every face.
    fn await_credit(&mut self, dest: DestIx) {
        let mut wake = None;
        for n in 0..LOOK_AHEAD {
            let Some((_, ix)) = self.candidate(dest, n) else {
                break;
            };
            if self.await_faces(ix, dest, &mut wake) {
                break;
            }
        }
        if let Some(d) = self.dests.get_mut(dest) {
            d.wake = wake;
            self.arm_dest(dest);
        }
    }

    /// The same for one entry. True if it may take every usable face.
    fn await_faces(&mut self, ix: PitIx, dest: DestIx, wake: &mut Option<Instant>) -> bool {
        let now = self.now;
        let spill = usize::from(self.config.tier_spill);
        let Some(d) = self.dests.get_mut(dest) else {
            return true;
        };
        let spills = d.queue.len() > spill;
        let (mut tier, mut free) = (None, true);
        for upstream in &mut d.upstreams {
            if !upstream.is_usable(now) {
                let until = upstream.health.until().filter(|_| upstream.is_valid());
                *wake = earlier(*wake, until);
                continue;
            }
            if !may_take(&self.pit, &self.faces, ix, upstream.face) {
                free = false;
                continue;
            }
            if tier.is_some_and(|hops| hops != upstream.hops) && !spills {
                free = false;
                break;
            }
            tier = Some(upstream.hops);
            let Some(face) = self.faces.get_mut(upstream.face) else {
                continue;
            };
            if !upstream.can_send(now) {
                *wake = earlier(*wake, upstream.paced_until(now));
            } else if !upstream.waiting {
                upstream.waiting = true;
                face.waiting.push_back(dest);
                if face.waiting.len() == 1 {
                    let key = Key::Face(upstream.face & face::MAX_FACES);
                    self.timers.set_after(now, key, paced_wake(face));
                }
            }
        }
        free
    }

    fn arm_face(&mut self, ix: FaceIx) {
        let at = self.faces.get(ix).and_then(paced_wake);
        self.arm(
            Key::Face(ix & face::MAX_FACES),
            at.filter(|at| *at > self.now),
        );
    }

    pub(crate) fn arm_dest(&mut self, dest: DestIx) {
        let at = self
            .dests
            .get(dest)
            .map(|d| d.wake.map_or(d.check, |wake| wake.min(d.check)));
        self.arm(Key::Dest(dest), at);
    }

    /// Sends a data Interest over one face and takes the slots for it.
    pub(crate) fn send_data_interest(&mut self, ix: PitIx, dest: DestIx, face: FaceIx) {
        let now = self.now;
        let (Some(entry), Some(f)) = (self.pit.get(ix), self.faces.get_mut(face)) else {
            return;
        };
        let first = self.pit.outs(ix).next().is_none();
        let before = self.pit.out_of(ix, face).map(|(_, record)| record.repeats);
        let asked = self.pit.ins(ix).next().map(|r| r.nonce);
        let kind = f.kind;
        let hop_limit = spend_hop(entry.hop_limit, kind);
        let packet = entry.packet.clone();
        let mut silence = f.cc.srtt();
        let mut metered = false;
        if let Some(upstream) = self.dests.get_mut(dest).and_then(|d| d.upstream_mut(face)) {
            metered = true;
            silence = upstream.srtt().or(silence);
            let _ = upstream.cc.handle_input(now, Feedback::Sent);
            let _ = f.cc.handle_input(now, Feedback::Sent);
        }
        let silence = silence.map_or(FIRST_SILENCE, |srtt| {
            srtt.saturating_mul(4).max(MIN_SILENCE)
        });
        let nonce = match asked {
            Some(nonce) if first => nonce,
            _ => self.rng.next_u32(),
        };
        let mut record = OutRecord::new(ix, face, nonce, now, now + silence);
        record.repeats = before.map_or(0, |repeats| repeats.saturating_add(1));
        record.metered = metered;
        self.pit.add_out(record);
        let edit = Edit::Interest {
            hop_limit,
            nonce,
            lifetime: None,
            header: MarsHeader::default(),
        };
        self.transmit(face, edit, packet);
        self.arm_pit(ix);
    }

    pub(crate) fn may_take(&self, ix: PitIx, face: FaceIx) -> bool {
        may_take(&self.pit, &self.faces, ix, face)
    }

    /// Pacing, suspensions, expiry.
    pub(crate) fn on_dest_timer(&mut self, dest: DestIx) {
        let now = self.now;
        if self.dests.get(dest).is_some_and(|d| d.check <= now) {
            self.expire_paths(dest);
        }
        if let Some(d) = self.dests.get_mut(dest) {
            d.wake = None;
            self.arm_dest(dest);
            self.stir_dest(dest);
        }
    }
}

/// Whether an entry may be sent over a face: not back to who asked, not where it waits or was
/// refused in this epoch, and with its last hop only to an application here.
pub(crate) fn may_take<P>(pit: &Pit<P>, faces: &Faces, ix: PitIx, face: FaceIx) -> bool {
    let hops = pit.get(ix).and_then(|entry| entry.hop_limit);
    pit.ins(ix).all(|r| r.face != face)
        && matches!(pit.tried(ix, face), None | Some(OutState::Silent))
        && (hops.is_none_or(|hops| hops > 1) || faces.is_local(face))
}

/// When pacing opens a face that dests wait for; `None` if its window is full or nobody waits.
fn paced_wake(face: &crate::face::Face) -> Option<Instant> {
    let room = face.cc.in_flight() < face.cc.window();
    (face.up && room && !face.waiting.is_empty()).then(|| face.cc.next_send())
}

fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
