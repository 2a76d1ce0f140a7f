//! When an ACK is owed: draft-ietf-quic-ack-frequency, for one packet-number space.

use core::time::Duration;

use mars_time::Instant;

/// Packet numbers behind the largest of which it is known whether they came.
const WINDOW: u64 = u128::BITS as u64;

/// How the peer wants to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// More ack-eliciting packets than this are acknowledged at once.
    pub threshold: u64,
    /// An ack-eliciting packet waits no longer than this.
    pub max_delay: Duration,
    /// A packet missing this far behind the newest is reported at once; 0: never. Above 127 it
    /// counts as 127: no more is remembered.
    pub reordering: u64,
}

/// What was received in one packet-number space and not yet acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Unacked {
    /// The packets that came: bit `i` stands for `largest - i`; meaningless before the first.
    seen: u128,
    /// Largest packet number received.
    largest: Option<u64>,
    /// Largest packet number at the time of the last ACK.
    largest_acked: Option<u64>,
    /// What ack-eliciting packets have come since the last ACK.
    waiting: Option<Waiting>,
    /// Whether the last packet bore a congestion mark.
    ce: bool,
}

/// Ack-eliciting packets since the last ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    /// How many.
    count: u64,
    /// The largest packet number among them.
    largest: u64,
    /// When they must be acknowledged at the latest.
    deadline: Instant,
    /// Whether something else than the deadline asks for the ACK.
    due: bool,
}

impl Unacked {
    /// A packet arrived at `now`.
    pub fn received(
        &mut self,
        now: Instant,
        packet: u64,
        ack_eliciting: bool,
        ce: bool,
        frequency: &Frequency,
    ) {
        let behind = self.largest.is_some_and(|largest| packet < largest);
        self.record(packet);
        let marked = self.marked(ce, frequency);
        self.ce = ce;
        if !ack_eliciting {
            return;
        }
        let waiting = self.waiting.get_or_insert(Waiting {
            count: 0,
            largest: packet,
            deadline: now + frequency.max_delay,
            due: false,
        });
        waiting.count = waiting.count.saturating_add(1);
        waiting.largest = waiting.largest.max(packet);
        let (count, newest) = (waiting.count, waiting.largest);
        let due = count > frequency.threshold
            || marked
            // RFC 9000, section 13.2.1: at threshold 1 a late packet is out of order as well.
            || (behind && frequency.reordering == 1)
            || self.reportable_gap(newest, frequency.reordering);
        if let Some(waiting) = &mut self.waiting {
            waiting.due |= due;
        }
    }

    /// The peer asks for an ACK at once.
    pub fn asked(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.due = true;
        }
    }

    /// An ACK left.
    pub fn acked(&mut self) {
        self.largest_acked = self.largest;
        self.waiting = None;
    }

    /// Whether an ACK is owed at `now`.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.waiting
            .is_some_and(|waiting| waiting.due || waiting.deadline <= now)
    }

    /// When an ACK will be owed if nothing else happens; `None` if never, or already at `now`.
    #[must_use]
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let deadline = self.waiting?.deadline;
        (!self.is_due(now)).then_some(deadline)
    }

    fn record(&mut self, packet: u64) {
        match self.largest {
            Some(largest) if packet <= largest => {
                self.seen |= bit(largest - packet);
            }
            Some(largest) => {
                let step = u32::try_from(packet - largest).unwrap_or(u32::MAX);
                self.seen = self.seen.checked_shl(step).unwrap_or(0) | 1;
                self.largest = Some(packet);
            }
            None => {
                self.seen = 1;
                self.largest = Some(packet);
            }
        }
    }

    /// Section 6.4 of the draft: a peer that wants few ACKs is told of the first mark of a run,
    /// another of every mark.
    fn marked(&self, ce: bool, frequency: &Frequency) -> bool {
        ce && (frequency.threshold <= 1 || !self.ce)
    }

    /// Section 6.2 of the draft: whether the smallest packet that is missing, and that no ACK so
    /// far let the peer declare lost, is `threshold` or more behind `newest`.
    fn reportable_gap(&self, newest: u64, threshold: u64) -> bool {
        let (Some(largest), 1..) = (self.largest, threshold) else {
            return false;
        };
        let threshold = threshold.min(WINDOW - 1);
        let unreported = match self.largest_acked {
            Some(acked) => acked.saturating_add(1).saturating_sub(threshold),
            None => 0,
        };
        let oldest = unreported.max(largest.saturating_sub(WINDOW - 1));
        if oldest >= newest {
            return false;
        }
        // Bits from `oldest` (the highest) to just below `newest`.
        let window = up_to(largest - oldest) & !up_to(largest - newest);
        let missing = !self.seen & window;
        let Some(highest) = missing.checked_ilog2() else {
            return false;
        };
        newest - (largest - u64::from(highest)) >= threshold
    }
}

