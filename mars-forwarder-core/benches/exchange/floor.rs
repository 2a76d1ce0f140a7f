//! The floor: what an exchange costs the bare tables alone. No forwarder can do with less.
//!
//! An entry per pending name under a keyed hash, with the name and a deadline; a FIB by
//! longest-prefix match; a queue of 40. One exchange is, for the Interest, a hash of its name, a
//! look-up in vain, the longest-prefix match, the insertion, a push and a pop; for the Data a
//! hash, a look-up and the removal.

use core::hash::Hasher;
use std::collections::VecDeque;

use hashbrown::HashTable;
use mars_wire::{Name, NameBuf};
use siphasher::sip::SipHasher13;

use crate::rig::{Size, dest};

const QUEUE: usize = 40;

#[derive(Debug)]
struct Entry {
    hash: u64,
    name: Vec<u8>,
    deadline: u64,
}

/// The tables.
#[derive(Debug)]
pub(crate) struct Floor {
    hash: SipHasher13,
    pending: HashTable<u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    fib: HashTable<u32>,
    prefixes: Vec<(u64, NameBuf)>,
    queue: VecDeque<u32>,
    /// Numbers of the next names to be asked for and to be answered.
    next: [usize; 2],
    now: u64,
}

impl Floor {
    /// With all of `size.pending` in the table.
    ///
    /// # Panics
    /// If the tables do not do what they must.
    #[must_use]
    pub(crate) fn new(size: Size, names: &[NameBuf]) -> Self {
        let mut floor = Self {
            hash: SipHasher13::new_with_keys(7, 11),
            pending: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            fib: HashTable::new(),
            prefixes: Vec::new(),
            queue: (0..39).collect(),
            next: [0; 2],
            now: 0,
        };
        for number in 0..size.prefixes() {
            let prefix = dest(number);
            let hash = floor.hash(prefix.as_name().as_value());
            floor.prefixes.push((hash, prefix));
            let prefixes = &floor.prefixes;
            floor
                .fib
                .insert_unique(hash, number, |at| prefixes[*at as usize].0);
        }
        for _ in 0..size.pending {
            floor.ask(names);
        }
        floor
    }

    /// One exchange: the next name goes in, the oldest comes out.
    pub(crate) fn exchange(&mut self, names: &[NameBuf]) {
        self.ask(names);
        self.answer(names);
    }

    fn take_name<'n>(&mut self, which: usize, names: &'n [NameBuf]) -> Name<'n> {
        let number = self.next[which];
        self.next[which] = (number + 1) % names.len();
        names[number].as_name()
    }

    fn hash(&self, octets: &[u8]) -> u64 {
        let mut hasher = self.hash;
        hasher.write(octets);
        hasher.finish()
    }

    fn find(&self, hash: u64, name: &[u8]) -> Option<u32> {
        let same = |at: &u32| self.entries[*at as usize].name == name;
        self.pending.find(hash, same).copied()
    }

    fn ask(&mut self, names: &[NameBuf]) {
        let name = self.take_name(0, names);
        let hash = self.hash(name.as_value());
        assert_eq!(self.find(hash, name.as_value()), None);
        assert!(self.longest_match(name).is_some());
        self.now += 1;
        let at = if let Some(at) = self.free.pop() {
            let entry = &mut self.entries[at as usize];
            entry.hash = hash;
            entry.name.clear();
            entry.name.extend_from_slice(name.as_value());
            entry.deadline = self.now;
            at
        } else {
            self.entries.push(Entry {
                hash,
                name: name.as_value().to_vec(),
                deadline: self.now,
            });
            u32::try_from(self.entries.len() - 1).unwrap()
        };
        let entries = &self.entries;
        self.pending
            .insert_unique(hash, at, |at| entries[*at as usize].hash);
        if self.queue.len() < QUEUE {
            self.queue.push_back(at);
        }
        assert!(self.queue.pop_front().is_some());
    }

    fn answer(&mut self, names: &[NameBuf]) {
        let name = self.take_name(1, names);
        let hash = self.hash(name.as_value());
        let at = self.find(hash, name.as_value()).expect("pending");
        let found = self.pending.find_entry(hash, |other| *other == at);
        found.expect("pending").remove();
        self.free.push(at);
    }

    /// All prefixes are of one component.
    fn longest_match(&self, name: Name<'_>) -> Option<u32> {
        let mut best = None;
        let mut components = name.components();
        for _ in 0..2 {
            let prefix = components.consumed();
            let hash = self.hash(prefix.as_value());
            let same = |at: &u32| self.prefixes[*at as usize].1.as_name() == prefix;
            best = self.fib.find(hash, same).copied().or(best);
            if components.next().is_none() {
                break;
            }
        }
        best
    }
}
