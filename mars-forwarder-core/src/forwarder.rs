//! The machine: its tables, the two verbs, its timers, and what it shows.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use hashbrown::HashTable;
use mars_cc::Controller;
use mars_time::Instant;
use mars_wire::{MarsHeader, NackDetail, Name, NameBuf, Rank};

use crate::cache::ContentStore;
use crate::counters::bump;
use crate::dead::DeadNonces;
use crate::dest::{Dest, DestIx};
use crate::face::{Face, FaceIx, Faces};
use crate::fib::Fib;
use crate::hash::NameHash;
use crate::input::Input;
use crate::output::{DropReason, Edit, Event, Output};
use crate::pit::{InRecord, Kind, Pit, PitIx};
use crate::rng::Rng;
use crate::slab::Slab;
use crate::timers::{Key, Timers};
use crate::upstream::Upstream;
use crate::{Config, ConfigError, Counters, Error, FaceId};

/// Something that may have opened.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// A slot of this face is free, or its pacing is over: the dests that wait for it take turns.
    Face(FaceIx),
    /// This dest has a new Interest, window or path.
    Dest(DestIx),
}

/// One forwarder. `P` is the host's packet handle, cloned when a packet goes several ways.
///
/// One input makes at most a fixed number of outputs, plus one or two per Interest that it moves
/// (all that wait on a face that goes down) and per dest that it concerns (a route change). A
/// host that never drains lets the queue of outputs grow by that much per input.
#[derive(Clone, Debug)]
pub struct Forwarder<P> {
    pub(crate) config: Config,
    pub(crate) now: Instant,
    started: Instant,
    pub(crate) hash: NameHash,
    pub(crate) rng: Rng,
    pub(crate) faces: Faces,
    pub(crate) fib: Fib,
    pub(crate) dests: Slab<Dest>,
    pub(crate) dest_index: HashTable<DestIx>,
    pub(crate) pit: Pit<P>,
    pub(crate) dead: DeadNonces,
    pub(crate) timers: Timers,
    pub(crate) cache: ContentStore<P>,
    pub(crate) counters: Counters,
    /// Entries that wait for nobody but a straggler.
    pub(crate) lingering: u32,
    /// Dests that no prefix matches.
    pub(crate) unrouted: Vec<DestIx>,
    /// Faces and dests that may have something to send now; worked off before an input ends.
    work: VecDeque<Work>,
    outputs: VecDeque<Output<P>>,
}

