//! All timers of a machine, ordered by (deadline, key).
//!
//! Each key has at most one deadline. Most deadlines of pending Interests are set in rising order
//! and cleared before they come, so they stand in a few **lanes**: sorted lists that take a
//! deadline at their end and give it back from anywhere, in constant time. What fits at the end of
//! no lane goes into an indexed **heap**, as do the timers of faces and dests: O(log n). Nothing is
//! ever scanned, and nothing allocated once the tables have grown to their peak.

use alloc::vec::Vec;
use core::time::Duration;

use mars_time::Instant;

use crate::slab;

/// What a timer belongs to. The order breaks ties between equal deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// Pending Interest: lifetimes of its in-records, silence of its out-records.
    Pit(u32),
    /// Face: pacing.
    Face(u32),
    /// Dest: pacing, expiry of paths, end of a suspension.
    Dest(u32),
}

/// A deadline and whose it is, as one number that sorts like the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due(u128);

impl Due {
    /// Later than any timer.
    const NEVER: Self = Self(u128::MAX);

    const fn new(at: Instant, key: Key) -> Self {
        let (kind, ix) = match key {
            Key::Pit(ix) => (0, ix),
            Key::Face(ix) => (1, ix),
            Key::Dest(ix) => (2, ix),
        };
        Self((at.as_nanos() as u128) << 64 | kind << 32 | ix as u128)
    }

    const fn at(self) -> Instant {
        Instant::from_nanos((self.0 >> 64) as u64)
    }

    const fn key(self) -> Key {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lower 32 bits are the index"
        )]
        let ix = self.0 as u32;
        match (self.0 >> 32) & 3 {
            0 => Key::Pit(ix),
            1 => Key::Face(ix),
            _ => Key::Dest(ix),
        }
    }
}

/// Sorted lists. Each takes the deadlines of about one offset from now; with more of them, offsets
/// that waver by some packets still fit, and the choice takes longer.
const LANES: usize = 8;
/// Numbers from [`END`] on that name a lane.
const LANE_ENDS: u32 = 8;

/// Children of a heap node: a wide heap is shallow.
const ARITY: usize = 4;

/// Marks a key that has no deadline, or does not stand in the heap.
const NOWHERE: u32 = u32::MAX;
/// In place of a neighbour: the timer stands in the heap.
const IN_HEAP: u32 = u32::MAX - 1;
/// From here on, in place of a neighbour: the end of the lane with this number is reached. No table
/// has as many entries as there are lower indices.
const END: u32 = IN_HEAP - LANE_ENDS;

#[derive(Clone, Debug)]
pub(crate) struct Timers {
    /// The earliest of all.
    first: Due,
    /// First and last of each lane.
    heads: [Due; LANES],
    tails: [Due; LANES],
    /// By index of a pending Interest.
    pits: Vec<Node>,
    heap: Vec<Due>,
    /// Places in the heap of faces and dests, by index.
    places: [Vec<u32>; 2],
}

/// The timer of a pending Interest.
#[derive(Clone, Copy, Debug)]
struct Node {
    at: Instant,
    /// The neighbour towards the head of its lane, [`END`] and the lane, [`IN_HEAP`], or
    /// [`NOWHERE`].
    prev: u32,
    /// The neighbour towards the tail of its lane, [`END`] and the lane, or the place in the heap.
    next: u32,
}

impl Node {
    const UNSET: Self = Self {
        at: Instant::ZERO,
        prev: NOWHERE,
        next: NOWHERE,
    };
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            first: Due::NEVER,
            heads: [Due::NEVER; LANES],
            tails: [Due(0); LANES],
            pits: Vec::new(),
            heap: Vec::new(),
            places: [Vec::new(), Vec::new()],
        }
    }
}

impl Timers {
    /// The earliest deadline.
    pub(crate) fn next(&self) -> Option<Instant> {
        (self.first < Due::NEVER).then(|| self.first.at())
    }

