//! The pending-Interest table: entries by whole name, in-records of who asked, out-records of whom
//! was asked. Records live in slabs of their own, chained to their entry; the out-records that
//! occupy a face are chained to that face too, so that a face that goes down gives them back
//! without a scan.

use alloc::vec::Vec;

use hashbrown::HashTable;
use mars_time::Instant;
use mars_wire::{Label, PitToken};

use crate::dest::DestIx;
use crate::face::{self, FaceIx};
use crate::slab::Slab;

/// Index of an entry.
pub(crate) type PitIx = u32;
/// Index of an out-record.
pub(crate) type OutIx = u32;
type Link = Option<u32>;

/// Names up to this many octets give their buffer back for the next entry.
const SPARE_NAME: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct Pit<P> {
    entries: Slab<Entry<P>>,
    index: HashTable<PitIx>,
    ins: Slab<InRecord>,
    outs: Slab<OutRecord>,
    /// Per face, the first out-record that waits on it.
    on_face: Vec<Link>,
    /// Per face, the in-records that it holds.
    held: Vec<u32>,
    /// Name buffers of erased entries.
    spare: Vec<Vec<u8>>,
    /// Entries that are answered and kept for those who ask again.
    answered: u32,
    /// Entries ever made.
    stamps: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry<P> {
    pub(crate) hash: u64,
    pub(crate) name: Vec<u8>,
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
    /// Nobody asks any more, but it is kept until then: to learn from a late answer, or to give
    /// its own again.
    pub(crate) linger: Option<Instant>,
    first_in: Link,
    first_out: Link,
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
        /// The entry's packet is the Data that answered it, kept for downstreams that ask again
        /// because that Data was lost.
        answered: bool,
    },
}

/// Who asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InRecord {
    pub(crate) face: FaceIx,
    pub(crate) nonce: u32,
    pub(crate) expires: Instant,
    pub(crate) token: Option<PitToken>,
    /// Probes: the generation that the downstream works in, and its bound.
    pub(crate) generation: u32,
    pub(crate) bound: Option<Label>,
    next: Link,
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
            next: None,
        }
    }
}

/// Whom was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    pub(crate) entry: PitIx,
    pub(crate) face: FaceIx,
    pub(crate) nonce: u32,
    pub(crate) sent: Instant,
    pub(crate) state: OutState,
    /// Times that the face was asked before for this entry: then an answer gives no RTT sample (Karn).
    pub(crate) repeats: u8,
    /// It counts among what is in flight over an upstream face; what goes to a producer here does
    /// not.
    pub(crate) metered: bool,
    /// Probes: the bound that was sent.
    pub(crate) bound: Option<Label>,
    epoch: u16,
    next: Link,
    face_prev: Link,
    face_next: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutState {
    /// Holds a slot of its face until this deadline.
    Waiting(Instant),
    /// Its time ran out and the slot is free; a late answer is welcome.
    Silent,
    /// Answered or refused; not to be asked again in this epoch.
    Done,
}

impl OutRecord {
    pub(crate) const fn new(
        entry: PitIx,
        face: FaceIx,
        nonce: u32,
        sent: Instant,
        deadline: Instant,
    ) -> Self {
        Self {
            entry,
            face,
            nonce,
            sent,
            state: OutState::Waiting(deadline),
            repeats: 0,
            metered: false,
            bound: None,
            epoch: 0,
            next: None,
            face_prev: None,
            face_next: None,
        }
    }

    pub(crate) const fn is_repeated(&self) -> bool {
        self.repeats > 0
    }

    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self.state, OutState::Waiting(_))
    }
}

