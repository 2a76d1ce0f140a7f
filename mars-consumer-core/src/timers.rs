//! All deadlines of one consumer in one indexed binary heap.
//!
//! Arming, moving and clearing a timer cost `O(log n)`; the earliest is read in `O(1)`. There are
//! no stale entries, so the wake-up time is exact, and no allocation once the heap has reached the
//! size of the window.

use alloc::vec::Vec;

use mars_time::Instant;

/// What a deadline is for. Timers of one deadline fire in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TimerId {
    /// Pacing lets the next Interest go.
    Pacing,
    /// The next round of discovery begins: of a new generation after its back-off, or of the same
    /// after a while.
    Round,
    /// A probe slot: its probe is silent, or its rest is over.
    Probe(u8),
    /// A segment: its Interest is silent, or its rest is over.
    Segment(u64),
}

/// The heap, and for each timer where in the heap it is.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    heap: Vec<(Instant, TimerId)>,
    /// Position in the heap plus one, by key; 0: not armed.
    places: Vec<usize>,
    /// Segments that can be armed at once: their numbers lie within one window of this many.
    segments: u32,
}

impl Timers {
    pub(crate) const fn new(segments: u32) -> Self {
        Self {
            heap: Vec::new(),
            places: Vec::new(),
            segments,
        }
    }

    /// The earliest deadline.
    pub(crate) fn earliest(&self) -> Option<Instant> {
        self.heap.first().map(|&(at, _)| at)
    }

    /// Arms `id`, or moves it. The end of time is never due: it would be due again at once.
    pub(crate) fn set(&mut self, id: TimerId, at: Instant) {
        if at == Instant::MAX {
            return self.clear(id);
        }
        let place = self.place(id).unwrap_or_else(|| {
            self.heap.push((at, id));
            self.heap.len() - 1
        });
        if let Some(entry) = self.heap.get_mut(place) {
            *entry = (at, id);
        }
        self.note(place);
        self.settle(place);
    }

    /// Disarms `id`, if it is armed.
    pub(crate) fn clear(&mut self, id: TimerId) {
        if let Some(place) = self.place(id) {
            self.remove(place);
        }
    }

    /// Takes out the first timer that is due, ordered by deadline, then id.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<TimerId> {
        let &(at, id) = self.heap.first()?;
        if at > now {
            return None;
        }
        self.remove(0);
        Some(id)
    }

    /// Timers armed, and entries that there is memory for.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        let memory = self.heap.capacity() + self.places.capacity();
        (self.heap.len(), memory)
    }

    fn remove(&mut self, place: usize) {
        let last = self.heap.len().saturating_sub(1);
        self.exchange(place, last);
        if let Some((_, id)) = self.heap.pop() {
            let key = self.key(id);
            if let Some(entry) = self.places.get_mut(key) {
                *entry = 0;
            }
        }
        self.settle(place);
    }

    /// Moves the entry at `place` to where its deadline belongs.
    fn settle(&mut self, place: usize) {
        let place = self.sift_up(place);
        self.sift_down(place);
    }

    fn sift_up(&mut self, mut place: usize) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap.get(place) >= self.heap.get(parent) {
                break;
            }
            self.exchange(place, parent);
            place = parent;
        }
        place
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let earlier_right =
                right < self.heap.len() && self.heap.get(right) < self.heap.get(left);
            let child = if earlier_right { right } else { left };
            if child >= self.heap.len() || self.heap.get(place) <= self.heap.get(child) {
                break;
            }
            self.exchange(place, child);
            place = child;
        }
    }

    fn exchange(&mut self, a: usize, b: usize) {
        if a.max(b) < self.heap.len() {
            self.heap.swap(a, b);
            self.note(a);
            self.note(b);
        }
    }

    /// Writes down where the entry at `place` is.
    fn note(&mut self, place: usize) {
        let Some(&(_, id)) = self.heap.get(place) else {
            return;
        };
        let key = self.key(id);
        if key >= self.places.len() {
            self.places.resize(key + 1, 0);
        }
        if let Some(entry) = self.places.get_mut(key) {
            *entry = place + 1;
        }
    }

    fn place(&self, id: TimerId) -> Option<usize> {
        self.places.get(self.key(id))?.checked_sub(1)
    }

    fn key(&self, id: TimerId) -> usize {
        const FIRST_PROBE: usize = 2;
        const FIRST_SEGMENT: usize = FIRST_PROBE + 256;
        match id {
            TimerId::Pacing => 0,
            TimerId::Round => 1,
            TimerId::Probe(slot) => FIRST_PROBE + usize::from(slot),
            TimerId::Segment(segment) => {
                let place = segment % u64::from(self.segments.max(1));
                FIRST_SEGMENT + usize::try_from(place).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::collections::BTreeSet;

    /// Against an ordered set, over a window of segments that moves on.
    #[test]
    fn agrees_with_an_ordered_set() {
        let mut rng = Rng::new(7);
        let mut timers = Timers::new(16);
        let mut model = BTreeSet::<(Instant, TimerId)>::new();
        for step in 0..20_000_u64 {
            let segment = step / 100 + rng.next_u64() % 16;
            model.retain(|&(_, id)| match id {
                TimerId::Segment(s) if s < step / 100 => {
                    timers.clear(id);
                    false
                }
                _ => true,
            });
            let id = match rng.next_u64() % 4 {
                0 => TimerId::Probe(u8::try_from(rng.next_u64() % 256).unwrap()),
                1 => TimerId::Pacing,
                _ => TimerId::Segment(segment),
            };
            let at = Instant::from_nanos(step + rng.next_u64() % 64);
            match rng.next_u64() % 3 {
                0 => {
                    model.retain(|&(_, other)| other != id);
                    timers.clear(id);
                }
                1 => {
                    model.retain(|&(_, other)| other != id);
                    model.insert((at, id));
                    timers.set(id, at);
                }
                _ => {
                    let now = Instant::from_nanos(step);
                    let due = model.first().copied().filter(|&(at, _)| at <= now);
                    if let Some(first) = due {
                        model.remove(&first);
                    }
                    assert_eq!(timers.pop_due(now), due.map(|(_, id)| id));
                }
            }
            assert_eq!(timers.earliest(), model.first().map(|&(at, _)| at));
        }
    }
}
