//! Where fragments lie until their message is whole: blocks of one size, chained.
//!
//! A message is one chain of blocks, ordered by key; a fragment is a run of blocks with one key. A
//! fragment that comes in order, or behind a gap, is appended; any other is put in its place by a
//! walk along the chain. All blocks are of one size, so none is ever too small and nothing is ever
//! moved.

use alloc::vec::Vec;
use core::fmt;

/// Octets of a block.
pub(super) const BLOCK: usize = 256;
/// Octets of it that can be used.
const ROOM: usize = BLOCK - 8;
/// One message takes at most this many blocks and one for each fragment: its octets and its header
/// are [`MAX_PACKET`](crate::MAX_PACKET) octets together, and each fragment can leave one block
/// not full.
pub(super) const MOST_BESIDE_FRAGMENTS: usize = 38;

/// Number of a block; `NONE` if there is none.
type BlockId = u32;
const NONE: BlockId = u32::MAX;

#[derive(Clone)]
struct Block {
    /// The next one in its chain, or in the list of those that are free.
    next: BlockId,
    key: u16,
    len: u16,
    octets: [u8; ROOM],
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, {}", self.len, self.key, self.next)
    }
}

/// The blocks of one message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    first: BlockId,
    last: BlockId,
    len: u32,
}

impl Chain {
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
        len: 0,
    };
}

/// All blocks of one reassembler.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Those that were ever in use.
    all: Vec<Block>,
    /// The first one that is free again.
    free: BlockId,
    /// How many there can be in use, and how many more.
    limit: usize,
    left: usize,
}

impl Blocks {
    /// Room for `octets`, counted in whole blocks.
    pub(super) fn new(octets: usize) -> Self {
        let limit = octets / BLOCK;
        Self {
            all: Vec::with_capacity(limit),
            free: NONE,
            limit,
            left: limit,
        }
    }

    /// Octets of the blocks that are in use.
    pub(super) const fn octets(&self) -> usize {
        (self.limit - self.left) * BLOCK
    }

    /// Blocks that can still be put into use.
    pub(super) const fn left(&self) -> usize {
        self.left
    }

    /// Blocks that `octets` of one key take.
    pub(super) const fn needed(octets: usize) -> usize {
        octets.div_ceil(ROOM)
    }

    /// Whether something lies under `key`.
    pub(super) fn contains(&self, chain: &Chain, key: u16) -> bool {
        let next = match self.before(chain, key) {
            NONE => chain.first,
            before => self.get(before).map_or(NONE, |block| block.next),
        };
        self.get(next).is_some_and(|block| block.key == key)
    }

    /// Puts `octets` under `key`, under which nothing lies. There must be enough blocks left.
    pub(super) fn insert(&mut self, chain: &mut Chain, key: u16, octets: &[u8]) {
        let mut before = self.before(chain, key);
        for octets in octets.chunks(ROOM) {
            let Some(id) = self.take() else {
                return;
            };
            let next = match before {
                NONE => chain.first,
                before => self.get(before).map_or(NONE, |block| block.next),
            };
            self.fill(id, next, key, octets);
            match self.get_mut(before) {
                Some(before) => before.next = id,
                None => chain.first = id,
            }
            if next == NONE {
                chain.last = id;
            }
            chain.len += 1;
            before = id;
        }
    }

    /// Appends everything in `chain` to `out` in the order of the keys, and `octets` where `key`
    /// belongs, which is not in it. Says how many octets of `chain` are of key 0.
    pub(super) fn gather(
        &self,
        chain: &Chain,
        key: u16,
        octets: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        let mut of_zero = 0;
        let mut missing = Some(octets);
        let mut next = chain.first;
        while let Some(block) = self.get(next) {
            if block.key > key {
                out.extend_from_slice(missing.take().unwrap_or_default());
            }
            let len = usize::from(block.len);
            out.extend_from_slice(block.octets.get(..len).unwrap_or_default());
            if block.key == 0 {
                of_zero += len;
            }
            next = block.next;
        }
        out.extend_from_slice(missing.unwrap_or_default());
        of_zero
    }

    /// Frees all blocks of `chain`.
    pub(super) fn release(&mut self, chain: Chain) {
        let free = self.free;
        if let Some(last) = self.get_mut(chain.last) {
            last.next = free;
            self.free = chain.first;
            self.left += chain.len as usize;
        }
    }

