//! Interests of one dest that were asked for in vain, and that nobody is asked for now. They wait
//! for a path to appear where there was none, or for their lifetime to end.

use alloc::vec::Vec;

use crate::queue::Ticket;

#[derive(Clone, Debug, Default)]
pub(crate) struct Parked(Vec<Ticket>);

impl Parked {
    /// Adds an Interest. Those that ended meanwhile are swept out when they could outnumber the
    /// `pending` ones, so that no more are held than that and a few.
    pub(crate) fn push(&mut self, ticket: Ticket, pending: u32, lives: impl Fn(Ticket) -> bool) {
        let room = usize::try_from(pending).unwrap_or(usize::MAX);
        if self.0.len() > room.saturating_mul(2).saturating_add(64) {
            self.0.sort_unstable_by_key(|t| (t.entry, t.stamp));
            self.0.dedup();
            self.0.retain(|t| lives(*t));
        }
        self.0.push(ticket);
    }

    /// Takes all out, the one parked first in front, but for what a sweep has sorted.
    pub(crate) fn take(&mut self) -> Vec<Ticket> {
        core::mem::take(&mut self.0)
    }

    #[cfg(test)]
    pub(crate) fn tickets(&self) -> &[Ticket] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(entry: u32) -> Ticket {
        Ticket { entry, stamp: 0 }
    }

    #[test]
    fn no_more_are_held_than_pending_ones_and_a_few() {
        let mut parked = Parked::default();
        for round in 0..1_000 {
            parked.push(ticket(round % 7), 10, |t| t.entry != 3);
            assert!(parked.0.len() <= 2 * 10 + 64 + 1);
        }
        let left = parked.take();
        assert!(
            (0..7)
                .filter(|n| *n != 3)
                .all(|n| left.contains(&ticket(n)))
        );
        assert!(parked.take().is_empty());
    }
}
