//! The window of segments between the reader and the newest Interest: a ring of bounded size, keyed
//! by segment minus base.
//!
//! The base is the first segment that the reader is not done with. A segment has a slot from its
//! first Interest until it is delivered (with verification: accepted, and so are all before it), so
//! in flight, out of order, unread and unjudged segments together never exceed the cap.

use alloc::collections::VecDeque;

use crate::length::Length;
use crate::slot::{Arrived, Ask, Earlier, Flight, Slot};

/// The ring and the reader's side of it.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly<P> {
    slots: VecDeque<Slot<P>>,
    /// Segment of the first slot.
    base: u64,
    /// First segment that was never delivered.
    unread: u64,
    /// Segments before `unread` that were refused, have come again, and are not delivered again yet.
    again: usize,
    /// Segments that the reader still takes.
    credit: u64,
    length: Length,
    cap: usize,
    verify: bool,
}

impl<P> Reassembly<P> {
    pub(crate) const fn new(length: Length, cap: usize, credit: u64, verify: bool) -> Self {
        Self {
            slots: VecDeque::new(),
            base: 0,
            unread: 0,
            again: 0,
            credit,
            length,
            cap,
            verify,
        }
    }

    /// Whether the reader has everything.
    pub(crate) const fn is_complete(&self) -> bool {
        self.length.is_known() && self.base >= self.length.end()
    }

    /// Segments that the reader is done with.
    pub(crate) const fn done(&self) -> u64 {
        self.base
    }

    /// The segment to ask for next for the first time, if there is room for it.
    pub(crate) fn fresh(&self) -> Option<u64> {
        let next = self.top();
        (self.slots.len() < self.cap && next < self.length.end()).then_some(next)
    }

    /// Gives the segment that [`Self::fresh`] named its slot.
    pub(crate) fn launch(&mut self, flight: Flight) {
        self.slots.push_back(Slot::Flying(flight));
    }

    /// The slot of a segment, if it has one.
    pub(crate) fn slot(&mut self, segment: u64) -> Option<&mut Slot<P>> {
        let place = self.place(segment)?;
        self.slots.get_mut(place)
    }

    fn place(&self, segment: u64) -> Option<usize> {
        usize::try_from(segment.checked_sub(self.base)?).ok()
    }

    /// Whether a segment was asked for in the past, its slot gone or not.
    pub(crate) fn was_asked(&self, segment: u64) -> bool {
        segment < self.top()
    }

    /// Puts a missing segment into its slot.
    pub(crate) fn hold(&mut self, segment: u64, packet: P, arrived: Arrived) {
        let again = segment < self.unread;
        if let Some(slot) = self.slot(segment) {
            *slot = Slot::Held { packet, arrived };
            self.again += usize::from(again);
        }
    }

    /// Hears that the Data of `segment` names `last` as the last segment. The first claim that
    /// agrees with what is here is taken. Gives whether the claim was taken or agrees.
    pub(crate) fn claim(&mut self, segment: u64, last: u64) -> bool {
        if !matches!(self.length, Length::Open) {
            return self.length.agrees(last);
        }
        let fits = last.saturating_add(1) >= self.held_end();
        if fits {
            let by = self.verify.then_some(segment);
            self.length = Length::Final { last, by };
        }
        fits
    }

    /// Drops the last slot if it lies beyond the end of the object.
    pub(crate) fn pop_beyond(&mut self) -> Option<(u64, Slot<P>)> {
        if self.top() <= self.length.end() {
            return None;
        }
        let slot = self.slots.pop_back()?;
        Some((self.top(), slot))
    }

    /// Takes out the next segment for the reader, if it is here and there is credit. One that comes
    /// again after a refusal needs none: it was paid for the first time.
    pub(crate) fn deliver(&mut self) -> Option<(u64, P)> {
        let again = self.again > 0;
        if self.credit == 0 && !again {
            return None;
        }
        let segment = if again {
            self.first_again()?
        } else {
            self.unread
        };
        let slot = self.slot(segment)?;
        let Slot::Held { arrived, .. } = slot else {
            return None;
        };
        let judged = Slot::Judged(*arrived);
        let Slot::Held { packet, .. } = core::mem::replace(slot, judged) else {
            return None;
        };
        if again {
            self.again -= 1;
        } else {
            self.unread += 1;
            self.credit -= 1;
        }
        if !self.verify {
            self.slots.pop_front();
            self.base += 1;
        }
        Some((segment, packet))
    }