    /// The last block with a lesser key; `NONE` if there is none.
    fn before(&self, chain: &Chain, key: u16) -> BlockId {
        if self.get(chain.last).is_some_and(|last| last.key < key) {
            return chain.last;
        }
        let mut before = NONE;
        let mut next = chain.first;
        while let Some(block) = self.get(next).filter(|block| block.key < key) {
            before = next;
            next = block.next;
        }
        before
    }

    /// A block that is not in use.
    fn take(&mut self) -> Option<BlockId> {
        self.left = self.left.checked_sub(1)?;
        let id = self.free;
        if let Some(block) = self.get(id) {
            self.free = block.next;
            return Some(id);
        }
        let id = u32::try_from(self.all.len()).ok()?;
        self.all.push(Block {
            next: NONE,
            key: 0,
            len: 0,
            octets: [0; ROOM],
        });
        Some(id)
    }

    fn fill(&mut self, id: BlockId, next: BlockId, key: u16, octets: &[u8]) {
        let Some(block) = self.get_mut(id) else {
            return;
        };
        block.next = next;
        block.key = key;
        if let Some(room) = block.octets.get_mut(..octets.len()) {
            room.copy_from_slice(octets);
            block.len = u16::try_from(octets.len()).unwrap_or(0);
        }
    }

    fn get(&self, id: BlockId) -> Option<&Block> {
        self.all.get(id as usize)
    }

    fn get_mut(&mut self, id: BlockId) -> Option<&mut Block> {
        self.all.get_mut(id as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn gathered(blocks: &Blocks, chain: &Chain) -> (usize, Vec<u8>) {
        let mut out = Vec::new();
        let of_zero = blocks.gather(chain, u16::MAX, &[], &mut out);
        (of_zero, out)
    }

    #[test]
    fn a_block_is_256_octets() {
        assert_eq!(size_of::<Block>(), BLOCK);
    }

    /// The worst message: a header that just spills over, and fragments that do.
    #[test]
    fn one_message_fits_what_a_config_must_have() {
        for fragments in [1, 2, 33, 34, 35, 256] {
            let mut left = crate::MAX_PACKET;
            let mut blocks = 0;
            for _ in 0..fragments - 1 {
                let len = left.min(ROOM + 1);
                left -= len;
                blocks += Blocks::needed(len);
            }
            // The rest is header and last fragment; the header is kept in a wrapper of 4 octets.
            blocks += Blocks::needed(left + 4) + 1;
            assert!(blocks <= fragments + MOST_BESIDE_FRAGMENTS, "{fragments}");
        }
    }

    #[test]
    fn any_order_gathers_in_order() {
        let parts = [
            vec![9; 10],
            vec![1; 600],
            vec![2; 1],
            vec![3; 248],
            vec![4; 249],
        ];
        let expected = parts.concat();
        let orders = [
            [0, 1, 2, 3, 4],
            [4, 3, 2, 1, 0],
            [2, 4, 0, 3, 1],
            [1, 0, 4, 2, 3],
        ];
        let mut blocks = Blocks::new(9 * BLOCK);
        for order in orders {
            let mut chain = Chain::EMPTY;
            for (nth, key) in order.into_iter().enumerate() {
                assert!(!blocks.contains(&chain, key));
                blocks.insert(&mut chain, key, &parts[usize::from(key)]);
                for other in order {
                    let here = order[..=nth].contains(&other);
                    assert_eq!(blocks.contains(&chain, other), here);
                }
            }
            assert_eq!(gathered(&blocks, &chain), (10, expected.clone()));
            let mut out = Vec::new();
            blocks.gather(&chain, 9, &[5; 3], &mut out);
            assert_eq!(out, [&expected[..], &[5; 3]].concat());
            assert_eq!(blocks.left(), 9 - 1 - 3 - 1 - 1 - 2);
            blocks.release(chain);
            assert_eq!(blocks.left(), 9);
        }
        assert_eq!(blocks.all.len(), 8, "blocks are used again");
    }

    #[test]
    fn chains_do_not_mix() {
        let mut blocks = Blocks::new(100 * BLOCK);
        let mut chains = [Chain::EMPTY; 3];
        for key in [1, 0, 2] {
            for (chain, octet) in chains.iter_mut().zip(1..) {
                blocks.insert(chain, key, &[octet; 300]);
            }
        }
        let [a, b, c] = chains;
        blocks.release(b);
        assert_eq!(gathered(&blocks, &a), (300, vec![1; 900]));
        assert_eq!(gathered(&blocks, &c), (300, vec![3; 900]));
    }
}
