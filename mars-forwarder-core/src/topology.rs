//! What the host tells of faces, routes and producers.

use alloc::vec::Vec;

use mars_cc::Input as Feedback;
use mars_wire::{NackDetail, Name};

use crate::dest::DestIx;
use crate::face::{FaceIx, MAX_FACES};
use crate::fib::FibIx;
use crate::forwarder::Forwarder;
use crate::health::Health;
use crate::input::{FaceKind, Route};
use crate::pit::{Kind, OutState};
use crate::timers::Key;
use crate::upstream::{Standing, Upstream};
use crate::{Error, FaceId};

impl<P: Clone> Forwarder<P> {
    // ---- faces

    pub(crate) fn on_face_added(&mut self, id: FaceId, kind: FaceKind) -> Result<(), Error> {
        if self.faces.find(id).is_some() {
            return Err(Error::DuplicateFace(id));
        }
        if self.faces.len() >= self.config.max_faces {
            return Err(Error::Full("faces"));
        }
        let cc = self
            .controller(self.config.face_law)
            .ok_or(Error::Full("faces"))?;
        self.faces.insert(id, kind, &cc);
        Ok(())
    }

    pub(crate) fn on_face_down(&mut self, face: FaceIx) {
        let Some(f) = self.faces.get_mut(face).filter(|f| f.up) else {
            return;
        };
        f.up = false;
        f.waiting.clear();
        self.arm(Key::Face(face & MAX_FACES), None);
        for dest in self.dests_over(face) {
            let upstream = self.upstream_mut(dest, face);
            let Some(upstream) = upstream else {
                continue;
            };
            let was_valid = upstream.is_valid();
            upstream.up = false;
            upstream.pending = false;
            upstream.waiting = false;
            if was_valid {
                self.note_path_lost(dest, face);
            }
        }
        self.rematch_produced(face);
        self.move_in_flight(face, |_| true);
    }

    /// The dests of all prefixes that an application answers for: it came, or went.
    fn rematch_produced(&mut self, face: FaceIx) {
        if !self.faces.is_local(face) {
            return;
        }
        let produced = self.fib.iter();
        let produced = produced.filter(|(_, e)| e.producers.contains(&face));
        let produced: Vec<FibIx> = produced.map(|(ix, _)| ix).collect();
        for fib in produced {
            self.fib_changed(fib);
        }
    }

    /// Sends what waits on a face over the others, at once: of all dests, or of one that lost it.
    fn move_in_flight(&mut self, face: FaceIx, which: impl Fn(DestIx) -> bool) {
        let mut moved = Vec::new();
        let mut at = self.pit.waiting_on(face);
        while let Some(out) = at {
            at = self.pit.next_on_face(out);
            if let Some((ix, dest, kind)) = self.pit.entry_of(out)
                && which(dest)
            {
                moved.push((ix, out, kind));
            }
        }
        // The oldest stands last in the chain and goes first.
        for (_, out, _) in moved.iter().rev() {
            self.settle(*out, OutState::Done, Feedback::Released);
        }
        for (ix, _, kind) in moved.iter().rev() {
            match kind {
                Kind::Data => self.retry(*ix, NackDetail::NoRoute),
                Kind::Probe { .. } => self.redirect_probe(*ix),
            }
        }
    }

    /// The face returns. What was learnt from it is an upper bound for ever, and faces that a rank
    /// change has left behind were taken out at that time, so those that are still valid are safe.
    pub(crate) fn on_face_up(&mut self, face: FaceIx) {
        let now = self.now;
        let Some(f) = self.faces.get_mut(face).filter(|f| !f.up) else {
            return;
        };
        f.up = true;
        f.data_queue = 0;
        let _ = f.cc.handle_input(now, Feedback::Reset);
        for dest in self.dests_over(face) {
            let Some(d) = self.dests.get_mut(dest) else {
                continue;
            };
            let mut found = None;
            if let Some(upstream) = d.upstream_mut(face) {
                upstream.up = true;
                upstream.health = Health::GOOD;
                let _ = upstream.cc.handle_input(now, Feedback::Reset);
                if let Standing::Valid { rank, .. } = upstream.standing {
                    found = Some(rank);
                }
            }
            d.probe_newcomers();
            if let Some(rank) = found {
                self.note_path_found(dest, face, rank);
            }
            self.stir_dest(dest);
        }
        self.rematch_produced(face);
    }

    pub(crate) fn on_face_removed(&mut self, face: FaceIx) {
        self.on_face_down(face);
        let with: Vec<FibIx> = self
            .fib
            .iter()
            .filter(|(_, e)| e.producers.contains(&face) || e.hops.iter().any(|(_, f)| *f == face))
            .map(|(ix, _)| ix)
            .collect();
        for fib in with {
            if let Some(entry) = self.fib.get_mut(fib) {
                entry.hops.retain(|(_, f)| *f != face);
                entry.producers.retain(|f| *f != face);
            }
            self.fib_changed(fib);
        }
        for dest in self.dests.iter_mut() {
            dest.downstreams.retain(|down| down.face != face);
        }
        self.faces.remove(face);
    }