impl<P> Pit<P> {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Slab::new(),
            index: HashTable::new(),
            ins: Slab::new(),
            outs: Slab::new(),
            on_face: Vec::new(),
            held: Vec::new(),
            spare: Vec::new(),
            answered: 0,
            stamps: 0,
        }
    }

    /// Entries that wait for an answer.
    pub(crate) const fn len(&self) -> u32 {
        self.entries.len() - self.answered
    }

    /// Puts the Data that answered a probe in place of its Interest.
    pub(crate) fn keep_answer(&mut self, ix: PitIx, data: P) {
        if let Some(entry) = self.entries.get_mut(ix)
            && let Kind::Probe { answered, .. } = &mut entry.kind
        {
            entry.packet = data;
            self.answered += u32::from(!*answered);
            *answered = true;
        }
    }

    /// The answer that was kept.
    pub(crate) fn kept_answer(&self, ix: PitIx) -> Option<&P> {
        let entry = self.entries.get(ix)?;
        matches!(entry.kind, Kind::Probe { answered: true, .. }).then_some(&entry.packet)
    }

    /// The probe waits for an answer again.
    pub(crate) fn reopen(&mut self, ix: PitIx, interest: P) {
        if let Some(entry) = self.entries.get_mut(ix)
            && let Kind::Probe { answered, .. } = &mut entry.kind
            && *answered
        {
            entry.packet = interest;
            *answered = false;
            self.answered -= 1;
        }
    }

    pub(crate) fn find(&self, hash: u64, name: &[u8]) -> Option<PitIx> {
        let same = |ix: &PitIx| self.entries.get(*ix).is_some_and(|e| e.name == name);
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
        let mut octets = self.spare.pop().unwrap_or_default();
        octets.clear();
        octets.extend_from_slice(name);
        self.stamps = self.stamps.wrapping_add(1);
        let ix = self.entries.insert(Entry {
            hash,
            name: octets,
            packet,
            dest,
            kind,
            hop_limit: None,
            stamp: self.stamps,
            queued: false,
            epoch: 0,
            linger: None,
            first_in: None,
            first_out: None,
        });
        let entries = &self.entries;
        self.index
            .insert_unique(hash, ix, |ix| entries.get(*ix).map_or(0, |e| e.hash));
        ix
    }

    /// Erases an entry and all of its records.
    pub(crate) fn remove(&mut self, ix: PitIx) -> Option<P> {
        let entry = self.entries.remove(ix)?;
        if matches!(entry.kind, Kind::Probe { answered: true, .. }) {
            self.answered -= 1;
        }
        if let Ok(found) = self.index.find_entry(entry.hash, |at| *at == ix) {
            found.remove();
        }
        let mut at = entry.first_in;
        while let Some(record) = at.and_then(|at| self.ins.remove(at)) {
            at = record.next;
            self.count(record.face, -1);
        }
        let mut at = entry.first_out;
        while let Some(out) = at {
            self.unlink_from_face(out);
            at = self.outs.remove(out).and_then(|record| record.next);
        }
        if entry.name.capacity() <= SPARE_NAME {
            self.spare.push(entry.name);
        }
        Some(entry.packet)
    }

    /// In-records of an entry, the newest first.
    pub(crate) fn ins(&self, ix: PitIx) -> impl Iterator<Item = &InRecord> {
        let mut at = self.entries.get(ix).and_then(|e| e.first_in);
        core::iter::from_fn(move || {
            let record = self.ins.get(at?)?;
            at = record.next;
            Some(record)
        })
    }

    /// The face of the newest in-record.
    pub(crate) fn asker(&self, ix: PitIx) -> Option<FaceIx> {
        Some(self.ins.get(self.entries.get(ix)?.first_in?)?.face)
    }

    /// The newest out-record that still waits, and its face.
    pub(crate) fn waiting_out(&self, ix: PitIx) -> Option<(OutIx, FaceIx)> {
        let waiting = self.outs(ix).find(|(_, record)| record.is_waiting());
        waiting.map(|(out, record)| (out, record.face))
    }

    /// Whether a face that was asked may still answer, in time or late.
    pub(crate) fn is_owed(&self, ix: PitIx) -> bool {
        self.outs(ix)
            .any(|(_, record)| record.state != OutState::Done)
    }

    /// The latest deadline of the out-records that still wait.
    pub(crate) fn last_wait(&self, ix: PitIx) -> Option<Instant> {
        let waits = self.outs(ix).filter_map(|(_, record)| match record.state {
            OutState::Waiting(at) => Some(at),
            OutState::Silent | OutState::Done => None,
        });
        waits.max()
    }

    pub(crate) fn add_in(&mut self, ix: PitIx, mut record: InRecord) {
        let Some(entry) = self.entries.get_mut(ix) else {
            return;
        };
        record.next = entry.first_in;
        entry.first_in = Some(self.ins.insert(record));
        self.count(record.face, 1);
    }

    /// In-records that a face holds.
    pub(crate) fn held_by(&self, face: FaceIx) -> u32 {
        self.held.get(face::slot(face)).copied().unwrap_or(0)
    }

    fn count(&mut self, face: FaceIx, change: i32) {
        let slot = face::slot(face);
        if slot >= self.held.len() {
            self.held.resize(slot + 1, 0);
        }
        if let Some(held) = self.held.get_mut(slot) {
            *held = held.saturating_add_signed(change);
        }
    }

    /// Takes out the first in-record that `which` picks.
    pub(crate) fn take_in(
        &mut self,
        ix: PitIx,
        which: impl Fn(&InRecord) -> bool,
    ) -> Option<InRecord> {
        let mut before: Link = None;
        let mut at = self.entries.get(ix)?.first_in;
        while let Some(here) = at {
            let record = *self.ins.get(here)?;
            if which(&record) {
                match before {
                    None => self.entries.get_mut(ix)?.first_in = record.next,
                    Some(before) => self.ins.get_mut(before)?.next = record.next,
                }
                self.count(record.face, -1);
                return self.ins.remove(here);
            }
            before = at;
            at = record.next;
        }
        None
    }

    /// Out-records of an entry, the newest first.
    pub(crate) fn outs(&self, ix: PitIx) -> impl Iterator<Item = (OutIx, &OutRecord)> {
        let mut at = self.entries.get(ix).and_then(|e| e.first_out);
        core::iter::from_fn(move || {
            let here = at?;
            let record = self.outs.get(here)?;
            at = record.next;
            Some((here, record))
        })
    }

    /// The newest out-record of an entry on one face.
    pub(crate) fn out_of(&self, ix: PitIx, face: FaceIx) -> Option<(OutIx, &OutRecord)> {
        self.outs(ix).find(|(_, record)| record.face == face)
    }

    /// Adds a waiting out-record in place of the one that the face has, which must have settled.
    pub(crate) fn add_out(&mut self, mut record: OutRecord) {
        self.forget_out(record.entry, record.face);
        let face = face::slot(record.face);
        if face >= self.on_face.len() {
            self.on_face.resize(face + 1, None);
        }
        let Some(entry) = self.entries.get_mut(record.entry) else {
            return;
        };
        let Some(head) = self.on_face.get_mut(face) else {
            return;
        };
        record.epoch = entry.epoch;
        record.next = entry.first_out;
        record.face_next = *head;
        let old = *head;
        let ix = self.outs.insert(record);
        entry.first_out = Some(ix);
        *head = Some(ix);
        if let Some(old) = old.and_then(|old| self.outs.get_mut(old)) {
            old.face_prev = Some(ix);
        }
    }

    fn forget_out(&mut self, ix: PitIx, face: FaceIx) -> Option<()> {
        let mut before: Link = None;
        let mut at = self.entries.get(ix)?.first_out;
        while let Some(here) = at {
            let record = *self.outs.get(here)?;
            if record.face == face {
                match before {
                    None => self.entries.get_mut(ix)?.first_out = record.next,
                    Some(before) => self.outs.get_mut(before)?.next = record.next,
                }
                self.unlink_from_face(here);
                self.outs.remove(here);
                return Some(());
            }
            before = at;
            at = record.next;
        }
        None
    }

    /// Takes a waiting out-record off its face, into a settled state. `None` if it did not wait.
    pub(crate) fn settle(&mut self, out: OutIx, state: OutState) -> Option<OutRecord> {
        let record = *self.outs.get(out).filter(|record| record.is_waiting())?;
        self.unlink_from_face(out);
        self.outs.get_mut(out)?.state = state;
        Some(record)
    }

    pub(crate) fn out(&self, out: OutIx) -> Option<&OutRecord> {
        self.outs.get(out)
    }

    /// An out-record, to be changed.
    pub(crate) fn out_mut(&mut self, out: OutIx) -> Option<&mut OutRecord> {
        self.outs.get_mut(out)
    }

    /// Opens a new epoch of an Interest: faces that were asked before may be asked again, and a
    /// late answer of theirs is still welcome.
    pub(crate) fn new_epoch(&mut self, ix: PitIx) {
        if let Some(entry) = self.entries.get_mut(ix) {
            entry.epoch = entry.epoch.wrapping_add(1);
        }
    }

    /// A face refused the entry just now: that counts in the present epoch, whenever it was asked.
    pub(crate) fn refused(&mut self, out: OutIx) {
        if let Some(record) = self.outs.get_mut(out)
            && let Some(entry) = self.entries.get(record.entry)
        {
            record.epoch = entry.epoch;
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
        *self.on_face.get(face::slot(face))?
    }

    /// The one after it.
    pub(crate) fn next_on_face(&self, out: OutIx) -> Option<OutIx> {
        self.outs.get(out)?.face_next
    }

    /// The entry of an out-record, with its dest and kind.
    pub(crate) fn entry_of(&self, out: OutIx) -> Option<(PitIx, DestIx, Kind)> {
        let ix = self.outs.get(out)?.entry;
        let entry = self.entries.get(ix)?;
        Some((ix, entry.dest, entry.kind))
    }

    /// The earliest deadline of an entry's records.
    pub(crate) fn deadline(&self, ix: PitIx) -> Option<Instant> {
        let waiting = self.outs(ix).filter_map(|(_, record)| match record.state {
            OutState::Waiting(at) => Some(at),
            OutState::Silent | OutState::Done => None,
        });
        let linger = self.entries.get(ix)?.linger;
        self.ins(ix)
            .map(|record| record.expires)
            .chain(waiting)
            .chain(linger)
            .min()
    }

    fn unlink_from_face(&mut self, out: OutIx) {
        let Some(record) = self.outs.get_mut(out).filter(|record| record.is_waiting()) else {
            return;
        };
        let (prev, next, face) = (
            record.face_prev.take(),
            record.face_next.take(),
            record.face,
        );
        match prev.and_then(|prev| self.outs.get_mut(prev)) {
            Some(prev) => prev.face_next = next,
            None => {
                if let Some(head) = self.on_face.get_mut(face::slot(face)) {
                    *head = next;
                }
            }
        }
        if let Some(next) = next.and_then(|next| self.outs.get_mut(next)) {
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
        pit.add_out(OutRecord::new(a, 7, 11, at(0), at(8)));
        pit.add_out(OutRecord::new(b, 7, 21, at(0), at(3)));
        assert_eq!(pit.deadline(a), Some(at(5)));
        assert_eq!(pit.take_in(a, |r| r.face == 2).map(|r| r.nonce), Some(12));
        assert_eq!(pit.deadline(a), Some(at(8)));

        let first = pit.waiting_on(7).unwrap();
        assert_eq!(
            pit.settle(first, OutState::Silent).map(|r| r.entry),
            Some(b)
        );
        assert!(pit.settle(first, OutState::Silent).is_none());
        assert_eq!(
            pit.waiting_on(7).and_then(|o| pit.out(o).map(|r| r.entry)),
            Some(a)
        );
        assert_eq!(pit.remove(a), Some('a'));
        assert_eq!(pit.waiting_on(7), None);
        assert_eq!((pit.find(1, b"a"), pit.len()), (None, 1));
    }
}