    /// Takes out the earliest timer if it is due.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<Key> {
        if self.first == Due::NEVER || self.first.at() > now {
            return None;
        }
        let key = self.first.key();
        self.set(key, None);
        Some(key)
    }

    /// Sets, moves or clears the deadline of a key. What is due already becomes due right after
    /// `now`, and the end of time never comes: it would be due again at once.
    pub(crate) fn set_after(&mut self, now: Instant, key: Key, at: Option<Instant>) {
        let soonest = now + Duration::from_nanos(1);
        let at = at.map(|at| at.max(soonest));
        self.set(key, at.filter(|at| *at < Instant::MAX));
    }

    fn set(&mut self, key: Key, at: Option<Instant>) {
        match key {
            Key::Pit(ix) => self.set_pit(ix, at),
            Key::Face(_) | Key::Dest(_) => {
                let place = self.place(key);
                match at {
                    Some(at) => self.put(place, Due::new(at, key)),
                    None => self.take(place),
                }
            }
        }
    }

    fn set_pit(&mut self, ix: u32, at: Option<Instant>) {
        let old = self.pits.get(ix as usize).copied().unwrap_or(Node::UNSET);
        if old.prev != NOWHERE {
            if at == Some(old.at) {
                return;
            }
            if old.prev == IN_HEAP {
                self.take(old.next);
            } else {
                self.unlink(ix, old);
            }
        }
        if let Some(at) = at {
            self.link(ix, at);
        }
    }

    // ---- lanes

    /// Enters a timer at the end of the lane that it follows closest, else into the heap.
    fn link(&mut self, ix: u32, at: Instant) {
        let due = Due::new(at, Key::Pit(ix));
        let mut best: Option<(Due, u32)> = None;
        for (lane, tail) in (0..).zip(&self.tails) {
            if *tail < due && best.is_none_or(|(closest, _)| closest < *tail) {
                best = Some((*tail, lane));
            }
        }
        slab::grow_to(&mut self.pits, ix, Node::UNSET);
        let Some((tail, lane)) = best else {
            return self.put(NOWHERE, due);
        };
        let end = END + lane;
        let was_empty = tail == Due(0);
        let prev = match tail.key() {
            Key::Pit(last) if !was_empty => last,
            _ => end,
        };
        if let Some(node) = self.pits.get_mut(ix as usize) {
            *node = Node {
                at,
                prev,
                next: end,
            };
        }
        if was_empty {
            self.set_head(lane, due);
        } else if let Some(last) = self.pits.get_mut(prev as usize) {
            last.next = ix;
        }
        self.set_tail(lane, due);
    }

    /// Takes a timer out of its lane.
    fn unlink(&mut self, ix: u32, node: Node) {
        if let Some(node) = self.pits.get_mut(ix as usize) {
            node.prev = NOWHERE;
        }
        let (prev, next) = (node.prev, node.next);
        if next >= END {
            let last = self.due_of(prev).unwrap_or(Due(0));
            self.set_tail(next - END, last);
        } else if let Some(next) = self.pits.get_mut(next as usize) {
            next.prev = prev;
        }
        if prev >= END {
            let head = self.due_of(next).unwrap_or(Due::NEVER);
            self.set_head(prev - END, head);
        } else if let Some(prev) = self.pits.get_mut(prev as usize) {
            prev.next = next;
        }
    }

    /// The timer of a neighbour, if it is one.
    fn due_of(&self, ix: u32) -> Option<Due> {
        if ix >= END {
            return None;
        }
        let node = self.pits.get(ix as usize)?;
        Some(Due::new(node.at, Key::Pit(ix)))
    }

    fn set_tail(&mut self, lane: u32, tail: Due) {
        if let Some(slot) = self.tails.get_mut(lane as usize) {
            *slot = tail;
        }
    }

    fn set_head(&mut self, lane: u32, head: Due) {
        if let Some(slot) = self.heads.get_mut(lane as usize) {
            *slot = head;
        }
        self.find_first();
    }

    /// Notes the earliest of all: it leads a lane or the heap.
    fn find_first(&mut self) {
        let top = self.heap.first().copied().unwrap_or(Due::NEVER);
        self.first = self.heads.iter().fold(top, |first, head| first.min(*head));
    }

    // ---- the heap

    /// Enters a timer, or moves the one at `place`.
    fn put(&mut self, place: u32, due: Due) {
        let place = if let Some(slot) = self.heap.get_mut(place as usize) {
            if *slot == due {
                return;
            }
            *slot = due;
            place as usize
        } else {
            self.heap.push(due);
            self.heap.len() - 1
        };
        self.settle(place);
        self.find_first();
    }

    /// Takes out the timer at `place`, if that is one.
    fn take(&mut self, place: u32) {
        let place = place as usize;
        if place >= self.heap.len() {
            return;
        }
        let gone = self.heap.swap_remove(place);
        self.note(gone, NOWHERE);
        if place < self.heap.len() {
            self.settle(place);
        }
        self.find_first();
    }

    /// Moves the timer at `place` to where it belongs.
    fn settle(&mut self, mut place: usize) {
        let Some(due) = self.heap.get(place).copied() else {
            return;
        };
        while place > 0 {
            let parent = (place - 1) / ARITY;
            let Some(above) = self.heap.get(parent).copied().filter(|above| *above > due) else {
                break;
            };
            self.set_place(place, above);
            place = parent;
        }
        loop {
            let first = place * ARITY + 1;
            let children = self.heap.get(first..).unwrap_or_default();
            let nearest = (first..).zip(children.iter().take(ARITY).copied());
            let nearest = nearest.min_by_key(|(_, child)| *child);
            let Some((child, below)) = nearest.filter(|(_, below)| *below < due) else {
                break;
            };
            self.set_place(place, below);
            place = child;
        }
        self.set_place(place, due);
    }

    fn set_place(&mut self, place: usize, due: Due) {
        if let Some(slot) = self.heap.get_mut(place) {
            *slot = due;
        }
        self.note(due, u32::try_from(place).unwrap_or(NOWHERE));
    }

    /// The place in the heap of a face or dest.
    fn place(&self, key: Key) -> u32 {
        let place = match key {
            Key::Pit(_) => None,
            Key::Face(ix) => self.places[0].get(ix as usize),
            Key::Dest(ix) => self.places[1].get(ix as usize),
        };
        place.copied().unwrap_or(NOWHERE)
    }

    /// Notes the place of a timer in the heap.
    fn note(&mut self, due: Due, place: u32) {
        let (places, ix) = match due.key() {
            Key::Pit(ix) => {
                if let Some(node) = self.pits.get_mut(ix as usize) {
                    *node = Node {
                        at: due.at(),
                        prev: if place == NOWHERE { NOWHERE } else { IN_HEAP },
                        next: place,
                    };
                }
                return;
            }
            Key::Face(ix) => (&mut self.places[0], ix),
            Key::Dest(ix) => (&mut self.places[1], ix),
        };
        slab::grow_to(places, ix, NOWHERE);
        if let Some(slot) = places.get_mut(ix as usize) {
            *slot = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_map(ops in proptest::collection::vec((0u32..40, 0u8..6, proptest::option::of(0u64..50)), 0..400)) {
            let mut timers = Timers::default();
            let mut model = BTreeMap::new();
            for (ix, kind, at) in ops {
                let key = match kind { 0 => Key::Face(ix), 1 => Key::Dest(ix), _ => Key::Pit(ix) };
                let at = at.map(Instant::from_nanos);
                timers.set(key, at);
                match at { Some(at) => { model.insert(key, at); } None => { model.remove(&key); } }
                prop_assert_eq!(timers.next(), model.values().min().copied());
            }
            let mut expected: Vec<_> = model.into_iter().map(|(key, at)| (at, key)).collect();
            expected.sort_unstable();
            for (at, key) in expected {
                if at > Instant::ZERO {
                    let early = at.saturating_sub(core::time::Duration::from_nanos(1));
                    prop_assert_eq!(timers.pop_due(early), None);
                }
                prop_assert_eq!(timers.pop_due(at), Some(key));
            }
            prop_assert_eq!(timers.next(), None);
        }
    }

    #[test]
    fn rising_deadlines_never_enter_the_heap() {
        let mut timers = Timers::default();
        for ix in 0..1_000 {
            timers.set(
                Key::Pit(ix),
                Some(Instant::from_millis(u64::from(ix) + 4_000)),
            );
            timers.set(
                Key::Pit(ix),
                Some(Instant::from_millis(u64::from(ix) + 400)),
            );
        }
        for ix in (0..1_000).rev() {
            assert_eq!(timers.heap.len(), 0);
            timers.set(Key::Pit(ix), None);
        }
        assert_eq!(timers.next(), None);
    }
}
