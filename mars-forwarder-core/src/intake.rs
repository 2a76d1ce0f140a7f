//! Arriving packets, up to the point where data and discovery part: hop limit, nonces, the PIT,
//! the dest.

use mars_time::Instant;
use mars_wire::{MarsName, NackDetail, Name};

use crate::counters::bump;
use crate::dest::{Dest, DestIx};
use crate::face::FaceIx;
use crate::forwarder::Forwarder;
use crate::input::{Data, Interest, Nack};
use crate::output::DropReason;
use crate::pit::{InRecord, Kind, OutState, PitIx};

/// What a nonce that arrives tells.
enum Nonce {
    Fresh,
    /// Seen from the same face.
    Copy,
    /// Seen from, or sent over, another face.
    Loop,
}

impl<P: Clone> Forwarder<P> {
    pub(crate) fn on_interest(&mut self, face: FaceIx, interest: &Interest<'_>, packet: P) {
        bump(&mut self.counters.interests_in);
        if interest.hop_limit == Some(0) {
            return self.note_drop(face, DropReason::HopLimit);
        }
        let lifetime = interest.lifetime.min(self.config.max_lifetime);
        let nonce = interest.nonce.unwrap_or_else(|| self.rng.next_u32());
        let mut asker = InRecord::new(face, nonce, self.now + lifetime);
        asker.token = interest.pit_token;
        asker.bound = interest.header.label;

        let hash = self.hash.of(interest.name.as_value());
        let known = self.pit.find(hash, interest.name.as_value());
        match self.nonce(hash, known, face, nonce) {
            Nonce::Fresh => {}
            Nonce::Copy => return self.note_drop(face, DropReason::Copy),
            Nonce::Loop => {
                self.refuse(&asker, None, NackDetail::Duplicate, packet);
                return self.note_drop(face, DropReason::Loop);
            }
        }
        if self.answer_from_cache(hash, &asker, interest) {
            return;
        }
        if let Some(ix) = known {
            return self.on_known_interest(ix, asker, interest, packet);
        }
        // A face may hold as many as are left free, so that no flood takes the room of the others.
        let free = self.config.max_pending.saturating_sub(self.pit.len());
        if self.pit.held_by(face) >= free {
            self.refuse(&asker, None, NackDetail::QueueFull, packet);
            return self.note_drop(face, DropReason::PitFull);
        }
        let parsed = MarsName::parse(interest.name);
        let dest = match self.dest_for(parsed, interest.name, face) {
            Ok(dest) => dest,
            Err(reason) => {
                let detail = match reason {
                    DropReason::DestsFull => NackDetail::QueueFull,
                    _ => NackDetail::NoRoute,
                };
                self.refuse(&asker, None, detail, packet);
                return self.note_drop(face, reason);
            }
        };
        // The last hop may be spent on an application here, not on another node.
        let is_here = self.dests.get(dest).is_some_and(|d| d.producer.is_some());
        if interest.hop_limit == Some(1) && !is_here {
            return self.note_drop(face, DropReason::HopLimit);
        }
        match parsed {
            Some(MarsName::Discovery { probe_idx, .. }) => {
                self.on_new_probe(hash, dest, asker, probe_idx, interest, packet);
            }
            Some(MarsName::Data { .. }) | None => {
                self.on_new_data_interest(hash, dest, asker, interest, packet);
            }
        }
    }

    /// The name is pending: the Interest joins it.
    fn on_known_interest(
        &mut self,
        ix: PitIx,
        asker: InRecord,
        interest: &Interest<'_>,
        packet: P,
    ) {
        let Some(kind) = self.pit.get(ix).map(|entry| entry.kind) else {
            return;
        };
        match kind {
            Kind::Data => self.on_repeated_data_interest(ix, asker, interest.hop_limit),
            Kind::Probe { .. } => {
                let probe_idx = match MarsName::parse(interest.name) {
                    Some(MarsName::Discovery { probe_idx, .. }) => probe_idx,
                    _ => 0,
                };
                self.on_repeated_probe(ix, asker, probe_idx, interest, packet);
            }
        }
        self.arm_pit(ix);
    }

    fn nonce(&self, hash: u64, known: Option<PitIx>, face: FaceIx, nonce: u32) -> Nonce {
        let verdict = |same_face| if same_face { Nonce::Copy } else { Nonce::Loop };
        let asker = known.and_then(|ix| self.pit.ins(ix).find(|r| r.nonce == nonce));
        if let Some(asker) = asker {
            return verdict(asker.face == face);
        }
        let sent = known.is_some_and(|ix| self.pit.outs(ix).any(|(_, r)| r.nonce == nonce));
        let mut seen = self.dead.faces(hash, nonce).peekable();
        if !sent && seen.peek().is_none() {
            return Nonce::Fresh;
        }
        verdict(seen.any(|f| f == face))
    }

    /// Enters an asker into the PIT, replacing what the same face asked before.
    pub(crate) fn add_asker(&mut self, ix: PitIx, asker: InRecord) {
        self.take_asker(ix, |r| r.face == asker.face);
        self.pit.add_in(ix, asker);
    }

    /// Takes the first asker that `which` picks out of an entry; its nonce is dead from now on.
    pub(crate) fn take_asker(
        &mut self,
        ix: PitIx,
        which: impl Fn(&InRecord) -> bool,
    ) -> Option<InRecord> {
        let hash = self.pit.get(ix)?.hash;
        let asker = self.pit.take_in(ix, which)?;
        self.dead.insert(hash, asker.nonce, asker.face);
        Some(asker)
    }