/// Bit `i`, none beyond the window.
fn bit(i: u64) -> u128 {
    let i = u32::try_from(i).unwrap_or(u32::MAX);
    1_u128.checked_shl(i).unwrap_or(0)
}

/// Bits 0 to `i`.
fn up_to(i: u64) -> u128 {
    bit(i).wrapping_mul(2).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    use super::*;

    const NOW: Instant = Instant::from_millis(500);
    const DELAY: Duration = Duration::from_millis(25);
    /// No threshold of its own.
    const NEVER: Frequency = Frequency {
        threshold: u64::MAX,
        max_delay: DELAY,
        reordering: 0,
    };

    /// The packets among `packets` at which an ACK is sent at once.
    fn acks(packets: &[u64], frequency: Frequency) -> Vec<u64> {
        let mut unacked = Unacked::default();
        let mut acks = Vec::new();
        for packet in packets {
            unacked.received(NOW, *packet, true, false, &frequency);
            if unacked.is_due(NOW) {
                acks.push(*packet);
                unacked.acked();
            }
        }
        acks
    }

    #[test]
    fn more_than_threshold_packets_are_acknowledged() {
        let by_threshold = |threshold| {
            let packets: Vec<_> = (0..10).collect();
            acks(&packets, Frequency { threshold, ..NEVER })
        };
        assert_eq!(by_threshold(0), (0..10).collect::<Vec<_>>());
        assert_eq!(by_threshold(1), [1, 3, 5, 7, 9]);
        assert_eq!(by_threshold(3), [3, 7]);
        assert_eq!(by_threshold(10), []);
    }

    #[test]
    fn a_gap_is_reported_once_it_can_be_declared_lost() {
        let by_reordering = |reordering, packets: &[u64]| {
            acks(
                packets,
                Frequency {
                    reordering,
                    ..NEVER
                },
            )
        };
        // The two worked examples of the draft, section 6.2.1.
        assert_eq!(by_reordering(3, &[0, 1, 3, 4, 5, 8, 9, 10]), [5, 9, 10]);
        assert_eq!(by_reordering(5, &[0, 1, 3, 5, 6, 7, 8, 9]), [7, 9]);
        // Never.
        assert_eq!(by_reordering(0, &[0, 9, 5, 200]), []);
        // Every packet out of order: behind a gap, or late.
        assert_eq!(by_reordering(1, &[0, 1, 3, 2, 4, 5]), [3, 2]);
        // A gap that closes in time is none.
        assert_eq!(by_reordering(3, &[0, 2, 3, 1, 4, 5]), []);
        // Gaps beyond what is remembered.
        assert_eq!(by_reordering(1_000, &[0, 128, 500, 501]), [128, 500, 501]);
    }

    #[test]
    fn the_first_packet_waits_for_the_delay_and_any_ack_settles_it() {
        let mut unacked = Unacked::default();
        let at = |ms| NOW + Duration::from_millis(ms);
        unacked.received(at(0), 0, false, false, &NEVER);
        assert_eq!(unacked.deadline(at(0)), None);
        unacked.received(at(1), 1, true, false, &NEVER);
        unacked.received(at(9), 2, true, false, &NEVER);
        assert_eq!(unacked.deadline(at(9)), Some(at(26)));
        assert!(!unacked.is_due(at(26).saturating_sub(Duration::from_nanos(1))));
        assert!(unacked.is_due(at(26)));
        assert_eq!(unacked.deadline(at(26)), None);
        unacked.acked();
        assert!(!unacked.is_due(at(26)));
        unacked.received(at(30), 3, true, false, &NEVER);
        assert_eq!(unacked.deadline(at(30)), Some(at(55)));
        unacked.asked();
        assert!(unacked.is_due(at(30)));
    }

    #[test]
    fn a_request_without_packets_asks_for_nothing() {
        let mut unacked = Unacked::default();
        unacked.asked();
        assert!(!unacked.is_due(Instant::MAX));
    }

    #[test]
    fn congestion_marks_hasten_the_ack() {
        let marked = |threshold, marks: &[bool]| -> Vec<u64> {
            let frequency = Frequency { threshold, ..NEVER };
            let mut unacked = Unacked::default();
            let due = (0..).zip(marks).filter(|&(packet, ce)| {
                unacked.received(NOW, packet, true, *ce, &frequency);
                let due = unacked.is_due(NOW);
                if due {
                    unacked.acked();
                }
                due
            });
            due.map(|(packet, _)| packet).collect()
        };
        let marks = [false, true, true, false, true, true];
        assert_eq!(marked(100, &marks), [1, 4]);
        assert_eq!(marked(1, &marks), [1, 2, 4, 5]);
    }

    /// The draft's definition of a reportable gap, word by word over sets.
    struct Words {
        received: BTreeSet<u64>,
        largest_acked: Option<u64>,
        largest_unacked: Option<u64>,
    }

    impl Words {
        fn gap(&self, threshold: u64) -> bool {
            let Some(largest_unacked) = self.largest_unacked else {
                return false;
            };
            let first = self
                .largest_acked
                .map_or(0, |acked| (acked + 1).saturating_sub(threshold));
            let missing = (first..largest_unacked).find(|packet| !self.received.contains(packet));
            missing.is_some_and(|missing| largest_unacked - missing >= threshold)
        }
    }

    proptest! {
        #[test]
        fn gaps_are_those_of_the_definition(
            packets in vec((0..120_u64, any::<bool>(), any::<bool>()), 0..80),
            reordering in 2..20_u64,
        ) {
            let frequency = Frequency { reordering, ..NEVER };
            let mut unacked = Unacked::default();
            let mut words = Words {
                received: BTreeSet::new(),
                largest_acked: None,
                largest_unacked: None,
            };
            for (packet, ack_eliciting, ack) in packets {
                if !words.received.insert(packet) {
                    continue;
                }
                let before = unacked.is_due(NOW);
                unacked.received(NOW, packet, ack_eliciting, false, &frequency);
                if ack_eliciting {
                    words.largest_unacked = words.largest_unacked.max(Some(packet));
                    prop_assert_eq!(unacked.is_due(NOW), before || words.gap(reordering));
                }
                if ack {
                    unacked.acked();
                    words.largest_acked = words.received.last().copied();
                    words.largest_unacked = None;
                }
            }
        }

        /// No packet that must be acknowledged is forgotten: it is owed or has a deadline.
        #[test]
        fn nothing_owed_is_forgotten(
            packets in vec((prop_oneof![any::<u64>(), Just(u64::MAX)], any::<bool>()), 0..50),
        ) {
            let frequency = Frequency { threshold: 3, reordering: 3, ..NEVER };
            let mut unacked = Unacked::default();
            for (packet, ack) in packets {
                unacked.received(NOW, packet, true, false, &frequency);
                prop_assert!(unacked.is_due(NOW) || unacked.deadline(NOW) == Some(NOW + DELAY));
                if ack {
                    unacked.acked();
                }
            }
        }
    }
}
