//! What has happened so far, in numbers.

use crate::DropReason;

/// Packets and incidents since the start. All saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Interests that arrived.
    pub interests_in: u64,
    /// Data that arrived.
    pub data_in: u64,
    /// Nacks that arrived.
    pub nacks_in: u64,
    /// Interests sent.
    pub interests_out: u64,
    /// Data sent.
    pub data_out: u64,
    /// Nacks sent.
    pub nacks_out: u64,
    /// Interests that joined one that was pending.
    pub aggregated: u64,
    /// Interests sent again over another face after a Nack, a lost face or a change of routes.
    pub moved: u64,
    /// Interests that waited in vain until a path appeared, and were sent over it.
    pub revived: u64,
    /// Out-records that gave their slot back unanswered.
    pub silences: u64,
    /// Downstreams whose lifetime ended before an answer came.
    pub expired: u64,
    /// Second answers to one Interest, over another face: not forwarded, but measured.
    pub stragglers: u64,
    /// Interests answered from the content store.
    pub cache_hits: u64,
    /// Data taken into the content store.
    pub cached: u64,
    /// Data that left the content store to make room.
    pub cache_evictions: u64,
    /// Times that a face was taken out of use for a dest after repeated refusals.
    pub suspensions: u64,
    drops: [u64; DropReason::COUNT],
}

impl Counters {
    /// Packets dropped or refused for one reason.
    #[must_use]
    pub fn drops(&self, reason: DropReason) -> u64 {
        self.drops.get(reason as usize).copied().unwrap_or(0)
    }

    pub(crate) fn note_drop(&mut self, reason: DropReason) {
        if let Some(counter) = self.drops.get_mut(reason as usize) {
            bump(counter);
        }
    }
}

/// Counts one more.
pub(crate) const fn bump(counter: &mut u64) {
    *counter = counter.saturating_add(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_counter_of_its_own() {
        let mut counters = Counters::default();
        for (times, reason) in (1..).zip(DropReason::ALL) {
            for _ in 0..times {
                counters.note_drop(reason);
            }
        }
        for (times, reason) in (1..).zip(DropReason::ALL) {
            assert_eq!(counters.drops(reason), times, "{reason:?}");
        }
    }
}
