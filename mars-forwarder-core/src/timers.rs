//! All timers of a machine in one indexed heap, ordered by (deadline, key).
//!
//! Each key has at most one deadline. Setting, moving and clearing cost O(log n) and no
//! allocation once the heap has grown to its peak; nothing is ever scanned.

use alloc::vec::Vec;
use core::time::Duration;

use mars_time::Instant;

/// What a timer belongs to. The order breaks ties between equal deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// Pending Interest: lifetimes of its in-records, silence of its out-records.
    Pit(u32),
    /// Face: pacing.
    Face(u32),
    /// Dest: pacing, expiry of paths, end of an exclusion.
    Dest(u32),
}

/// Marks a key without a deadline.
const NOWHERE: u32 = u32::MAX;

/// Children of a heap node: a wide heap is shallow, and most deadlines are set late and cleared.
const ARITY: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    heap: Vec<(Instant, Key)>,
    /// Position in the heap of each key, by kind.
    places: [Vec<u32>; 3],
}

impl Timers {
    /// The earliest deadline.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.heap.first().map(|(at, _)| *at)
    }

    /// Takes out the earliest timer if it is due.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<Key> {
        let (at, key) = *self.heap.first()?;
        if at > now {
            return None;
        }
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
        let place = self.place(key);
        match (place, at) {
            (None, None) => {}
            (None, Some(at)) => {
                self.heap.push((at, key));
                self.note(self.heap.len() - 1);
                self.rise(self.heap.len() - 1);
            }
            (Some(place), Some(at)) => {
                let Some(slot) = self.heap.get_mut(place) else {
                    return;
                };
                if slot.0 == at {
                    return;
                }
                slot.0 = at;
                self.settle(place);
            }
            (Some(place), None) => {
                self.heap.swap_remove(place);
                self.forget(key);
                if place < self.heap.len() {
                    self.note(place);
                    self.settle(place);
                }
            }
        }
    }

    fn settle(&mut self, place: usize) {
        let place = self.rise(place);
        self.sink(place);
    }

    fn rise(&mut self, mut place: usize) -> usize {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap.get(parent) <= self.heap.get(place) {
                break;
            }
            self.swap(parent, place);
            place = parent;
        }
        place
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let first = place * ARITY + 1;
            let end = self.heap.len().min(first + ARITY);
            let nearest = (first..end).min_by(|a, b| self.heap.get(*a).cmp(&self.heap.get(*b)));
            let Some(child) = nearest.filter(|c| self.heap.get(*c) < self.heap.get(place)) else {
                return;
            };
            self.swap(child, place);
            place = child;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.note(a);
        self.note(b);
    }

    fn place(&self, key: Key) -> Option<usize> {
        let (kind, ix) = split(key);
        let place = *self.places.get(kind)?.get(ix)?;
        (place != NOWHERE).then_some(place as usize)
    }

    /// Notes where the key that now stands at `place` stands.
    fn note(&mut self, place: usize) {
        let Some((_, key)) = self.heap.get(place) else {
            return;
        };
        let (kind, ix) = split(*key);
        let Some(places) = self.places.get_mut(kind) else {
            return;
        };
        if ix >= places.len() {
            places.resize(ix + 1, NOWHERE);
        }
        if let Some(slot) = places.get_mut(ix) {
            *slot = u32::try_from(place).unwrap_or(NOWHERE);
        }
    }

    fn forget(&mut self, key: Key) {
        let (kind, ix) = split(key);
        if let Some(slot) = self.places.get_mut(kind).and_then(|p| p.get_mut(ix)) {
            *slot = NOWHERE;
        }
    }
}

const fn split(key: Key) -> (usize, usize) {
    match key {
        Key::Pit(ix) => (0, ix as usize),
        Key::Face(ix) => (1, ix as usize),
        Key::Dest(ix) => (2, ix as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_map(ops in proptest::collection::vec((0u32..12, 0u8..3, proptest::option::of(0u64..50)), 0..200)) {
            let mut timers = Timers::default();
            let mut model = BTreeMap::new();
            for (ix, kind, at) in ops {
                let key = match kind { 0 => Key::Pit(ix), 1 => Key::Face(ix), _ => Key::Dest(ix) };
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
}
