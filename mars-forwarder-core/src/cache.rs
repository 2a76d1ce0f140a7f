//! The content store: Data kept for the next who asks, found by its whole name.
//!
//! Off unless [`Config::max_cached`](crate::Config::max_cached) says otherwise. The Data used
//! longest ago goes first. What answers probes is never kept: it says how things stand now.

use alloc::vec::Vec;

use hashbrown::HashTable;
use mars_time::Instant;

use crate::slab::Slab;

type Link = Option<u32>;

#[derive(Clone, Debug)]
pub(crate) struct ContentStore<P> {
    max_entries: u32,
    max_octets: u64,
    /// Octets of all packets and names held.
    octets: u64,
    entries: Slab<Cached<P>>,
    index: HashTable<u32>,
    /// Used last, used longest ago.
    ends: (Link, Link),
    /// Name buffers of evicted Data.
    spare: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cached<P> {
    hash: u64,
    name: Vec<u8>,
    packet: P,
    octets: u32,
    fresh_until: Instant,
    newer: Link,
    older: Link,
}

impl<P> Cached<P> {
    fn cost(&self) -> u64 {
        cost(&self.name, self.octets)
    }
}

/// What a Data counts for: its packet and its name.
fn cost(name: &[u8], octets: u32) -> u64 {
    u64::from(octets).saturating_add(u64::try_from(name.len()).unwrap_or(u64::MAX))
}

impl<P: Clone> ContentStore<P> {
    pub(crate) const fn new(max_entries: u32, max_octets: u64) -> Self {
        Self {
            max_entries,
            max_octets,
            octets: 0,
            entries: Slab::new(),
            index: HashTable::new(),
            ends: (None, None),
            spare: Vec::new(),
        }
    }

    pub(crate) const fn is_on(&self) -> bool {
        self.max_entries > 0
    }

    pub(crate) const fn len(&self) -> u32 {
        self.entries.len()
    }

    /// The Data of a name; with `must_be_fresh` only if it still is. It is now the one used last.
    pub(crate) fn get(
        &mut self,
        hash: u64,
        name: &[u8],
        must_be_fresh: bool,
        now: Instant,
    ) -> Option<P> {
        let ix = self.find(hash, name)?;
        let cached = self.entries.get(ix)?;
        if must_be_fresh && cached.fresh_until <= now {
            return None;
        }
        let packet = cached.packet.clone();
        self.unlink(ix);
        self.link(ix);
        Some(packet)
    }

    /// Keeps a Data, in place of an older one of the name; gives how many others made room. One
    /// that is larger than the whole store is not kept.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        name: &[u8],
        packet: P,
        octets: u32,
        fresh_until: Instant,
    ) -> Option<u32> {
        let cost = cost(name, octets);
        if !self.is_on() || cost > self.max_octets {
            return None;
        }
        if let Some(ix) = self.find(hash, name) {
            self.remove(ix);
        }
        let mut evicted = 0;
        while self.len() >= self.max_entries || self.max_octets - self.octets < cost {
            self.remove(self.ends.1?);
            evicted += 1;
        }
        let mut octets_of_name = core::mem::take(&mut self.spare);
        octets_of_name.clear();
        octets_of_name.extend_from_slice(name);
        let ix = self.entries.insert(Cached {
            hash,
            name: octets_of_name,
            packet,
            octets,
            fresh_until,
            newer: None,
            older: None,
        });
        let entries = &self.entries;
        self.index
            .insert_unique(hash, ix, |ix| entries.get(*ix).map_or(0, |e| e.hash));
        self.link(ix);
        self.octets += cost;
        Some(evicted)
    }

    fn find(&self, hash: u64, name: &[u8]) -> Link {
        let same = |ix: &u32| self.entries.get(*ix).is_some_and(|e| e.name == name);
        self.index.find(hash, same).copied()
    }

    fn remove(&mut self, ix: u32) {
        self.unlink(ix);
        let Some(gone) = self.entries.remove(ix) else {
            return;
        };
        if let Ok(found) = self.index.find_entry(gone.hash, |at| *at == ix) {
            found.remove();
        }
        self.octets -= gone.cost();
        self.spare = gone.name;
    }

    /// Makes an entry that stands nowhere the one used last.
    fn link(&mut self, ix: u32) {
        let before = self.ends.0;
        if let Some(cached) = self.entries.get_mut(ix) {
            (cached.newer, cached.older) = (None, before);
        }
        match before.and_then(|before| self.entries.get_mut(before)) {
            Some(before) => before.newer = Some(ix),
            None => self.ends.1 = Some(ix),
        }
        self.ends.0 = Some(ix);
    }

