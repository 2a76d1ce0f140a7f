//! Names of pending Interests, side by side: one array for each length rounded up, so that a name
//! costs its octets and no allocation of its own.

use alloc::vec::Vec;

use crate::slab::{self, Slab};

/// Lengths are rounded up to a multiple of this; room for the number of a free place.
const STEP: usize = 8;
/// Names up to this many octets stand side by side; a longer one has an allocation of its own.
const LONGEST: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// By length rounded up, in steps.
    rows: Vec<Row>,
    long: Slab<Vec<u8>>,
}

/// Names of one rounded length.
#[derive(Clone, Debug, Default)]
struct Row {
    octets: Vec<u8>,
    /// One more than the place that was given back last, 0 if there is none. A free place holds
    /// the same of the next.
    free: u32,
}

/// A name that is held: its place, and its octets, of which more than [`LONGEST`] are not counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    at: u32,
    len: u16,
}

impl Held {
    /// Where its row's array has it; `None` for a long name.
    fn row(self) -> Option<(usize, usize)> {
        let steps = usize::from(self.len).div_ceil(STEP);
        (usize::from(self.len) <= LONGEST).then(|| (steps, self.at as usize * steps * STEP))
    }
}

impl Names {
    pub(crate) const fn new() -> Self {
        Self {
            rows: Vec::new(),
            long: Slab::new(),
        }
    }

    /// Copies a name.
    pub(crate) fn insert(&mut self, name: &[u8]) -> Held {
        let len = u16::try_from(name.len().min(LONGEST + 1)).unwrap_or(u16::MAX);
        let mut held = Held { at: 0, len };
        let Some((row, _)) = held.row() else {
            held.at = self.long.insert(name.to_vec());
            return held;
        };
        if row >= self.rows.len() {
            self.rows.resize_with(row + 1, Row::default);
        }
        if let Some(row) = self.rows.get_mut(row) {
            held.at = row.insert(name);
        }
        held
    }

    /// Gives the place of a name back.
    pub(crate) fn remove(&mut self, held: Held) {
        let Some((row, start)) = held.row() else {
            self.long.remove(held.at);
            return;
        };
        if let Some(row) = self.rows.get_mut(row)
            && let Some(place) = row.octets.get_mut(start..)
            && let Some(next) = place.first_chunk_mut()
        {
            *next = row.free.to_le_bytes();
            row.free = held.at + 1;
        }
    }

    pub(crate) fn get(&self, held: Held) -> &[u8] {
        let found = match held.row() {
            Some((row, start)) => self.rows.get(row).and_then(|row| {
                let rest = row.octets.get(start..)?;
                rest.get(..usize::from(held.len))
            }),
            None => self.long.get(held.at).map(Vec::as_slice),
        };
        found.unwrap_or_default()
    }
}

impl Row {
    /// Copies a name of this row's length to a free place, and gives its number.
    fn insert(&mut self, name: &[u8]) -> u32 {
        let stride = name.len().next_multiple_of(STEP);
        if let Some(at) = self.free.checked_sub(1)
            && let Some(place) = self.octets.get_mut(at as usize * stride..)
            && let Some(next) = place.first_chunk()
        {
            self.free = u32::from_le_bytes(*next);
            if let Some(place) = place.get_mut(..name.len()) {
                place.copy_from_slice(name);
            }
            return at;
        }
        let at = self.octets.len().checked_div(stride).unwrap_or(0);
        slab::make_room(&mut self.octets, stride);
        self.octets.extend_from_slice(name);
        self.octets.resize((at + 1) * stride, 0);
        u32::try_from(at).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_name_is_found_as_it_was_copied(ops in proptest::collection::vec((any::<bool>(), 0usize..300, any::<u8>()), 0..200)) {
            let mut names = Names::new();
            let mut model: Vec<(Held, Vec<u8>)> = Vec::new();
            for (goes, len, octet) in ops {
                if goes && !model.is_empty() {
                    let (held, _) = model.swap_remove(len % model.len());
                    names.remove(held);
                } else {
                    let name = vec![octet; len];
                    model.push((names.insert(&name), name));
                }
                for (held, name) in &model {
                    prop_assert_eq!(names.get(*held), name);
                }
            }
        }
    }

    #[test]
    fn places_are_used_again() {
        let mut names = Names::new();
        let held: Vec<_> = (0..10).map(|octet| names.insert(&[octet; 40])).collect();
        let octets = |names: &Names| names.rows.iter().map(|row| row.octets.len()).sum::<usize>();
        assert_eq!(octets(&names), 400);
        for held in held {
            names.remove(held);
        }
        for octet in 0..10 {
            names.insert(&[octet; 33]);
        }
        assert_eq!(octets(&names), 400);
    }
}
