//! One direction of a link: a queue, a serialiser, a wire.
//!
//! All of a frame's fate is settled when it is handed over, because the queue is first in first
//! out and the rate is known: when it starts to be serialised, when it arrives, whether it is lost
//! or doubled. So a frame costs one event, its arrival, and how many wait at some instant is the
//! number of starts that lie after it.

use std::collections::VecDeque;
use std::time::Duration;

use mars_time::Instant;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::units::Probability;

/// What one direction of a link does to frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// Bits per second, at least 1.
    pub rate: u64,
    /// Propagation delay.
    pub delay: Duration,
    /// Frames that may wait to be serialised; one more is dropped at the tail.
    pub queue: usize,
    /// Chance that a frame is lost on the wire, after it took its time on the serialiser.
    pub loss: Probability,
    /// Chance that a frame arrives twice.
    pub duplicate: Probability,
    /// Up to this much is added to the delay of each frame, evenly drawn; frames overtake.
    pub jitter: Duration,
}

impl LinkSpec {
    /// A clean link.
    #[must_use]
    pub const fn new(rate: u64, delay: Duration, queue: usize) -> Self {
        Self {
            rate,
            delay,
            queue,
            loss: Probability::ZERO,
            duplicate: Probability::ZERO,
            jitter: Duration::ZERO,
        }
    }

    /// Time on the serialiser of a frame of `octets`, rounded up to a nanosecond.
    #[must_use]
    pub fn serialisation(&self, octets: u32) -> Duration {
        let bits = u64::from(octets) * 8;
        Duration::from_nanos((bits * 1_000_000_000).div_ceil(self.rate.max(1)))
    }
}

/// What became of the frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Frames handed over.
    pub offered: u64,
    /// Frames that arrived, copies included.
    pub arrived: u64,
    /// Octets handed over and not dropped at the tail.
    pub octets: u64,
    /// Frames dropped because the queue was full.
    pub tail_drops: u64,
    /// Frames lost on the wire.
    pub losses: u64,
    /// Frames lost because the link was down or went down.
    pub down_losses: u64,
    /// Most frames that waited at once.
    pub queue_max: usize,
}

/// A frame under way.
#[derive(Clone, Debug)]
struct Flight<F> {
    at: Instant,
    seq: u64,
    frame: F,
}

/// When the head of a link's flights arrives; the key of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Instant,
    /// Its place among the events of that instant.
    pub seq: u64,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Half<F> {
    spec: LinkSpec,
    rng: ChaCha8Rng,
    up: bool,
    free_at: Instant,
    starts: VecDeque<Instant>,
    flights: VecDeque<Flight<F>>,
    counters: LinkCounters,
}

impl<F: Clone> Half<F> {
    /// An idle direction that draws its fates from stream `stream` of `seed`.
    #[must_use]
    pub fn new(spec: LinkSpec, seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self {
            spec,
            rng,
            up: true,
            free_at: Instant::ZERO,
            starts: VecDeque::new(),
            flights: VecDeque::new(),
            counters: LinkCounters::default(),
        }
    }

    /// What it does to frames.
    #[must_use]
    pub const fn spec(&self) -> &LinkSpec {
        &self.spec
    }

    /// What became of its frames.
    #[must_use]
    pub const fn counters(&self) -> LinkCounters {
        self.counters
    }

    /// Frames that wait to be serialised at `now`.
    pub fn waiting(&mut self, now: Instant) -> usize {
        while self.starts.front().is_some_and(|start| *start <= now) {
            self.starts.pop_front();
        }
        self.starts.len()
    }

    /// Takes a frame of `octets`. `seq` and the number after it are its places among the events.
    /// Gives the arrival that is now the first of this direction, if that changed.
    pub fn send(&mut self, now: Instant, seq: u64, octets: u32, frame: F) -> Option<Arrival> {
        self.counters.offered += 1;
        if !self.up {
            self.counters.down_losses += 1;
            return None;
        }
        let waiting = self.waiting(now);
        let start = now.max(self.free_at);
        if start > now {
            if waiting >= self.spec.queue {
                self.counters.tail_drops += 1;
                return None;
            }
            self.starts.push_back(start);
            self.counters.queue_max = self.counters.queue_max.max(waiting + 1);
        }
        self.counters.octets += u64::from(octets);
        self.free_at = start + self.spec.serialisation(octets);
        if self.spec.loss.strikes(&mut self.rng) {
            self.counters.losses += 1;
            return None;
        }
        let before = self.next_arrival();
        if self.spec.duplicate.strikes(&mut self.rng) {
            self.launch(seq + 1, frame.clone());
        }
        self.launch(seq, frame);
        let after = self.next_arrival();
        if after == before { None } else { after }
    }

    /// Puts a serialised frame on the wire.
    fn launch(&mut self, seq: u64, frame: F) {
        let at = self.free_at + self.spec.delay + self.draw_jitter();
        let place = self
            .flights
            .iter()
            .rposition(|other| (other.at, other.seq) < (at, seq))
            .map_or(0, |before| before + 1);
        self.flights.insert(place, Flight { at, seq, frame });
    }

    fn draw_jitter(&mut self) -> Duration {
        if self.spec.jitter.is_zero() {
            return Duration::ZERO;
        }
        let span = u128::from(self.rng.next_u64()) * self.spec.jitter.as_nanos();
        Duration::from_nanos(u64::try_from(span >> 64).unwrap_or(u64::MAX))
    }

    /// The first arrival to come.
    #[must_use]
    pub fn next_arrival(&self) -> Option<Arrival> {
        self.flights.front().map(|flight| Arrival {
            at: flight.at,
            seq: flight.seq,
        })
    }