    /// The reader takes so many segments more.
    pub(crate) const fn give_credit(&mut self, segments: u64) {
        self.credit = self.credit.saturating_add(segments);
    }

    /// Whether a delivered segment awaits its verdict.
    pub(crate) fn awaits_verdict(&self, segment: u64) -> bool {
        let slot = self.place(segment).and_then(|place| self.slots.get(place));
        matches!(slot, Some(Slot::Judged(_)))
    }

    /// The reader keeps a segment. Gives false if the segment's claim about the last one is at odds
    /// with what has been delivered.
    pub(crate) fn accept(&mut self, segment: u64) -> bool {
        let Some(slot) = self.slot(segment) else {
            return true;
        };
        let Slot::Judged(arrived) = *slot else {
            return true;
        };
        *slot = Slot::Accepted;
        let agrees = arrived.claim.is_none_or(|last| self.vouch(segment, last));
        while let Some(Slot::Accepted) = self.slots.front() {
            self.slots.pop_front();
            self.base += 1;
        }
        agrees
    }

    /// An accepted segment names `last`: it overrules a claim that nobody vouched for.
    fn vouch(&mut self, segment: u64, last: u64) -> bool {
        let vouched = Length::Final { last, by: None };
        match self.length {
            Length::Given { .. } | Length::Final { by: None, .. } => self.length.agrees(last),
            Length::Final { last: known, by } if known == last => {
                if by == Some(segment) {
                    self.length = vouched;
                }
                true
            }
            Length::Open | Length::Final { .. } => {
                let fits = last.saturating_add(1) >= self.unread;
                if fits {
                    self.length = vouched;
                }
                fits
            }
        }
    }

    /// The reader refuses a segment: its claim about the last segment is withdrawn, and it is to be
    /// asked for again. Gives its tries.
    pub(crate) fn reject(&mut self, segment: u64) -> Option<u8> {
        let slot = self.slot(segment)?;
        let Slot::Judged(arrived) = *slot else {
            return None;
        };
        *slot = Slot::Queued(Ask {
            tries: arrived.tries,
            refusals: 0,
            earlier: Earlier::Often,
        });
        if matches!(self.length, Length::Final { by: Some(by), .. } if by == segment) {
            self.length = Length::Open;
            self.reclaim();
        }
        Some(arrived.tries)
    }

    /// Looks for another claim among the segments that are here.
    fn reclaim(&mut self) {
        let fits = self.held_end();
        let claims = (self.base..)
            .zip(&self.slots)
            .filter_map(|(segment, slot)| {
                let (Slot::Held { arrived, .. } | Slot::Judged(arrived)) = slot else {
                    return None;
                };
                let last = arrived
                    .claim
                    .filter(|last| last.saturating_add(1) >= fits)?;
                Some(Length::Final {
                    last,
                    by: Some(segment),
                })
            });
        self.length = { claims }.next().unwrap_or(Length::Open);
    }

    /// One past the last segment that is here.
    fn held_end(&self) -> u64 {
        let missing = self.slots.iter().rev();
        let missing = missing.take_while(|slot| slot.missing().is_some()).count();
        self.top() - count(missing)
    }

    /// One past the last segment that was ever asked for.
    fn top(&self) -> u64 {
        self.base.saturating_add(count(self.slots.len()))
    }

    /// The first segment that came again after a refusal.
    fn first_again(&self) -> Option<u64> {
        let mut slots = (self.base..self.unread).zip(&self.slots);
        let (segment, _) = slots.find(|(_, slot)| matches!(slot, Slot::Held { .. }))?;
        Some(segment)
    }

    /// Segments in flight, and segments that rest, counted the slow way.
    #[cfg(test)]
    pub(crate) fn timed(&self) -> (usize, usize) {
        let count = |wanted: fn(&Slot<P>) -> bool| self.slots.iter().filter(|s| wanted(s)).count();
        (
            count(|slot| matches!(slot, Slot::Flying(_))),
            count(|slot| matches!(slot, Slot::Resting(_))),
        )
    }

    /// Slots in use, and slots that there is memory for.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.slots.len(), self.slots.capacity())
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
