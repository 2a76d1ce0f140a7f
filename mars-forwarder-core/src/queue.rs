//! The Interest queue of one dest: finite, fair among the downstream faces that fill it.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::face::FaceIx;
use crate::pit::PitIx;

/// A PIT entry that waits, named with its stamp: entries that ended meanwhile are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) entry: PitIx,
    pub(crate) stamp: u32,
}

/// Where a ticket stands in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Among those that came back, counted from the front.
    Returned(usize),
    /// In a lane, counted from the front.
    Lane { lane: usize, at: usize },
}

/// Interests that came back from an upstream go first; the rest is served one downstream face
/// after the other, in rotation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    returned: VecDeque<Ticket>,
    lanes: Vec<Lane>,
    /// Lane whose turn it is.
    turn: usize,
    /// Tickets whose entry still waits.
    live: usize,
    /// Tickets held, those of ended entries included.
    held: usize,
}

#[derive(Clone, Debug)]
struct Lane {
    face: FaceIx,
    tickets: VecDeque<Ticket>,
}

impl Queue {
    /// Interests that wait.
    pub(crate) const fn len(&self) -> usize {
        self.live
    }

    /// At the end of its downstream's lane.
    pub(crate) fn push(&mut self, face: FaceIx, ticket: Ticket) {
        self.live += 1;
        self.held += 1;
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.face == face) {
            lane.tickets.push_back(ticket);
            return;
        }
        // An idle lane is taken over, so that there are never more lanes than busy downstreams.
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.tickets.is_empty()) {
            lane.face = face;
            lane.tickets.push_back(ticket);
            return;
        }
        self.lanes.push(Lane {
            face,
            tickets: VecDeque::from([ticket]),
        });
    }

    /// At the head of the queue, beyond any cap: it was admitted before.
    pub(crate) fn push_returned(&mut self, ticket: Ticket) {
        self.live += 1;
        self.held += 1;
        self.returned.push_back(ticket);
    }

    /// One entry that waited has ended; its ticket is passed over when it comes up, or swept out
    /// by `is_live` once most tickets are dead.
    pub(crate) fn cancel(&mut self, is_live: impl Fn(Ticket) -> bool) {
        self.live = self.live.saturating_sub(1);
        if self.held > 2 * self.live + 64 {
            self.returned.retain(|t| is_live(*t));
            for lane in &mut self.lanes {
                lane.tickets.retain(|t| is_live(*t));
            }
            self.held =
                self.returned.len() + self.lanes.iter().map(|l| l.tickets.len()).sum::<usize>();
        }
    }

    /// The ticket whose turn it is, without taking it; tickets of ended entries are dropped.
    pub(crate) fn peek(&mut self, is_live: impl Fn(Ticket) -> bool) -> Option<Ticket> {
        while let Some(ticket) = self.returned.front() {
            if is_live(*ticket) {
                return Some(*ticket);
            }
            self.returned.pop_front();
            self.held -= 1;
        }
        for _ in 0..self.lanes.len() {
            let lane = self.lanes.get_mut(self.turn)?;
            while let Some(ticket) = lane.tickets.front() {
                if is_live(*ticket) {
                    return Some(*ticket);
                }
                lane.tickets.pop_front();
                self.held -= 1;
            }
            self.turn = (self.turn + 1) % self.lanes.len();
        }
        None
    }

    /// The `n`-th ticket that may go before others: the returned ones in order, then the first of
    /// each lane, beginning with whose turn it is, then the second of each, and so on. Number 0 is
    /// what [`Queue::peek`] shows.
    pub(crate) fn candidate(
        &mut self,
        n: usize,
        is_live: impl Fn(Ticket) -> bool,
    ) -> Option<(Place, Ticket)> {
        self.peek(&is_live)?;
        let returned = self.returned.iter().enumerate();
        let returned = returned.map(|(at, ticket)| (Place::Returned(at), *ticket));
        let returned = returned.filter(|(_, ticket)| is_live(*ticket));
        let lanes = self.lanes.len();
        let in_turn = (0..=n).flat_map(|depth| (0..lanes).map(move |step| (depth, step)));
        let in_lanes = in_turn.filter_map(|(depth, step)| {
            let lane = (self.turn + step) % lanes;
            let tickets = self.lanes.get(lane)?.tickets.iter().enumerate();
            let (at, ticket) = tickets.filter(|(_, t)| is_live(**t)).nth(depth)?;
            Some((Place::Lane { lane, at }, *ticket))
        });
        returned.chain(in_lanes).nth(n)
    }

    /// Takes the ticket that [`Queue::candidate`] showed at a place, out of its turn.
    pub(crate) fn take(&mut self, place: Place) {
        let taken = match place {
            Place::Returned(at) => self.returned.remove(at),
            Place::Lane { lane, at } => {
                let lane = self.lanes.get_mut(lane);
                lane.and_then(|lane| lane.tickets.remove(at))
            }
        };
        if taken.is_some() {
            self.live = self.live.saturating_sub(1);
            self.held = self.held.saturating_sub(1);
        }
    }

    /// Takes the ticket that [`Queue::peek`] showed last.
    pub(crate) fn pop(&mut self) {
        let taken = if self.returned.pop_front().is_some() {
            true
        } else if let Some(lane) = self.lanes.get_mut(self.turn) {
            let taken = lane.tickets.pop_front().is_some();
            self.turn = (self.turn + 1) % self.lanes.len();
            taken
        } else {
            false
        };
        if taken {
            self.live = self.live.saturating_sub(1);
            self.held = self.held.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(entry: PitIx) -> Ticket {
        Ticket { entry, stamp: 0 }
    }

    fn drain(queue: &mut Queue, is_live: impl Fn(Ticket) -> bool) -> Vec<PitIx> {
        let mut order = Vec::new();
        while let Some(ticket) = queue.peek(&is_live) {
            queue.pop();
            order.push(ticket.entry);
        }
        order
    }

    #[test]
    fn downstreams_take_turns_and_returned_interests_go_first() {
        let mut queue = Queue::default();
        for entry in 10..14 {
            queue.push(1, ticket(entry));
        }
        queue.push(2, ticket(20));
        queue.push(2, ticket(21));
        queue.push_returned(ticket(1));
        assert_eq!(queue.len(), 7);
        assert_eq!(drain(&mut queue, |_| true), [1, 10, 20, 11, 21, 12, 13]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn those_behind_the_first_are_found_and_taken_out_of_turn() {
        let mut queue = Queue::default();
        for (face, entry) in [(1, 10), (1, 11), (2, 20), (3, 30), (3, 31)] {
            queue.push(face, ticket(entry));
        }
        queue.push_returned(ticket(1));
        queue.push_returned(ticket(2));
        let is_live = |t: Ticket| t.entry != 30;
        let mut order = Vec::new();
        while let Some((place, ticket)) = queue.candidate(order.len(), is_live) {
            order.push((place, ticket.entry));
        }
        let lane = |lane, at| Place::Lane { lane, at };
        let expected = [
            (Place::Returned(0), 1),
            (Place::Returned(1), 2),
            (lane(0, 0), 10),
            (lane(1, 0), 20),
            (lane(2, 1), 31),
            (lane(0, 1), 11),
        ];
        assert_eq!(order, expected);
        queue.take(lane(2, 1));
        queue.take(Place::Returned(1));
        queue.cancel(is_live);
        assert_eq!(drain(&mut queue, is_live), [1, 10, 20, 11]);
        assert_eq!((queue.live, queue.held), (0, 0));
    }

    #[test]
    fn ended_entries_are_passed_over_and_swept() {
        let mut queue = Queue::default();
        for entry in 0..200 {
            queue.push(1, ticket(entry));
        }
        let is_live = |t: Ticket| t.entry >= 198;
        for _ in 0..198 {
            queue.cancel(is_live);
        }
        assert_eq!(queue.len(), 2);
        assert!(queue.held <= 2 * queue.live + 64);
        assert_eq!(drain(&mut queue, is_live), [198, 199]);
        assert_eq!((queue.live, queue.held), (0, 0));
    }
}