    fn dests_over(&self, face: FaceIx) -> Vec<DestIx> {
        self.dests
            .iter()
            .filter(|(_, d)| d.upstream(face).is_some())
            .map(|(ix, _)| ix)
            .collect()
    }

    // ---- routes and producers

    pub(crate) fn on_routes(&mut self, prefix: Name<'_>, routes: &[Route]) -> Result<(), Error> {
        let mut hops = Vec::with_capacity(routes.len());
        for route in routes {
            let face = self
                .faces
                .find(route.face)
                .ok_or(Error::UnknownFace(route.face))?;
            if route.hops == 0 {
                return Err(Error::ZeroHops(route.face));
            }
            if hops.iter().any(|(_, f)| *f == face) {
                return Err(Error::DuplicateRoute(route.face));
            }
            hops.push((route.hops, face));
        }
        hops.sort_unstable();
        if hops.is_empty() && self.fib.find(&self.hash, prefix).is_none() {
            return Ok(());
        }
        let fib = self.fib_entry(prefix)?;
        if let Some(entry) = self.fib.get_mut(fib) {
            entry.hops = hops;
        }
        self.fib_changed(fib);
        Ok(())
    }

    pub(crate) fn on_producer(
        &mut self,
        prefix: Name<'_>,
        id: FaceId,
        present: bool,
    ) -> Result<(), Error> {
        let face = self.faces.find(id).ok_or(Error::UnknownFace(id))?;
        if !self.faces.is_local(face) {
            return Err(Error::NotLocal(id));
        }
        if !present && self.fib.find(&self.hash, prefix).is_none() {
            return Ok(());
        }
        let fib = self.fib_entry(prefix)?;
        if let Some(entry) = self.fib.get_mut(fib) {
            entry.producers.retain(|f| *f != face);
            if present {
                entry.producers.push(face);
            }
        }
        self.fib_changed(fib);
        Ok(())
    }

    /// The FIB entry of a prefix; a new one takes over the dests that it matches better.
    fn fib_entry(&mut self, prefix: Name<'_>) -> Result<FibIx, Error> {
        if let Some(ix) = self.fib.find(&self.hash, prefix) {
            return Ok(ix);
        }
        if self.fib.len() >= self.config.max_prefixes {
            return Err(Error::Full("prefixes"));
        }
        let shorter = self.fib.longest_match(&self.hash, prefix);
        let fib = self.fib.entry(&self.hash, prefix);
        let held = shorter
            .and_then(|ix| self.fib.get(ix))
            .map(|e| e.dests.clone());
        for dest in held.unwrap_or_default() {
            self.rematch(dest);
        }
        self.rematch_unrouted(prefix);
        Ok(fib)
    }

    /// Dests that no prefix matched until this one appeared.
    fn rematch_unrouted(&mut self, prefix: Name<'_>) {
        let (dests, prefix) = (&self.dests, prefix.as_value());
        let mut below = Vec::new();
        self.unrouted.retain(|ix| {
            let name = dests.get(*ix).map(|d| d.name.as_name());
            let is_below = name.is_some_and(|name| name.as_value().starts_with(prefix));
            if is_below {
                below.push(*ix);
            }
            !is_below
        });
        for dest in below {
            self.rematch(dest);
        }
    }

    /// Whether a prefix can be used without discovery: it has a producer here, or plain next hops.
    pub(crate) fn serves_without_discovery(&self, fib: FibIx) -> bool {
        let plain = |face: FaceIx| {
            self.faces
                .get(face)
                .is_some_and(|f| f.kind == FaceKind::Plain)
        };
        self.fib
            .get(fib)
            .is_some_and(|e| !e.producers.is_empty() || e.hops.iter().any(|(_, face)| plain(*face)))
    }

    fn fib_changed(&mut self, fib: FibIx) {
        let mut dests = self
            .fib
            .get(fib)
            .map(|e| e.dests.clone())
            .unwrap_or_default();
        dests.extend(self.fib.remove_if_empty(fib));
        dests.sort_unstable();
        dests.dedup();
        for dest in dests {
            self.rematch(dest);
        }
    }

