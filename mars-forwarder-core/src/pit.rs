//! The pending-Interest table: entries by whole name, in-records of who asked, out-records of whom
//! was asked.
//!
//! Most Interests are asked for once and sent once, so an entry has room for the newest in-record
//! and the oldest out-record; further ones live in slabs of their own, chained to the entry. What
//! few records have (a PIT token, the bound of a probe) is kept apart. The out-records that occupy
//! a face are chained to that face too, so that a face that goes down gives them back without a
//! scan.

use alloc::vec::Vec;

use hashbrown::HashTable;
use mars_time::Instant;
use mars_wire::{Label, PitToken};

use crate::dest::DestIx;
use crate::face::{self, FaceIx};
use crate::names::{self, Names};
use crate::slab::{self, Slab};

/// Index of an entry.
pub(crate) type PitIx = u32;

/// Index of an out-record: that of its entry for the one that stands there, else [`FURTHER`] and
/// its index among the further ones.
pub(crate) type OutIx = u32;

const FURTHER: u32 = 1 << 31;
/// No index.
const NONE: u32 = u32::MAX;
/// The face of a record that is not there; no face has this number.
const NOBODY: FaceIx = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Pit<P> {
    entries: Slab<Entry<P>>,
    index: HashTable<PitIx>,
    names: Names,
    /// In-records that are not the newest of their entry.
    ins: Slab<Asker>,
    /// Out-records that found another one in their entry.
    outs: Slab<FurtherOut>,
    extras: Slab<Extra>,
    bounds: Slab<Label>,
    on_face: Vec<OnFace>,
    /// Entries ever made.
    stamps: u32,
}

/// What concerns one face.
#[derive(Clone, Copy, Debug)]
struct OnFace {
    /// The newest out-record that waits on it.
    waiting: OutIx,
    /// In-records that it holds.
    held: u32,
}

impl OnFace {
    const IDLE: Self = Self {
        waiting: NONE,
        held: 0,
    };
}

#[derive(Clone, Debug)]
pub(crate) struct Entry<P> {
    pub(crate) hash: u64,
    name: names::Held,
    /// The Interest as it came first.
    pub(crate) packet: P,
    pub(crate) dest: DestIx,
    pub(crate) kind: Kind,
    /// Hops left on arrival, if it counts them.
    pub(crate) hop_limit: Option<u8>,
    /// Told apart from an earlier entry at the same index.
    pub(crate) stamp: u32,
    /// Whether it stands in its dest's Interest queue.
    pub(crate) queued: bool,
    /// Counts the times that it was asked for anew.
    epoch: u16,
    /// The newest in-record. Without one, its time is that until which the entry lingers.
    newest: Asker,
    /// The oldest out-record.
    oldest: OutRecord,
    /// The newest of the further out-records.
    further: u32,
}

/// What an entry asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An Interest for data, released by the windows.
    Data,
    /// A discovery Interest, forwarded at once.
    Probe {
        /// Times that an upstream was asked again because labels had moved meanwhile.
        asked_again: u8,
    },
}

/// Who asks, in full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InRecord {
    pub(crate) face: FaceIx,
    pub(crate) nonce: u32,
    pub(crate) expires: Instant,
    pub(crate) token: Option<PitToken>,
    /// Probes: the generation that the downstream works in, and its bound.
    pub(crate) generation: u32,
    pub(crate) bound: Option<Label>,
}

impl InRecord {
    pub(crate) const fn new(face: FaceIx, nonce: u32, expires: Instant) -> Self {
        Self {
            face,
            nonce,
            expires,
            token: None,
            generation: 0,
            bound: None,
        }
    }
}

/// Who asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub(crate) face: FaceIx,
    pub(crate) nonce: u32,
    pub(crate) expires: Instant,
    extra: u32,
    next: u32,
}

impl Asker {
    const NOBODY: Self = Self {
        face: NOBODY,
        nonce: 0,
        expires: Instant::MAX,
        extra: NONE,
        next: NONE,
    };
}

/// What few in-records have.
#[derive(Clone, Copy, Debug)]
struct Extra {
    token: Option<PitToken>,
    generation: u32,
    bound: Option<Label>,
}

/// Whom was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    pub(crate) face: FaceIx,
    pub(crate) nonce: u32,
    pub(crate) sent: Instant,
    /// Until then it holds a slot of its face, if it waits.
    pub(crate) deadline: Instant,
    pub(crate) state: OutState,
    marks: u8,
    epoch: u16,
    /// Probes: the bound that was sent.
    bound: u32,
    face_prev: u32,
    face_next: u32,
}

