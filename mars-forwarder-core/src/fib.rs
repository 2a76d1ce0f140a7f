//! The FIB: prefixes with their next hops and local producers, by longest-prefix match.

use alloc::vec::Vec;

use hashbrown::HashTable;
use mars_wire::{Name, NameBuf};

use crate::dest::DestIx;
use crate::face::FaceIx;
use crate::hash::NameHash;
use crate::slab::Slab;

/// Index of a prefix.
pub(crate) type FibIx = u32;

#[derive(Clone, Debug)]
pub(crate) struct Fib {
    entries: Slab<FibEntry>,
    index: HashTable<FibIx>,
    /// How many prefixes have each number of components: a look-up goes no deeper than the last.
    depths: Vec<u32>,
}

/// What is known of one prefix.
#[derive(Clone, Debug)]
pub(crate) struct FibEntry {
    hash: u64,
    pub(crate) prefix: NameBuf,
    /// Next hops from routing, sorted by (hops, face).
    pub(crate) hops: Vec<(u32, FaceIx)>,
    /// Local faces that answer for it.
    pub(crate) producers: Vec<FaceIx>,
    /// Dests with state whose longest match this is.
    pub(crate) dests: Vec<DestIx>,
}

impl Fib {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Slab::new(),
            index: HashTable::new(),
            depths: Vec::new(),
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.entries.len()
    }

    pub(crate) fn get(&self, ix: FibIx) -> Option<&FibEntry> {
        self.entries.get(ix)
    }

    pub(crate) fn get_mut(&mut self, ix: FibIx) -> Option<&mut FibEntry> {
        self.entries.get_mut(ix)
    }

    pub(crate) fn find(&self, hash: &NameHash, prefix: Name<'_>) -> Option<FibIx> {
        self.find_hashed(hash.of(prefix.as_value()), prefix)
    }

    fn find_hashed(&self, hash: u64, prefix: Name<'_>) -> Option<FibIx> {
        let same = |ix: &FibIx| {
            self.entries
                .get(*ix)
                .is_some_and(|e| e.prefix.as_name() == prefix)
        };
        self.index.find(hash, same).copied()
    }

    /// The longest prefix of `name`. Work is bounded by the deepest prefix held, not by the name.
    pub(crate) fn longest_match(&self, hash: &NameHash, name: Name<'_>) -> Option<FibIx> {
        let mut best = None;
        let mut components = name.components();
        for count in &self.depths {
            let prefix = components.consumed();
            if *count > 0 {
                best = self.find(hash, prefix).or(best);
            }
            if components.next().is_none() {
                break;
            }
        }
        best
    }

    /// The entry of a prefix, made if it does not exist.
    pub(crate) fn entry(&mut self, hash: &NameHash, prefix: Name<'_>) -> FibIx {
        let key = hash.of(prefix.as_value());
        if let Some(ix) = self.find_hashed(key, prefix) {
            return ix;
        }
        let ix = self.entries.insert(FibEntry {
            hash: key,
            prefix: prefix.into(),
            hops: Vec::new(),
            producers: Vec::new(),
            dests: Vec::new(),
        });
        let entries = &self.entries;
        self.index
            .insert_unique(key, ix, |ix| entries.get(*ix).map_or(0, |e| e.hash));
        let depth = prefix.components().count();
        if depth >= self.depths.len() {
            self.depths.resize(depth + 1, 0);
        }
        if let Some(count) = self.depths.get_mut(depth) {
            *count += 1;
        }
        ix
    }

    /// Drops an entry that holds nothing more; gives the dests that it left behind.
    pub(crate) fn remove_if_empty(&mut self, ix: FibIx) -> Vec<DestIx> {
        let Some(entry) = self.entries.get(ix) else {
            return Vec::new();
        };
        if !entry.hops.is_empty() || !entry.producers.is_empty() {
            return Vec::new();
        }
        if let Ok(found) = self.index.find_entry(entry.hash, |at| *at == ix) {
            found.remove();
        }
        let depth = entry.prefix.as_name().components().count();
        if let Some(count) = self.depths.get_mut(depth) {
            *count -= 1;
        }
        while self.depths.last() == Some(&0) {
            self.depths.pop();
        }
        self.entries.remove(ix).map(|e| e.dests).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (FibIx, &FibEntry)> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(parts: &[&str]) -> NameBuf {
        parts
            .iter()
            .fold(NameBuf::new(), |name, part| name.generic(part.as_bytes()))
    }

    #[test]
    fn the_longest_prefix_wins_and_goes() {
        let hash = NameHash::new(1);
        let mut fib = Fib::new();
        let root = fib.entry(&hash, Name::EMPTY);
        let ab = fib.entry(&hash, name(&["a", "b"]).as_name());
        let find = |fib: &Fib, parts: &[&str]| fib.longest_match(&hash, name(parts).as_name());
        assert_eq!(find(&fib, &["a", "b", "c"]), Some(ab));
        assert_eq!(find(&fib, &["a", "b"]), Some(ab));
        assert_eq!(find(&fib, &["a"]), Some(root));
        assert_eq!(find(&fib, &["ab"]), Some(root));
        fib.remove_if_empty(root);
        assert_eq!(find(&fib, &["a"]), None);
        fib.remove_if_empty(ab);
        assert_eq!((find(&fib, &["a", "b"]), fib.len()), (None, 0));
    }
}
