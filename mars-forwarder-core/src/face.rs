//! Faces: what the host told of each, the window of its upstream link, and who waits for it.

use alloc::collections::{BTreeMap, VecDeque};

use mars_cc::Controller;

use crate::dest::DestIx;
use crate::slab::Slab;
use crate::{FaceId, FaceKind};

/// Index of a face: the slot in its lower 16 bits, above them the count of the slot's uses, so that
/// a record of a face that is gone never finds the next one.
pub(crate) type FaceIx = u32;

const SLOT_BITS: u32 = 16;
/// Faces that fit.
pub(crate) const MAX_FACES: u32 = (1 << SLOT_BITS) - 1;

/// The slot of a face.
pub(crate) const fn slot(face: FaceIx) -> usize {
    (face & MAX_FACES) as usize
}

#[derive(Clone, Debug)]
pub(crate) struct Face {
    ix: FaceIx,
    pub(crate) id: FaceId,
    pub(crate) kind: FaceKind,
    pub(crate) up: bool,
    /// Data that waits to be serialised: the host's last report plus what was handed out since.
    pub(crate) data_queue: u32,
    /// Level F of the control law: all dests over this face.
    pub(crate) cc: Controller,
    /// Dests with queued Interests that wait for this face's credit, served in rotation.
    pub(crate) waiting: VecDeque<DestIx>,
    /// Dests that its Interests opened.
    pub(crate) dests: u32,
    /// Stands in the list of work.
    pub(crate) stirred: bool,
}

impl Face {
    /// Packets waiting, as the link header says it; applications are not told.
    pub(crate) fn reported_queue(&self) -> Option<u16> {
        match self.kind {
            FaceKind::Local => None,
            FaceKind::Mars | FaceKind::Plain => {
                Some(u16::try_from(self.data_queue).unwrap_or(u16::MAX))
            }
        }
    }
}

/// All faces of a node.
#[derive(Clone, Debug)]
pub(crate) struct Faces {
    slab: Slab<Face>,
    index: BTreeMap<FaceId, FaceIx>,
    uses: u32,
}

impl Faces {
    pub(crate) const fn new() -> Self {
        Self {
            slab: Slab::new(),
            index: BTreeMap::new(),
            uses: 0,
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.slab.len()
    }

    pub(crate) fn find(&self, id: FaceId) -> Option<FaceIx> {
        self.index.get(&id).copied()
    }

    pub(crate) fn get(&self, ix: FaceIx) -> Option<&Face> {
        self.slab.get(ix & MAX_FACES).filter(|face| face.ix == ix)
    }

    pub(crate) fn get_mut(&mut self, ix: FaceIx) -> Option<&mut Face> {
        self.slab
            .get_mut(ix & MAX_FACES)
            .filter(|face| face.ix == ix)
    }

    /// Whether an application is at the other end.
    pub(crate) fn is_local(&self, ix: FaceIx) -> bool {
        self.get(ix)
            .is_some_and(|face| face.kind == FaceKind::Local)
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (FaceIx, &Face)> {
        self.slab.iter().map(|(_, face)| (face.ix, face))
    }

    /// The face in a slot.
    pub(crate) fn in_slot(&self, slot: u32) -> Option<FaceIx> {
        self.slab.get(slot).map(|face| face.ix)
    }

    /// A new face, up. Its number must be free, and fewer than [`MAX_FACES`] exist.
    pub(crate) fn insert(&mut self, id: FaceId, kind: FaceKind, cc: &Controller) -> FaceIx {
        self.uses = self.uses.wrapping_add(1);
        let slot = self.slab.insert(Face {
            ix: 0,
            id,
            kind,
            up: true,
            data_queue: 0,
            cc: *cc,
            waiting: VecDeque::new(),
            dests: 0,
            stirred: false,
        });
        let ix = slot | (self.uses << SLOT_BITS);
        if let Some(face) = self.slab.get_mut(slot) {
            face.ix = ix;
        }
        self.index.insert(id, ix);
        ix
    }

    pub(crate) fn remove(&mut self, ix: FaceIx) {
        if let Some(face) = self.get(ix) {
            let id = face.id;
            self.index.remove(&id);
            self.slab.remove(ix & MAX_FACES);
        }
    }
}