    fn unlink(&mut self, ix: u32) {
        let Some((newer, older)) = self.entries.get(ix).map(|e| (e.newer, e.older)) else {
            return;
        };
        match newer.and_then(|newer| self.entries.get_mut(newer)) {
            Some(newer) => newer.older = older,
            None => self.ends.0 = older,
        }
        match older.and_then(|older| self.entries.get_mut(older)) {
            Some(older) => older.newer = newer,
            None => self.ends.1 = newer,
        }
    }

    /// Panics if the chain, the index and the sums disagree.
    #[cfg(test)]
    pub(crate) fn audit(&self) {
        let (mut at, mut newer, mut count, mut octets) = (self.ends.0, None, 0, 0);
        while let Some(ix) = at {
            let cached = self.entries.get(ix).expect("a link to nothing");
            assert_eq!(cached.newer, newer, "the chain of use is broken");
            assert_eq!(self.find(cached.hash, &cached.name), Some(ix), "not found");
            (count, octets) = (count + 1, octets + cached.cost());
            (newer, at) = (at, cached.older);
        }
        assert_eq!(self.ends.1, newer);
        assert_eq!((count, octets), (self.len(), self.octets));
        assert_eq!(self.index.len(), count as usize);
        assert!(count <= self.max_entries && octets <= self.max_octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LATER: Instant = Instant::from_secs(9);

    fn store(entries: u32, octets: u64) -> ContentStore<u32> {
        ContentStore::new(entries, octets)
    }

    /// All names in one bucket: the name decides, not its hash.
    fn put(store: &mut ContentStore<u32>, name: &str, octets: u32) -> Option<u32> {
        store.insert(1, name.as_bytes(), 7, octets, LATER)
    }

    fn has(store: &mut ContentStore<u32>, name: &str) -> bool {
        store.get(1, name.as_bytes(), false, LATER).is_some()
    }

    #[test]
    fn the_data_used_longest_ago_goes_first() {
        let mut store = store(2, 1_000);
        put(&mut store, "a", 1);
        put(&mut store, "b", 1);
        assert!(has(&mut store, "a"));
        assert_eq!(put(&mut store, "c", 1), Some(1));
        assert!(has(&mut store, "a") && has(&mut store, "c") && !has(&mut store, "b"));
    }

    #[test]
    fn octets_are_bounded_names_included() {
        let mut store = store(100, 10);
        assert_eq!(put(&mut store, "a", 4), Some(0));
        assert_eq!(put(&mut store, "b", 4), Some(0));
        assert_eq!(put(&mut store, "c", 1), Some(1), "ten are taken");
        assert!(!has(&mut store, "a"));
        assert_eq!(put(&mut store, "d", 10), None, "larger than the store");
        assert_eq!(store.len(), 2);
    }

    #[test]
    fn stale_data_serves_only_those_who_do_not_mind() {
        let mut store = store(2, 100);
        store.insert(1, b"a", 7, 1, Instant::from_secs(1));
        let (before, at) = (Instant::from_millis(999), Instant::from_secs(1));
        assert_eq!(store.get(1, b"a", true, before), Some(7));
        assert_eq!(store.get(1, b"a", true, at), None);
        assert_eq!(store.get(1, b"a", false, at), Some(7));
    }

    #[test]
    fn without_room_nothing_is_kept() {
        assert_eq!(put(&mut store(0, 100), "a", 1), None);
    }

    proptest! {
        #[test]
        fn agrees_with_a_list(ops in proptest::collection::vec((any::<bool>(), 0u8..6, 0u32..5), 0..200)) {
            let mut store = store(3, 12);
            // Names and octets, the one used last in front.
            let mut model: Vec<(u8, u32)> = Vec::new();
            for (puts, name, octets) in ops {
                let known = model.iter().position(|(n, _)| *n == name);
                if puts {
                    let kept = store.insert(1, &[name], u32::from(name), octets, LATER);
                    known.map(|at| model.remove(at));
                    let mut evicted = 0;
                    while model.len() >= 3 || model.iter().map(|(_, o)| o + 1).sum::<u32>() + octets + 1 > 12 {
                        model.pop();
                        evicted += 1;
                    }
                    model.insert(0, (name, octets));
                    prop_assert_eq!(kept, Some(evicted));
                } else {
                    let got = store.get(1, &[name], false, LATER);
                    prop_assert_eq!(got, known.map(|_| u32::from(name)));
                    if let Some(at) = known {
                        let used = model.remove(at);
                        model.insert(0, used);
                    }
                }
                store.audit();
            }
        }
    }
}
