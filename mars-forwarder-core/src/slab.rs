//! A vector with holes: stable indices, freed slots reused last in, first out.

use alloc::vec::Vec;

/// Makes room for `more` values. Large tables grow by an eighth: still at a constant cost per value
/// over time, and never much larger than what they hold.
pub(crate) fn make_room<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        values.reserve_exact(more.max(values.len() / 8).max(LEAST_ROOM));
    }
}

/// Values that a table has room for at least.
const LEAST_ROOM: usize = 8;

/// Makes `values` long enough for an index, with `fill` in what is new.
pub(crate) fn grow_to<T: Copy>(values: &mut Vec<T>, ix: u32, fill: T) {
    let ix = ix as usize;
    if ix >= values.len() {
        let more = ix + 1 - values.len();
        make_room(values, more);
        values.resize(ix + 1, fill);
    }
}

/// Values under stable `u32` indices. Never shrinks; freeing and taking a slot costs no allocation.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Option<u32>,
    len: u32,
}

#[derive(Clone, Debug)]
enum Slot<T> {
    Used(T),
    Free { next: Option<u32> },
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: None,
            len: 0,
        }
    }

    /// Values held.
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// One more than the greatest index ever used.
    fn bound(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if let Some(ix) = self.free
            && let Some(slot) = self.slots.get_mut(ix as usize)
            && let Slot::Free { next } = *slot
        {
            self.free = next;
            *slot = Slot::Used(value);
            return ix;
        }
        let ix = self.bound();
        make_room(&mut self.slots, 1);
        self.slots.push(Slot::Used(value));
        ix
    }

    pub(crate) fn remove(&mut self, ix: u32) -> Option<T> {
        self.get(ix)?;
        let slot = self.slots.get_mut(ix as usize)?;
        let old = core::mem::replace(slot, Slot::Free { next: self.free });
        self.free = Some(ix);
        self.len -= 1;
        match old {
            Slot::Used(value) => Some(value),
            Slot::Free { .. } => None,
        }
    }

    pub(crate) fn get(&self, ix: u32) -> Option<&T> {
        match self.slots.get(ix as usize)? {
            Slot::Used(value) => Some(value),
            Slot::Free { .. } => None,
        }
    }

    pub(crate) fn get_mut(&mut self, ix: u32) -> Option<&mut T> {
        match self.slots.get_mut(ix as usize)? {
            Slot::Used(value) => Some(value),
            Slot::Free { .. } => None,
        }
    }

    /// Values by rising index, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| match slot {
            Slot::Used(value) => Some(value),
            Slot::Free { .. } => None,
        })
    }

    /// Values by rising index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.slots).filter_map(|(ix, slot)| match slot {
            Slot::Used(value) => Some((ix, value)),
            Slot::Free { .. } => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused_and_stale_indices_find_nothing() {
        let mut slab = Slab::new();
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        assert_eq!(slab.remove(a), Some('a'));
        assert_eq!(slab.remove(a), None);
        assert_eq!(slab.get(a), None);
        assert_eq!(slab.insert('c'), a);
        assert_eq!((slab.get(a), slab.get(b)), (Some(&'c'), Some(&'b')));
        assert_eq!(slab.len(), 2);
    }
}