impl<P: Clone> Forwarder<P> {
    /// A forwarder without faces and routes.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            now,
            started: now,
            hash: NameHash::new(config.seed),
            rng: Rng::new(config.seed),
            faces: Faces::new(),
            fib: Fib::new(),
            dests: Slab::new(),
            dest_index: HashTable::new(),
            pit: Pit::new(),
            dead: DeadNonces::new(config.max_dead_nonces),
            timers: Timers::default(),
            cache: ContentStore::new(config.max_cached, config.max_cached_octets),
            counters: Counters::default(),
            lingering: 0,
            unrouted: Vec::new(),
            work: VecDeque::new(),
            outputs: VecDeque::new(),
            config,
        })
    }

    /// Takes one input, and with it all timers that are due at `now`. A `now` before an earlier
    /// one counts as that.
    ///
    /// # Errors
    /// Only for faults of the caller, never for what a peer sent; the forwarder is then as after
    /// [`Input::Timeout`].
    pub fn handle_input(&mut self, now: Instant, input: Input<'_, P>) -> Result<(), Error> {
        self.now = self.now.max(now);
        self.fire_timers();
        let result = self.take(input);
        self.work_off();
        result
    }

    fn take(&mut self, input: Input<'_, P>) -> Result<(), Error> {
        match input {
            Input::Timeout => {}
            Input::FaceAdded { face, kind } => return self.on_face_added(face, kind),
            Input::FaceRemoved { face } => self.on_face_removed(self.face(face)?),
            Input::FaceUp { face } => self.on_face_up(self.face(face)?),
            Input::FaceDown { face } => self.on_face_down(self.face(face)?),
            Input::Routes { prefix, routes } => return self.on_routes(prefix, routes),
            Input::ProducerRegistered { prefix, face } => {
                return self.on_producer(prefix, face, true);
            }
            Input::ProducerWithdrawn { prefix, face } => {
                return self.on_producer(prefix, face, false);
            }
            Input::DataQueue { face, packets } => {
                let ix = self.face(face)?;
                if let Some(face) = self.faces.get_mut(ix) {
                    face.data_queue = packets;
                }
            }
            Input::Interest {
                face,
                interest,
                packet,
            } => {
                self.on_interest(self.face(face)?, &interest, packet);
            }
            Input::Data { face, data, packet } => self.on_data(self.face(face)?, &data, packet),
            Input::Nack { face, nack } => self.on_nack(self.face(face)?, &nack),
        }
        Ok(())
    }

    /// Takes the next output. Poll until [`Output::Timeout`].
    pub fn poll_output(&mut self) -> Output<P> {
        match self.outputs.pop_front() {
            Some(output) => output,
            None => Output::Timeout(self.timers.next()),
        }
    }

    // ---- timers

    /// Fires each timer that is due once. Whatever is set anew meanwhile is set after `now`.
    fn fire_timers(&mut self) {
        while let Some(key) = self.timers.pop_due(self.now) {
            match key {
                Key::Pit(ix) => self.on_pit_timer(ix),
                Key::Face(slot) => {
                    if let Some(face) = self.faces.in_slot(slot) {
                        self.stir_face(face);
                    }
                }
                Key::Dest(ix) => self.on_dest_timer(ix),
            }
            self.work_off();
        }
    }

    /// Releases what may go now. Faces come first, so that the dests that wait for one take turns
    /// before the dest that was stirred last helps itself.
    fn work_off(&mut self) {
        while let Some(work) = self.work.pop_front() {
            match work {
                Work::Face(face) => {
                    if let Some(face) = self.faces.get_mut(face) {
                        face.stirred = false;
                    }
                    self.serve_face(face);
                }
                Work::Dest(dest) => {
                    if let Some(dest) = self.dests.get_mut(dest) {
                        dest.stirred = false;
                    }
                    self.release(dest);
                }
            }
        }
    }

    pub(crate) fn stir_face(&mut self, ix: FaceIx) {
        if let Some(face) = self.faces.get_mut(ix).filter(|face| !face.stirred) {
            face.stirred = true;
            self.work.push_front(Work::Face(ix));
        }
    }

    pub(crate) fn stir_dest(&mut self, ix: DestIx) {
        if let Some(dest) = self.dests.get_mut(ix).filter(|dest| !dest.stirred) {
            dest.stirred = true;
            self.work.push_back(Work::Dest(ix));
        }
    }

    pub(crate) fn arm(&mut self, key: Key, at: Option<Instant>) {
        self.timers.set_after(self.now, key, at);
    }

    pub(crate) fn arm_pit(&mut self, ix: PitIx) {
        self.arm(Key::Pit(ix), self.pit.deadline(ix));
    }

    fn on_pit_timer(&mut self, ix: PitIx) {
        match self.pit.get(ix).map(|entry| entry.kind) {
            Some(Kind::Data) => self.on_data_timer(ix),
            Some(Kind::Probe { .. }) => self.on_probe_timer(ix),
            None => {}
        }
    }

    /// Whether a restarted node still keeps out of discovery.
    pub(crate) fn is_quarantined(&self) -> bool {
        self.config.restarted
            && self.now.saturating_duration_since(self.started)
                < self.config.path_lifetime.saturating_mul(2)
    }

    // ---- outputs

    pub(crate) fn transmit(&mut self, face: FaceIx, edit: Edit, packet: P) {
        let Some(face) = self.faces.get_mut(face).filter(|face| face.up) else {
            return;
        };
        bump(match edit {
            Edit::Interest { .. } => &mut self.counters.interests_out,
            Edit::Data { .. } => &mut self.counters.data_out,
            Edit::Nack { .. } => &mut self.counters.nacks_out,
        });
        if matches!(edit, Edit::Data { .. }) {
            face.data_queue = face.data_queue.saturating_add(1);
        }
        let face = face.id;
        self.outputs
            .push_back(Output::Transmit { face, edit, packet });
    }

    pub(crate) fn emit(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }

    pub(crate) fn note_drop(&mut self, face: FaceIx, reason: DropReason) {
        self.counters.note_drop(reason);
        if let Some(face) = self.faces.get(face) {
            let face = face.id;
            self.emit(Event::Dropped { face, reason });
        }
    }

    /// Reports something about one upstream face of a dest.
    pub(crate) fn note_path(
        &mut self,
        dest: DestIx,
        face: FaceIx,
        event: impl FnOnce(NameBuf, FaceId) -> Event,
    ) {
        if let (Some(dest), Some(face)) = (self.dests.get(dest), self.faces.get(face)) {
            let event = event(dest.name.clone(), face.id);
            self.emit(event);
        }
    }

    pub(crate) fn note_path_found(&mut self, dest: DestIx, face: FaceIx, rank: Option<Rank>) {
        self.note_path(dest, face, |dest, face| Event::PathFound {
            dest,
            face,
            rank,
        });
        self.revive(dest, face);
        self.stir_dest(dest);
    }

    pub(crate) fn note_path_lost(&mut self, dest: DestIx, face: FaceIx) {
        self.note_path(dest, face, |dest, face| Event::PathLost { dest, face });
        self.stir_dest(dest);
    }

    /// Returns an Interest to one downstream.
    pub(crate) fn refuse(
        &mut self,
        to: &InRecord,
        dest: Option<DestIx>,
        detail: NackDetail,
        packet: P,
    ) {
        let dest = dest.and_then(|ix| self.dests.get(ix));
        let mut header = MarsHeader {
            nack_detail: Some(detail),
            ..MarsHeader::default()
        };
        match detail {
            NackDetail::Stale => header.generation = dest.map(|d| d.generation),
            NackDetail::QueueFull => {
                header.interest_queue = dest.map(|d| saturate(d.queue.len()));
                header.data_queue = self.faces.get(to.face).and_then(Face::reported_queue);
            }
            _ => {}
        }
        let edit = Edit::Nack {
            nonce: to.nonce,
            reason: detail.reason(),
            pit_token: to.token,
            header,
        };
        self.transmit(to.face, edit, packet);
    }

    // ---- look-ups

    fn face(&self, id: FaceId) -> Result<FaceIx, Error> {
        self.faces.find(id).ok_or(Error::UnknownFace(id))
    }

    pub(crate) fn find_dest(&self, hash: u64, name: Name<'_>) -> Option<DestIx> {
        let same = |ix: &DestIx| {
            self.dests
                .get(*ix)
                .is_some_and(|d| d.name.as_name() == name)
        };
        self.dest_index.find(hash, same).copied()
    }

    pub(crate) fn upstream_mut(&mut self, dest: DestIx, face: FaceIx) -> Option<&mut Upstream> {
        self.dests.get_mut(dest)?.upstream_mut(face)
    }

    /// A window of one of the two laws; always `Some`, since both were validated.
    pub(crate) fn controller(&self, law: mars_cc::Config) -> Option<Controller> {
        Controller::new(law, self.now).ok()
    }
}

pub(crate) fn saturate(packets: usize) -> u16 {
    u16::try_from(packets).unwrap_or(u16::MAX)
}