    /// Returns an Interest to all who asked; gives the time until which the last would have waited.
    pub(crate) fn refuse_all(&mut self, ix: PitIx, detail: NackDetail) -> Option<Instant> {
        let entry = self.pit.get(ix)?;
        let (dest, packet) = (entry.dest, entry.packet.clone());
        let mut until = None;
        while let Some(asker) = self.take_asker(ix, |_| true) {
            until = until.max(Some(asker.expires));
            self.refuse(&asker, Some(dest), detail, packet.clone());
            if detail == NackDetail::NoRoute {
                self.note_drop(asker.face, DropReason::NoRoute);
            }
        }
        until
    }

    /// The state of the dest that a name is about, made if routing knows a way to it.
    fn dest_for(
        &mut self,
        parsed: Option<MarsName<'_>>,
        name: Name<'_>,
        face: FaceIx,
    ) -> Result<DestIx, DropReason> {
        let Some(mars) = parsed else {
            // Any other name goes the way of the prefix that routing knows it by.
            let fib = self.fib.longest_match(&self.hash, name);
            let fib = fib.ok_or(DropReason::NoRoute)?;
            let prefix = self.fib.get(fib).ok_or(DropReason::NoRoute)?.prefix.clone();
            return self.dest_named(prefix.as_name(), true, face);
        };
        let discovers = matches!(parsed, Some(MarsName::Discovery { .. }));
        self.dest_named(mars.dest(), discovers, face)
    }

    /// Only discovery opens state for a dest that needs discovery, unless Interests are held until
    /// somebody discovers it. A face may open as many as are left free, so that none takes the
    /// room of the others.
    fn dest_named(
        &mut self,
        name: Name<'_>,
        discovers: bool,
        face: FaceIx,
    ) -> Result<DestIx, DropReason> {
        let hash = self.hash.of(name.as_value());
        if let Some(ix) = self.find_dest(hash, name) {
            return Ok(ix);
        }
        let fib = self.fib.longest_match(&self.hash, name);
        let serves = fib.is_some_and(|fib| discovers || self.serves_without_discovery(fib));
        let held = self.config.hold_without_route && !discovers;
        if !serves && !held {
            return Err(DropReason::NoRoute);
        }
        let free = self.config.max_dests.saturating_sub(self.dests.len());
        let Some(opener) = self.faces.get_mut(face).filter(|f| f.dests < free) else {
            return Err(DropReason::DestsFull);
        };
        opener.dests += 1;
        let dest = Dest::new(name.into(), hash, face, self.now);
        let ix = self.dests.insert(dest);
        let dests = &self.dests;
        self.dest_index
            .insert_unique(hash, ix, |ix| dests.get(*ix).map_or(0, |d| d.hash));
        if fib.is_none() {
            self.unrouted.push(ix);
        }
        self.rematch(ix);
        self.check_dest(ix);
        Ok(ix)
    }

    pub(crate) fn on_data(&mut self, face: FaceIx, data: &Data<'_>, packet: P) {
        bump(&mut self.counters.data_in);
        let hash = self.hash.of(data.name.as_value());
        let found = self.pit.find(hash, data.name.as_value());
        let Some((ix, out)) = found.and_then(|ix| Some((ix, self.pit.out_of(ix, face)?.0))) else {
            return self.note_drop(face, DropReason::Unsolicited);
        };
        match self.pit.get(ix).map(|entry| entry.kind) {
            Some(Kind::Data) => self.on_object_data(ix, out, face, data, packet),
            Some(Kind::Probe { .. }) => self.on_answer(ix, out, face, data, packet),
            None => {}
        }
    }

    pub(crate) fn on_nack(&mut self, face: FaceIx, nack: &Nack<'_>) {
        bump(&mut self.counters.nacks_in);
        let hash = self.hash.of(nack.name.as_value());
        let found = self.pit.find(hash, nack.name.as_value()).and_then(|ix| {
            let (out, record) = self.pit.out_of(ix, face)?;
            let same = nack.nonce.is_none_or(|nonce| nonce == record.nonce);
            (same && record.is_waiting()).then_some((ix, out))
        });
        let Some((ix, out)) = found else {
            return self.note_drop(face, DropReason::Unsolicited);
        };
        match self.pit.get(ix).map(|entry| entry.kind) {
            Some(Kind::Data) => self.on_data_nack(ix, out, face, nack),
            Some(Kind::Probe { .. }) => self.on_probe_nack(ix, out, face, nack),
            None => {}
        }
    }

    /// Ends an entry: slots go back, nonces are remembered.
    pub(crate) fn erase(&mut self, ix: PitIx) {
        let Some(entry) = self.pit.get(ix) else {
            return;
        };
        let (hash, dest, queued) = (entry.hash, entry.dest, entry.queued);
        while let Some((out, _)) = self.pit.waiting_out(ix) {
            self.settle(out, OutState::Done, mars_cc::Input::Released);
        }
        for record in self.pit.ins(ix) {
            self.dead.insert(hash, record.nonce, record.face);
        }
        for (_, record) in self.pit.outs(ix) {
            if self.pit.ins(ix).all(|r| r.nonce != record.nonce) {
                self.dead.insert(hash, record.nonce, record.face);
            }
        }
        if queued {
            self.leave_queue(ix);
        }
        self.set_linger(ix, None);
        if let Some(dest) = self.dests.get_mut(dest) {
            dest.pending = dest.pending.saturating_sub(1);
        }
        self.pit.remove(ix);
        self.arm(crate::timers::Key::Pit(ix), None);
    }
}