    /// Takes the first flight off, if it is `due`.
    pub fn arrive(&mut self, due: Arrival) -> Option<F> {
        if self.next_arrival() != Some(due) {
            return None;
        }
        self.counters.arrived += 1;
        self.flights.pop_front().map(|flight| flight.frame)
    }

    /// Cuts or mends it. A cut loses all that waits and all that is on the wire.
    pub fn set_up(&mut self, now: Instant, up: bool) {
        self.up = up;
        if !up {
            self.counters.down_losses += self.flights.len() as u64;
            self.flights.clear();
            self.starts.clear();
            self.free_at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> LinkSpec {
        // 1 Mbit/s: an octet takes 8 us.
        LinkSpec::new(1_000_000, Duration::from_millis(10), 2)
    }

    fn arrivals(half: &mut Half<u8>) -> Vec<(u64, u8)> {
        let mut out = Vec::new();
        while let Some(next) = half.next_arrival() {
            let frame = half.arrive(next).unwrap();
            out.push((next.at.as_nanos() / 1_000, frame));
        }
        out
    }

    #[test]
    fn serialisation_rounds_up() {
        let mut spec = spec();
        assert_eq!(spec.serialisation(125), Duration::from_millis(1));
        spec.rate = 3_000_000_000;
        assert_eq!(spec.serialisation(1), Duration::from_nanos(3));
        spec.rate = 40_000_000;
        assert_eq!(spec.serialisation(1_300), Duration::from_micros(260));
    }

    #[test]
    fn frames_follow_one_another_and_the_tail_is_dropped() {
        let mut half = Half::new(spec(), 1, 0);
        // One on the serialiser, two waiting, the fourth finds the queue full.
        let at = Instant::from_millis(1);
        let news: Vec<bool> = (0..4)
            .map(|n| half.send(at, u64::from(n) * 2, 125, n).is_some())
            .collect();
        assert_eq!(news, [true, false, false, false]);
        assert_eq!(half.waiting(at), 2);
        assert_eq!(
            half.waiting(Instant::from_millis(2)),
            1,
            "a start at 2 ms no longer waits"
        );
        assert_eq!(arrivals(&mut half), [(12_000, 0), (13_000, 1), (14_000, 2)]);
        let counters = half.counters();
        assert_eq!(
            (counters.offered, counters.tail_drops, counters.arrived),
            (4, 1, 3)
        );
        assert_eq!((counters.queue_max, counters.octets), (2, 375));
    }

    #[test]
    fn an_idle_serialiser_starts_at_once() {
        let mut half = Half::new(spec(), 1, 0);
        let _ = half.send(Instant::ZERO, 0, 125, 0);
        let _ = half.send(Instant::from_millis(5), 2, 250, 1);
        assert_eq!(arrivals(&mut half), [(11_000, 0), (17_000, 1)]);
    }

    #[test]
    fn a_cut_loses_what_waits_and_what_flies() {
        let mut half = Half::new(spec(), 1, 0);
        let _ = half.send(Instant::ZERO, 0, 125, 0);
        let _ = half.send(Instant::ZERO, 2, 125, 1);
        half.set_up(Instant::from_millis(2), false);
        assert!(half.send(Instant::from_millis(3), 4, 125, 2).is_none());
        half.set_up(Instant::from_millis(4), true);
        let _ = half.send(Instant::from_millis(4), 6, 125, 3);
        assert_eq!(arrivals(&mut half), [(15_000, 3)]);
        assert_eq!(half.counters().down_losses, 3);
    }

    #[test]
    fn loss_and_duplication_strike_as_often_as_they_say() {
        let mut spec = spec();
        spec.rate = 1_000_000_000_000;
        spec.queue = usize::MAX;
        spec.loss = Probability::from_ratio(1, 10);
        spec.duplicate = Probability::from_ratio(1, 5);
        let mut half = Half::new(spec, 7, 3);
        for n in 0..100_000 {
            let _ = half.send(Instant::ZERO, n * 2, 1, ());
        }
        let lost = half.counters().losses;
        assert!((9_700..10_300).contains(&lost), "{lost}");
        let arrived = half.flights.len() as u64;
        let doubled = arrived - (100_000 - lost);
        assert!((17_400..18_600).contains(&doubled), "{doubled}");
    }

    #[test]
    fn jitter_lets_frames_overtake_within_its_span() {
        let mut spec = spec();
        spec.rate = 1_000_000_000;
        spec.queue = 1_000;
        spec.jitter = Duration::from_millis(5);
        let mut half = Half::new(spec, 7, 3);
        for n in 0..200 {
            let _ = half.send(Instant::ZERO, u64::from(n) * 2, 1, n);
        }
        let got = arrivals(&mut half);
        assert_eq!(got.len(), 200);
        assert!(got.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert!(
            got.windows(2).any(|pair| pair[0].1 > pair[1].1),
            "none overtook"
        );
        assert!(got.iter().all(|(at, _)| (10_000..15_003).contains(at)));
    }

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let fates = |seed, stream| {
            let mut spec = spec();
            spec.queue = usize::MAX;
            spec.loss = Probability::from_ratio(1, 2);
            let mut half = Half::new(spec, seed, stream);
            for n in 0..64u8 {
                let _ = half.send(Instant::ZERO, u64::from(n) * 2, 1, n);
            }
            arrivals(&mut half)
        };
        assert_eq!(fates(1, 1), fates(1, 1));
        assert_ne!(fates(1, 1), fates(1, 2));
        assert_ne!(fates(1, 1), fates(2, 1));
    }
}