    /// Looks a dest up in the FIB again and brings its next hops in line.
    pub(crate) fn rematch(&mut self, dest: DestIx) {
        let Some(d) = self.dests.get(dest) else {
            return;
        };
        let (old, present) = (d.fib, d.producer);
        let fib = self.fib.longest_match(&self.hash, d.name.as_name());
        if old != fib
            && let Some(entry) = old.and_then(|old| self.fib.get_mut(old))
        {
            entry.dests.retain(|held| *held != dest);
        }
        let (mut hops, mut producer) = (Vec::new(), None);
        if let Some(entry) = fib.and_then(|fib| self.fib.get_mut(fib)) {
            if !entry.dests.contains(&dest) {
                entry.dests.push(dest);
            }
            hops.clone_from(&entry.hops);
            let faces = &self.faces;
            let up = |face: &FaceIx| faces.get(*face).is_some_and(|f| f.up);
            let kept = present.filter(|face| entry.producers.contains(face) && up(face));
            producer = kept.or_else(|| entry.producers.iter().copied().find(up));
        }
        if fib.is_none() && old.is_some() {
            self.unrouted.push(dest);
        }
        if let Some(d) = self.dests.get_mut(dest) {
            d.fib = fib;
            d.producer = producer;
        }
        self.set_upstreams(dest, &hops);
        if present != producer {
            if let Some(face) = present {
                self.move_in_flight(face, |of| of == dest);
            }
            if let Some(face) = producer {
                self.revive(dest, face);
            }
        }
    }

    /// Keeps what theta admits. Known faces keep their standing; what is gone hands its Interests
    /// over; what is new is probed in the next round.
    fn set_upstreams(&mut self, dest: DestIx, hops: &[(u32, FaceIx)]) {
        let least = hops.first().map_or(0, |(hops, _)| *hops);
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        let mut old = core::mem::take(&mut d.upstreams);
        let mut new = Vec::with_capacity(hops.len());
        for (hops, face) in hops {
            let Some(f) = self.faces.get(*face) else {
                continue;
            };
            let plain = f.kind == FaceKind::Plain;
            if !self.config.theta.admits(*hops, least) || (plain && *hops != least) {
                continue;
            }
            if let Some(at) = old.iter().position(|u| u.face == *face) {
                let mut kept = old.swap_remove(at);
                kept.hops = *hops;
                new.push(kept);
                continue;
            }
            let Some(cc) = self.controller(self.config.dest_law) else {
                continue;
            };
            let mut upstream = Upstream::new(*face, *hops, f.up, &cc);
            if plain {
                upstream.standing = Standing::Valid {
                    rank: None,
                    node_conv: true,
                };
                if f.up {
                    self.note_path_found(dest, *face, None);
                }
            }
            new.push(upstream);
        }
        if let Some(d) = self.dests.get_mut(dest) {
            d.upstreams = new;
            d.probe_newcomers();
        }
        old.sort_unstable_by_key(|u| (u.hops, u.face));
        for gone in old {
            if let Some(f) = self.faces.get_mut(gone.face) {
                f.waiting.retain(|waiting| *waiting != dest);
            }
            if gone.is_valid() {
                self.note_path_lost(dest, gone.face);
            }
            self.move_in_flight(gone.face, |of| of == dest);
        }
        self.stir_dest(dest);
    }

    // ---- expiry

    /// Takes out valid faces that brought no Data for the path lifetime, and forgets a dest that
    /// was not used for so long that nobody can hold a rank of it any more.
    pub(crate) fn expire_paths(&mut self, dest: DestIx) {
        let (now, lifetime) = (self.now, self.config.path_lifetime);
        let Some(d) = self.dests.get_mut(dest) else {
            return;
        };
        if d.pending == 0 && d.producer.is_none() && d.forget_at(lifetime) <= now {
            return self.forget_dest(dest);
        }
        self.forget_paths(dest, |u| u.learnt().is_some() && u.asked + lifetime <= now);
        self.check_dest(dest);
    }

    /// Sets the time of the next look at a dest's lifetimes. Looking too early is harmless.
    pub(crate) fn check_dest(&mut self, dest: DestIx) {
        let (now, lifetime) = (self.now, self.config.path_lifetime);
        if let Some(d) = self.dests.get_mut(dest) {
            let at = d.next_expiry(lifetime);
            d.check = if at > now { at } else { now + lifetime };
            self.arm_dest(dest);
        }
    }

    fn forget_dest(&mut self, dest: DestIx) {
        let Some(d) = self.dests.remove(dest) else {
            return;
        };
        if let Ok(found) = self.dest_index.find_entry(d.hash, |ix| *ix == dest) {
            found.remove();
        }
        if let Some(entry) = d.fib.and_then(|fib| self.fib.get_mut(fib)) {
            entry.dests.retain(|held| *held != dest);
        }
        for upstream in &d.upstreams {
            if let Some(face) = self.faces.get_mut(upstream.face) {
                face.waiting.retain(|waiting| *waiting != dest);
            }
        }
        if let Some(face) = self.faces.get_mut(d.opened_by) {
            face.dests -= 1;
        }
        self.unrouted.retain(|unrouted| *unrouted != dest);
        self.arm(Key::Dest(dest), None);
    }
}
