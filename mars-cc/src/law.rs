//! The control law: pure functions of numbers.
//!
//! Packets and queues are in steps of 1/256 (Q8), shares of one in steps of 1/65,536 (Q16), spans
//! in nanoseconds. Ranges: windows and queues below 2^24, spans below 2^37, samples of an epoch
//! below 2^19; every product fits 64 bits with room.

/// One packet in Q8.
pub(crate) const ONE: u64 = 1 << 8;
/// The whole in Q16.
const WHOLE: u64 = 1 << 16;
/// Most packets that any queue counts for, Q8.
pub(crate) const LONGEST_QUEUE: u64 = 65_535 << 8;

/// More than any window, so that sums of it stay small, Q8.
const MOST_PASSING: u64 = 1 << 32;

/// Packets that pass in `span` at `samples` per `elapsed`, Q8. By Little's law, with the mean round
/// trip as span, the packets in flight that were answered.
pub(crate) fn passing(samples: u64, elapsed: u64, span: u64) -> u64 {
    ((samples << 8) * span / elapsed.max(1)).min(MOST_PASSING)
}

/// The queue with its change since the last epoch added in part (`lead` in Q8), at least 0.
pub(crate) fn led(queue: u64, previous: Option<u64>, lead: u16) -> u64 {
    let Some(previous) = previous else {
        return queue;
    };
    let part = |change: u64| (change * u64::from(lead)) >> 8;
    if queue >= previous {
        queue + part(queue - previous)
    } else {
        queue.saturating_sub(part(previous - queue))
    }
}

/// The increase per epoch, Q8: `most` up to the target, falling to `least` at `high`.
pub(crate) fn increase(queue: u64, target: u64, high: u64, most: u64, least: u64) -> u64 {
    if queue <= target {
        return most;
    }
    let left = high.saturating_sub(queue);
    (most * left / (high - target).max(1)).max(least)
}

/// Share of a window that lies in the queue, Q16.
pub(crate) fn queued_share(queue: u64, in_pipe: u64) -> u64 {
    (queue << 16)
        .checked_div(in_pipe)
        .unwrap_or(WHOLE)
        .min(WHOLE)
}

/// Share of a round trip that was spent waiting, Q16.
pub(crate) fn waited_share(mean_rtt: u64, base_rtt: u64) -> u64 {
    (mean_rtt.saturating_sub(base_rtt) << 16) / mean_rtt.max(1)
}

/// What is left of a window after a cut for a queue above its target: the excess part of its
/// queued share goes, times `gain` (Q8), at most half of all.
pub(crate) fn cut(window: u64, queue: u64, target: u64, share: u64, gain: u16) -> u64 {
    let excess = (queue.saturating_sub(target) << 16) / queue.max(1);
    let part = ((((excess * share) >> 16) * u64::from(gain)) >> 8).min(WHOLE / 2);
    window - ((window * part) >> 16)
}

/// The increase of a face whose queue has stayed low for `stage` epochs, Q8: three epochs of the
/// plain one, then doubled each time up to an eighth of the window and `most`; after eight epochs
/// a quarter of the window.
pub(crate) fn probe(stage: u8, increase: u64, window: u64, most: u64) -> u64 {
    let doublings = stage.saturating_sub(3).min(8);
    let most = if stage > 8 {
        window / 4
    } else {
        most.min(window / 8)
    };
    increase.max((increase << doublings).min(most))
}

/// The increase of a prefix whose queue has stayed low for `stage` epochs, Q8: the plain one, then
/// four times as much each time up to the window and `most`; after eight epochs a quarter of the
/// window.
pub(crate) fn widen(stage: u8, increase: u64, window: u64, most: u64) -> u64 {
    let doublings = 2 * stage.saturating_sub(1).min(4);
    let most = if stage > 8 {
        most.max(window / 4)
    } else {
        most
    };
    increase.max((increase << doublings).min(window).min(most))
}

/// Largest window that the packets seen in flight warrant, Q8: twice them and a few. A controller
/// that its source leaves idle does not grow beyond.
pub(crate) fn warranted(in_pipe: u64) -> u64 {
    2 * in_pipe + 8 * ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn packets_in_a_span() {
        // 40 Mbit/s of 1,250 octets are 4,000 packets a second; 20 ms hold 80.
        assert_eq!(passing(400, 100 * MS, 20 * MS), 80 << 8);
        assert_eq!(passing(1, 0, 1), 256);
        assert!(passing((1 << 19) - 1, 1, 1 << 36) > 0);
    }

    #[test]
    fn lead_adds_half_the_change() {
        for (queue, previous, led_to) in [
            (8, None, 8 * 256),
            (8, Some(8), 8 * 256),
            (12, Some(8), 14 * 256),
            (8, Some(12), 6 * 256),
            (0, Some(60), 0),
        ] {
            assert_eq!(
                led(queue * 256, previous.map(|p: u64| p * 256), 128),
                led_to
            );
        }
    }

    #[test]
    fn increase_falls_from_one_to_a_quarter() {
        // (queue, increase in 256ths): one up to 8, linear, a quarter from 17 on (and beyond 20).
        for (queue, expected) in [
            (0, 256),
            (8, 256),
            (14, 128),
            (17, 64),
            (20, 64),
            (65_535, 64),
        ] {
            assert_eq!(
                increase(queue << 8, 8 << 8, 20 << 8, 256, 64),
                expected,
                "{queue}"
            );
        }
    }

    #[test]
    fn a_cut_takes_half_the_excess() {
        // 80 packets in the pipe and 16 queued, window 96: 16/96 queued, half of that is excess,
        // half of which goes: 4 packets.
        let share = queued_share(16 << 8, 96 << 8);
        assert_eq!(share, 65_536 / 6);
        assert_eq!(cut(96 << 8, 16 << 8, 8 << 8, share, 128), (92 << 8) + 1);
        // At the target nothing goes; a queue beyond measure takes half at most.
        assert_eq!(cut(96 << 8, 8 << 8, 8 << 8, share, 128), 96 << 8);
        assert_eq!(cut(96 << 8, LONGEST_QUEUE, 8 << 8, WHOLE, 212), 48 << 8);
        assert_eq!(queued_share(1, 0), WHOLE);
    }

    #[test]
    fn waiting_is_what_exceeds_the_base() {
        for (mean, base, share) in [(40, 30, 16_384), (30, 30, 0), (20, 30, 0)] {
            assert_eq!(waited_share(mean * MS, base * MS), share);
        }
    }

    #[test]
    fn probing_doubles_after_three_epochs() {
        for (stage, window, expected) in [
            (1, 400, 1),
            (3, 400, 1),
            (4, 400, 2),
            (6, 400, 8),
            (8, 400, 20), // h_max
            (8, 80, 10),  // W/8
            (8, 4, 1),    // never below the increase
            (9, 400, 64),
            (255, 400, 100), // W/4
            (255, 4_000, 256),
        ] {
            assert_eq!(
                probe(stage, 256, window << 8, 20 << 8),
                expected << 8,
                "{stage}"
            );
        }
    }

    #[test]
    fn a_prefix_widens_fourfold() {
        for (stage, window, expected) in [
            (1, 100, 1),
            (2, 100, 4),
            (3, 100, 16),
            (4, 100, 32),  // h_max
            (4, 10, 10),   // W
            (9, 400, 100), // W/4
        ] {
            assert_eq!(
                widen(stage, 256, window << 8, 32 << 8),
                expected << 8,
                "{stage}"
            );
        }
    }

    #[test]
    fn windows_are_warranted_by_twice_their_use() {
        assert_eq!(warranted(80 << 8), 168 << 8);
    }
}
