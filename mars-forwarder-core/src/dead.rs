//! The dead-nonce list: nonces of Interests that are no longer pending, so that a straggling copy
//! is known for what it is.

use alloc::vec::Vec;

use hashbrown::HashTable;

/// A bounded set of (name, nonce) with the face each came from; the oldest goes first.
#[derive(Clone, Debug)]
pub(crate) struct DeadNonces {
    ring: Vec<(u64, u32)>,
    index: HashTable<u32>,
    next: u32,
    max: u32,
}

impl DeadNonces {
    pub(crate) const fn new(max: u32) -> Self {
        Self {
            ring: Vec::new(),
            index: HashTable::new(),
            next: 0,
            max,
        }
    }

    /// Remembers a nonce of the name hashed to `name`, seen from (or sent to) face `face`.
    pub(crate) fn insert(&mut self, name: u64, nonce: u32, face: u32) {
        if self.max == 0 {
            return;
        }
        let key = key(name, nonce);
        let place = self.next;
        self.next = (place + 1) % self.max;
        if let Some(slot) = self.ring.get_mut(place as usize) {
            let old = slot.0;
            *slot = (key, face);
            if let Ok(found) = self.index.find_entry(old, |at| *at == place) {
                found.remove();
            }
        } else {
            self.ring.push((key, face));
        }
        let ring = &self.ring;
        self.index.insert_unique(key, place, |at| {
            ring.get(*at as usize).map_or(0, |(key, _)| *key)
        });
    }

    /// The faces that a dead nonce was seen on.
    pub(crate) fn faces(&self, name: u64, nonce: u32) -> impl Iterator<Item = u32> {
        let key = key(name, nonce);
        self.index
            .iter_hash(key)
            .filter_map(move |at| self.ring.get(*at as usize))
            .filter(move |(k, _)| *k == key)
            .map(|(_, face)| *face)
    }
}

/// The name's hash is keyed, and so is this.
const fn key(name: u64, nonce: u32) -> u64 {
    (name ^ nonce as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first() {
        let mut dead = DeadNonces::new(2);
        for nonce in 1..=3 {
            dead.insert(7, nonce, 10 + nonce);
        }
        let faces = |nonce| dead.faces(7, nonce).collect::<Vec<_>>();
        assert_eq!(faces(1), []);
        assert_eq!(faces(2), [12]);
        assert_eq!(faces(3), [13]);
        assert_eq!(dead.faces(8, 3).count(), 0);
    }
}