/// The face was asked before for this entry: an answer gives no RTT sample (Karn).
const REPEATED: u8 = 1;
/// It counts among what is in flight over an upstream face; what goes to a producer here does not.
const METERED: u8 = 2;

#[derive(Clone, Copy, Debug)]
struct FurtherOut {
    record: OutRecord,
    entry: PitIx,
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutState {
    /// Holds a slot of its face until its deadline.
    Waiting,
    /// Its time ran out and the slot is free; a late answer is welcome.
    Silent,
    /// Answered or refused; not to be asked again in this epoch.
    Done,
}

impl OutRecord {
    const NOBODY: Self = Self::new(NOBODY, 0, Instant::ZERO, Instant::ZERO);

    pub(crate) const fn new(face: FaceIx, nonce: u32, sent: Instant, deadline: Instant) -> Self {
        Self {
            face,
            nonce,
            sent,
            deadline,
            state: OutState::Waiting,
            marks: 0,
            epoch: 0,
            bound: NONE,
            face_prev: NONE,
            face_next: NONE,
        }
    }

    /// Marks that the face was asked before for this entry.
    #[must_use]
    pub(crate) const fn repeated(mut self, repeated: bool) -> Self {
        if repeated {
            self.marks |= REPEATED;
        }
        self
    }

    /// Marks that it counts among what is in flight over an upstream face.
    #[must_use]
    pub(crate) const fn metered(mut self, metered: bool) -> Self {
        if metered {
            self.marks |= METERED;
        }
        self
    }

    /// Whether the face was asked before for this entry, so that an answer gives no RTT sample
    /// (Karn).
    pub(crate) const fn is_repeated(&self) -> bool {
        self.marks & REPEATED != 0
    }

    /// Whether it counts among what is in flight over an upstream face; what goes to a producer
    /// here does not.
    pub(crate) const fn is_metered(&self) -> bool {
        self.marks & METERED != 0
    }

    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self.state, OutState::Waiting)
    }

    /// Whether it waited until now.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.is_waiting() && self.deadline <= now
    }
}

