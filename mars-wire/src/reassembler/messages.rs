//! The messages in progress: found by id, ordered by how long each has been waiting.

use alloc::vec::Vec;

use mars_time::Instant;

use super::blocks::Chain;

/// A message in progress.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Sequence of its first fragment.
    pub(super) id: u64,
    pub(super) count: u16,
    pub(super) received: u16,
    /// Octets of the fragments that are here.
    pub(super) octets: usize,
    /// Octets of the header fields of the first fragment, once that is here.
    pub(super) fields: usize,
    /// When it expires; the end of time is never.
    pub(super) deadline: Instant,
    pub(super) chain: Chain,
}

/// Number of a slot; `NONE` if there is none.
pub(super) type SlotId = u32;
const NONE: SlotId = u32::MAX;

#[derive(Clone, Debug)]
struct Slot {
    message: Message,
    /// The next staler and the next fresher one. A free slot has the next free one in `fresher`.
    staler: SlotId,
    fresher: SlotId,
}

/// All messages in progress. Every lifetime is the same, so the order of expiry is the order in
/// which they were touched: one list serves for timers and for victims.
#[derive(Clone, Debug)]
pub(super) struct Messages {
    slots: Vec<Slot>,
    /// Slots by message id. Ids rise on an honest link, so inserting is appending; otherwise it
    /// moves at most 64 KiB.
    index: Vec<(u64, SlotId)>,
    stalest: SlotId,
    freshest: SlotId,
    free: SlotId,
}

impl Messages {
    /// Memory for `max` messages.
    pub(super) fn new(max: u16) -> Self {
        Self {
            slots: Vec::with_capacity(max.into()),
            index: Vec::with_capacity(max.into()),
            stalest: NONE,
            freshest: NONE,
            free: NONE,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    pub(super) fn find(&self, id: u64) -> Option<SlotId> {
        let place = self.place(id).ok()?;
        self.index.get(place).map(|&(_, slot)| slot)
    }

    pub(super) fn get(&self, slot: SlotId) -> Option<&Message> {
        self.slots.get(slot as usize).map(|slot| &slot.message)
    }

    pub(super) fn get_mut(&mut self, slot: SlotId) -> Option<&mut Message> {
        let slot = self.slots.get_mut(slot as usize);
        slot.map(|slot| &mut slot.message)
    }

    /// The one that has been waiting longest.
    pub(super) fn stalest(&self) -> Option<(SlotId, &Message)> {
        Some((self.stalest, self.get(self.stalest)?))
    }

    /// Takes in a message whose id is new, as the freshest.
    pub(super) fn open(&mut self, message: Message) -> SlotId {
        let id = message.id;
        let new = Slot {
            message,
            staler: NONE,
            fresher: NONE,
        };
        let slot = self.free;
        let slot = if let Some(free) = self.slots.get_mut(slot as usize) {
            self.free = free.fresher;
            *free = new;
            slot
        } else {
            self.slots.push(new);
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        };
        if let Err(place) = self.place(id) {
            self.index.insert(place, (id, slot));
        }
        self.link(slot);
        slot
    }

    /// Makes it the freshest, to expire at `deadline`.
    pub(super) fn touch(&mut self, slot: SlotId, deadline: Instant) {
        self.unlink(slot);
        self.link(slot);
        if let Some(message) = self.get_mut(slot) {
            message.deadline = deadline;
        }
    }

    /// Takes it out.
    pub(super) fn remove(&mut self, slot: SlotId) -> Option<Message> {
        let message = self.get(slot)?.clone();
        if let Ok(place) = self.place(message.id) {
            self.index.remove(place);
        }
        self.unlink(slot);
        if let Some(entry) = self.slots.get_mut(slot as usize) {
            entry.fresher = self.free;
            self.free = slot;
        }
        Some(message)
    }

    fn place(&self, id: u64) -> Result<usize, usize> {
        self.index.binary_search_by_key(&id, |&(id, _)| id)
    }

    /// Puts it at the fresh end of the list.
    fn link(&mut self, slot: SlotId) {
        let staler = self.freshest;
        self.freshest = slot;
        if let Some(entry) = self.slots.get_mut(slot as usize) {
            entry.staler = staler;
            entry.fresher = NONE;
        }
        match self.slots.get_mut(staler as usize) {
            Some(entry) => entry.fresher = slot,
            None => self.stalest = slot,
        }
    }

    /// Takes it out of the list.
    fn unlink(&mut self, slot: SlotId) {
        let Some(entry) = self.slots.get(slot as usize) else {
            return;
        };
        let (staler, fresher) = (entry.staler, entry.fresher);
        match self.slots.get_mut(staler as usize) {
            Some(entry) => entry.fresher = fresher,
            None => self.stalest = fresher,
        }
        match self.slots.get_mut(fresher as usize) {
            Some(entry) => entry.staler = staler,
            None => self.freshest = staler,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64) -> Message {
        Message {
            id,
            count: 2,
            received: 0,
            octets: 0,
            fields: 0,
            deadline: Instant::MAX,
            chain: Chain::EMPTY,
        }
    }

    /// Against a list kept in order by hand.
    #[test]
    fn agrees_with_a_list() {
        let mut messages = Messages::new(16);
        let mut model: Vec<u64> = Vec::new();
        let mut lot = 7_u64;
        for _ in 0..20_000 {
            lot = lot
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let id = (lot >> 60).wrapping_sub(8);
            let found = messages.find(id);
            assert_eq!(found.is_some(), model.contains(&id));
            match (found, lot >> 40 & 1) {
                (None, _) => {
                    messages.open(message(id));
                    model.push(id);
                }
                (Some(slot), touch) => {
                    model.retain(|other| *other != id);
                    if touch == 1 {
                        messages.touch(slot, Instant::ZERO);
                        model.push(id);
                    } else {
                        assert_eq!(messages.remove(slot).unwrap().id, id);
                    }
                }
            }
            assert_eq!(messages.len(), model.len());
            let stalest = messages.stalest().map(|(_, message)| message.id);
            assert_eq!(stalest, model.first().copied());
        }
        assert!(messages.slots.len() <= 16, "slots are used again");
    }

    #[test]
    fn a_message_takes_72_octets() {
        assert!(size_of::<Slot>() + size_of::<(u64, SlotId)>() <= 72);
    }
}