impl<P> Pit<P> {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Slab::new(),
            index: HashTable::new(),
            names: Names::new(),
            ins: Slab::new(),
            outs: Slab::new(),
            extras: Slab::new(),
            bounds: Slab::new(),
            on_face: Vec::new(),
            stamps: 0,
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.entries.len()
    }

    pub(crate) fn find(&self, hash: u64, name: &[u8]) -> Option<PitIx> {
        let same = |ix: &PitIx| {
            let entry = self.entries.get(*ix).filter(|e| e.hash == hash);
            entry.is_some_and(|e| self.names.get(e.name) == name)
        };
        self.index.find(hash, same).copied()
    }

    pub(crate) fn get(&self, ix: PitIx) -> Option<&Entry<P>> {
        self.entries.get(ix)
    }

    pub(crate) fn get_mut(&mut self, ix: PitIx) -> Option<&mut Entry<P>> {
        self.entries.get_mut(ix)
    }

    #[cfg(test)]
    pub(crate) fn entries(&self) -> impl Iterator<Item = (PitIx, &Entry<P>)> {
        self.entries.iter()
    }

    /// A new entry without records; its name is copied here and nowhere else.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        name: &[u8],
        packet: P,
        dest: DestIx,
        kind: Kind,
    ) -> PitIx {
        self.stamps = self.stamps.wrapping_add(1);
        let ix = self.entries.insert(Entry {
            hash,
            name: self.names.insert(name),
            packet,
            dest,
            kind,
            hop_limit: None,
            stamp: self.stamps,
            queued: false,
            epoch: 0,
            newest: Asker::NOBODY,
            oldest: OutRecord::NOBODY,
            further: NONE,
        });
        let entries = &self.entries;
        self.index
            .insert_unique(hash, ix, |ix| entries.get(*ix).map_or(0, |e| e.hash));
        ix
    }

    /// Erases an entry and all of its records.
    pub(crate) fn remove(&mut self, ix: PitIx) -> Option<P> {
        let hash = self.entries.get(ix)?.hash;
        while self.take_in(ix, |_| true).is_some() {}
        while let Some(face) = self.newest_out(ix) {
            self.forget_out(ix, face);
        }
        if let Ok(found) = self.index.find_entry(hash, |at| *at == ix) {
            found.remove();
        }
        let entry = self.entries.remove(ix)?;
        self.names.remove(entry.name);
        Some(entry.packet)
    }

    // ---- who asked

    /// In-records of an entry, the newest first.
    pub(crate) fn ins(&self, ix: PitIx) -> impl Iterator<Item = &Asker> {
        let newest = self.entries.get(ix).map(|e| &e.newest);
        let mut at = newest.filter(|asker| asker.face != NOBODY);
        core::iter::from_fn(move || {
            let asker = at?;
            at = self.ins.get(asker.next);
            Some(asker)
        })
    }

    /// The face of the newest in-record.
    pub(crate) fn asker(&self, ix: PitIx) -> Option<FaceIx> {
        Some(self.ins(ix).next()?.face)
    }

    pub(crate) fn add_in(&mut self, ix: PitIx, record: InRecord) {
        let Some(entry) = self.entries.get_mut(ix) else {
            return;
        };
        let next = if entry.newest.face == NOBODY {
            NONE
        } else {
            self.ins.insert(entry.newest)
        };
        let plain = record.token.is_none() && record.generation == 0 && record.bound.is_none();
        let extra = if plain {
            NONE
        } else {
            self.extras.insert(Extra {
                token: record.token,
                generation: record.generation,
                bound: record.bound,
            })
        };
        entry.newest = Asker {
            face: record.face,
            nonce: record.nonce,
            expires: record.expires,
            extra,
            next,
        };
        self.count(record.face, 1);
    }

    /// In-records that a face holds.
    pub(crate) fn held_by(&self, face: FaceIx) -> u32 {
        self.on_face.get(face::slot(face)).map_or(0, |on| on.held)
    }

    /// Takes out the first in-record that `which` picks.
    pub(crate) fn take_in(
        &mut self,
        ix: PitIx,
        which: impl Fn(&Asker) -> bool,
    ) -> Option<InRecord> {
        let entry = self.entries.get_mut(ix)?;
        let newest = entry.newest;
        if newest.face == NOBODY {
            return None;
        }
        let taken = if which(&newest) {
            entry.newest = self.ins.remove(newest.next).unwrap_or(Asker::NOBODY);
            newest
        } else {
            self.take_further_in(ix, newest.next, which)?
        };
        self.count(taken.face, -1);
        let extra = self.extras.remove(taken.extra);
        Some(InRecord {
            face: taken.face,
            nonce: taken.nonce,
            expires: taken.expires,
            token: extra.and_then(|extra| extra.token),
            generation: extra.map_or(0, |extra| extra.generation),
            bound: extra.and_then(|extra| extra.bound),
        })
    }

    fn take_further_in(
        &mut self,
        ix: PitIx,
        mut at: u32,
        which: impl Fn(&Asker) -> bool,
    ) -> Option<Asker> {
        let mut before = NONE;
        loop {
            let asker = *self.ins.get(at)?;
            if which(&asker) {
                match self.ins.get_mut(before) {
                    Some(before) => before.next = asker.next,
                    None => self.entries.get_mut(ix)?.newest.next = asker.next,
                }
                return self.ins.remove(at);
            }
            (before, at) = (at, asker.next);
        }
    }

    /// Until when an entry is kept to learn from a late answer, though all who asked were refused.
    pub(crate) fn lingers(&self, ix: PitIx) -> Option<Instant> {
        let newest = &self.entries.get(ix)?.newest;
        (newest.face == NOBODY && newest.expires < Instant::MAX).then_some(newest.expires)
    }

    /// Keeps an entry that nobody asks for any more; ends when somebody asks anew.
    pub(crate) fn linger(&mut self, ix: PitIx, until: Instant) {
        if let Some(entry) = self.entries.get_mut(ix)
            && entry.newest.face == NOBODY
        {
            entry.newest.expires = until;
        }
    }

    // ---- whom was asked

    fn out(&self, out: OutIx) -> Option<&OutRecord> {
        if out & FURTHER == 0 {
            let entry = self.entries.get(out)?;
            return Some(&entry.oldest).filter(|record| record.face != NOBODY);
        }
        Some(&self.outs.get(out & !FURTHER)?.record)
    }

    /// An out-record, to be changed.
    pub(crate) fn out_mut(&mut self, out: OutIx) -> Option<&mut OutRecord> {
        if out & FURTHER == 0 {
            let entry = self.entries.get_mut(out)?;
            return Some(&mut entry.oldest).filter(|record| record.face != NOBODY);
        }
        Some(&mut self.outs.get_mut(out & !FURTHER)?.record)
    }

    /// Out-records of an entry, the newest first.
    pub(crate) fn outs(&self, ix: PitIx) -> impl Iterator<Item = (OutIx, &OutRecord)> {
        let entry = self.entries.get(ix);
        let mut at = entry.map_or(NONE, |entry| entry.further);
        let mut last = entry.map(|entry| &entry.oldest);
        core::iter::from_fn(move || {
            if let Some(further) = self.outs.get(at) {
                let out = at | FURTHER;
                at = further.next;
                return Some((out, &further.record));
            }
            let oldest = last.take().filter(|record| record.face != NOBODY)?;
            Some((ix, oldest))
        })
    }

    /// The face that was asked last.
    fn newest_out(&self, ix: PitIx) -> Option<FaceIx> {
        self.outs(ix).next().map(|(_, record)| record.face)
    }

    /// The newest out-record of an entry on one face.
    pub(crate) fn out_of(&self, ix: PitIx, face: FaceIx) -> Option<(OutIx, &OutRecord)> {
        self.outs(ix).find(|(_, record)| record.face == face)
    }

    /// The newest out-record that still waits, and its face.
    pub(crate) fn waiting_out(&self, ix: PitIx) -> Option<(OutIx, FaceIx)> {
        let waiting = self.outs(ix).find(|(_, record)| record.is_waiting());
        waiting.map(|(out, record)| (out, record.face))
    }

    /// The bound that a probe was sent with.
    pub(crate) fn bound_of(&self, out: OutIx) -> Option<Label> {
        self.bounds.get(self.out(out)?.bound).copied()
    }

    /// Adds a waiting out-record in place of the one that the face has, which must have settled;
    /// `bound` is the one that a probe was sent with.
    pub(crate) fn add_out(&mut self, ix: PitIx, mut record: OutRecord, bound: Option<Label>) {
        self.forget_out(ix, record.face);
        let head = self.waiting_on(record.face).unwrap_or(NONE);
        let Some(entry) = self.entries.get_mut(ix) else {
            return;
        };
        record.epoch = entry.epoch;
        record.bound = bound.map_or(NONE, |bound| self.bounds.insert(bound));
        record.face_next = head;
        let out = if entry.oldest.face == NOBODY && entry.further == NONE {
            entry.oldest = record;
            ix
        } else {
            entry.further = self.outs.insert(FurtherOut {
                record,
                entry: ix,
                next: entry.further,
            });
            entry.further | FURTHER
        };
        self.set_waiting(record.face, out);
        if let Some(old) = self.out_mut(head) {
            old.face_prev = out;
        }
    }

    /// Drops the out-record of a face.
    fn forget_out(&mut self, ix: PitIx, face: FaceIx) -> Option<()> {
        let (out, bound) = self.out_of(ix, face).map(|(out, r)| (out, r.bound))?;
        self.unlink_from_face(out);
        self.bounds.remove(bound);
        if out & FURTHER == 0 {
            self.entries.get_mut(ix)?.oldest = OutRecord::NOBODY;
            return Some(());
        }
        let gone = self.outs.remove(out & !FURTHER)?;
        let entry = self.entries.get_mut(ix)?;
        if entry.further | FURTHER == out {
            entry.further = gone.next;
            return Some(());
        }
        let mut at = entry.further;
        while let Some(further) = self.outs.get_mut(at) {
            if further.next | FURTHER == out {
                further.next = gone.next;
                return Some(());
            }
            at = further.next;
        }
        None
    }

    /// Takes a waiting out-record off its face, into a settled state. `None` if it did not wait.
    pub(crate) fn settle(&mut self, out: OutIx, state: OutState) -> Option<OutRecord> {
        let record = *self.out(out).filter(|record| record.is_waiting())?;
        self.unlink_from_face(out);
        self.out_mut(out)?.state = state;
        Some(record)
    }

    /// Opens a new epoch of an Interest: faces that were asked before may be asked again, and a
    /// late answer of theirs is still welcome.
    pub(crate) fn new_epoch(&mut self, ix: PitIx) {
        if let Some(entry) = self.entries.get_mut(ix) {
            entry.epoch = entry.epoch.wrapping_add(1);
        }
    }

    /// What became of an entry on one face in the present epoch; `None` if it was not sent there.
    /// A record that still waits counts in every epoch.
    pub(crate) fn tried(&self, ix: PitIx, face: FaceIx) -> Option<OutState> {
        let epoch = self.entries.get(ix)?.epoch;
        let (_, record) = self.out_of(ix, face)?;
        (record.is_waiting() || record.epoch == epoch).then_some(record.state)
    }

    /// The next out-record that waits on a face.
    pub(crate) fn waiting_on(&self, face: FaceIx) -> Option<OutIx> {
        let on = self.on_face.get(face::slot(face))?;
        (on.waiting != NONE).then_some(on.waiting)
    }

    /// The one after it.
    pub(crate) fn next_on_face(&self, out: OutIx) -> Option<OutIx> {
        let next = self.out(out)?.face_next;
        (next != NONE).then_some(next)
    }

    /// The entry of an out-record, with its dest and kind.
    pub(crate) fn entry_of(&self, out: OutIx) -> Option<(PitIx, DestIx, Kind)> {
        let ix = if out & FURTHER == 0 {
            out
        } else {
            self.outs.get(out & !FURTHER)?.entry
        };
        let entry = self.entries.get(ix)?;
        Some((ix, entry.dest, entry.kind))
    }

    /// The earliest deadline of an entry's records.
    pub(crate) fn deadline(&self, ix: PitIx) -> Option<Instant> {
        let waiting = self.outs(ix).filter(|(_, record)| record.is_waiting());
        let waiting = waiting.map(|(_, record)| record.deadline);
        self.ins(ix)
            .map(|asker| asker.expires)
            .chain(waiting)
            .chain(self.lingers(ix))
            .min()
    }

    // ---- faces

    fn count(&mut self, face: FaceIx, change: i32) {
        if let Some(on) = self.on_face_mut(face) {
            on.held = on.held.saturating_add_signed(change);
        }
    }

    fn set_waiting(&mut self, face: FaceIx, out: OutIx) {
        if let Some(on) = self.on_face_mut(face) {
            on.waiting = out;
        }
    }

    fn on_face_mut(&mut self, face: FaceIx) -> Option<&mut OnFace> {
        slab::grow_to(&mut self.on_face, face & face::MAX_FACES, OnFace::IDLE);
        self.on_face.get_mut(face::slot(face))
    }

    fn unlink_from_face(&mut self, out: OutIx) {
        let Some(record) = self.out_mut(out).filter(|record| record.is_waiting()) else {
            return;
        };
        let (prev, next, face) = (record.face_prev, record.face_next, record.face);
        (record.face_prev, record.face_next) = (NONE, NONE);
        match self.out_mut(prev) {
            Some(prev) => prev.face_next = next,
            None => self.set_waiting(face, next),
        }
        if let Some(next) = self.out_mut(next) {
            next.face_prev = prev;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn records_are_chained_to_entry_and_face() {
        let mut pit = Pit::new();
        let a = pit.insert(1, b"a", 'a', 0, Kind::Data);
        let b = pit.insert(2, b"b", 'b', 0, Kind::Data);
        assert_eq!(pit.find(1, b"a"), Some(a));
        assert_eq!(pit.find(1, b"c"), None);
        pit.add_in(a, InRecord::new(1, 11, at(9)));
        pit.add_in(a, InRecord::new(2, 12, at(5)));
        pit.add_out(a, OutRecord::new(7, 11, at(0), at(8)), None);
        pit.add_out(b, OutRecord::new(7, 21, at(0), at(3)), None);
        assert_eq!(pit.deadline(a), Some(at(5)));
        assert_eq!(pit.take_in(a, |r| r.face == 2).map(|r| r.nonce), Some(12));
        assert_eq!(pit.deadline(a), Some(at(8)));

        let first = pit.waiting_on(7).unwrap();
        assert_eq!(pit.entry_of(first).map(|(ix, ..)| ix), Some(b));
        assert!(pit.settle(first, OutState::Silent).is_some());
        assert!(pit.settle(first, OutState::Silent).is_none());
        assert_eq!(
            pit.waiting_on(7)
                .and_then(|out| pit.entry_of(out))
                .map(|(ix, ..)| ix),
            Some(a)
        );
        assert_eq!(pit.remove(a), Some('a'));
        assert_eq!(pit.waiting_on(7), None);
        assert_eq!((pit.find(1, b"a"), pit.len()), (None, 1));
    }
}
