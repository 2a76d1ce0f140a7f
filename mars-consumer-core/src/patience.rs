//! How long an Interest for data may stay unanswered before it counts as lost.
//!
//! The RFC 6298 timeout assumes one path. Here the forwarders spread a window over many paths of
//! unequal delay, and two things go wrong with it. A minority path that is much slower than the
//! mean lies outside `srtt + 4 rttvar`, so each of its answers comes just after a needless
//! retransmission; and since Karn's rule forbids samples from retransmitted segments, the estimate
//! never learns of that path. So:
//!
//! - the timeout is never below 3/2 of the longest round trip of the last 2 to 4 seconds (half of it
//!   is room for queues that are building up). With that the minimum can be small, 50 ms by default
//!   and not the RFC's 1 s: single losses are mended after about 1.5 round trips, which matters at
//!   the tail of an object. For the first second after the first sample, which is of the fastest
//!   path, it is never below 200 ms, so that the slower paths can be heard of before anything is
//!   sent twice;
//! - an answer that comes sooner after the one retransmission than any recent round trip answers the
//!   first transmission: the timeout was needless, and the sample counts from the first transmission
//!   (the inference of Eifel, RFC 3522, without an echo);
//! - the back-off is for silence: a timeout doubles the timer only if no sample came since the
//!   Interest was sent, and at most once per round of Interests. While samples come, a timeout
//!   means that one packet was lost, which is no news about the timer.
//!
//! A segment that stays unanswered while others arrive is asked for three times at the plain
//! timeout, then at doubling intervals.

use core::time::Duration;

use mars_time::Instant;

use crate::rto::Rto;

/// The timer law of data Interests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    rto: Rto,
    spread: Spread,
    first_sample: Option<Instant>,
    last_sample: Option<Instant>,
    last_back_off: Option<Instant>,
}

impl Patience {
    /// Tries of one segment at the plain timeout.
    const PLAIN_TRIES: u32 = 3;

    /// How long the first samples are not trusted to know all paths, and the least wait meanwhile.
    const EARLY: Duration = Duration::from_secs(1);
    const EARLY_MIN: Duration = Duration::from_millis(200);

    pub(crate) fn new(min: Duration, max: Duration) -> Self {
        Self {
            rto: Rto::new(nanos(min), nanos(max)),
            spread: Spread::default(),
            first_sample: None,
            last_sample: None,
            last_back_off: None,
        }
    }

    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.rto.srtt().map(Duration::from_nanos)
    }

    /// How long to wait for the answer to try number `tries` (from 1) of a segment.
    pub(crate) fn wait(&self, now: Instant, tries: u8) -> Duration {
        let early = self.first_sample.is_none_or(|at| now < at + Self::EARLY);
        let early_min = if early { nanos(Self::EARLY_MIN) } else { 0 };
        let floor = self.spread.most().saturating_mul(3) / 2;
        let times = u32::from(tries).saturating_sub(Self::PLAIN_TRIES);
        Duration::from_nanos(self.rto.timeout(floor.max(early_min), times))
    }

    /// An answer that belongs to one transmission beyond doubt.
    pub(crate) fn sampled(&mut self, now: Instant, rtt: Duration) {
        self.rto.sample(nanos(rtt));
        self.spread.note(now, nanos(rtt));
        self.first_sample.get_or_insert(now);
        self.last_sample = Some(now);
    }

    /// Whether an answer so soon after a retransmission must be to an earlier transmission.
    pub(crate) fn too_soon(&self, rtt: Duration) -> bool {
        nanos(rtt) < self.spread.least()
    }

    /// An Interest sent at `sent` stayed unanswered.
    pub(crate) fn timed_out(&mut self, now: Instant, sent: Instant) {
        let silent = self.last_sample.is_none_or(|at| at < sent);
        let new_round = self.last_back_off.is_none_or(|at| at <= sent);
        if silent && new_round {
            self.rto.back_off();
            self.last_back_off = Some(now);
        }
    }
}

/// Least and longest round trip of the present and the last stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spread {
    since: Instant,
    present: Range,
    last: Range,
}

/// Empty if `least > most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u64,
    most: u64,
}

impl Default for Range {
    fn default() -> Self {
        Self {
            least: u64::MAX,
            most: 0,
        }
    }
}

impl Spread {
    const STRETCH: Duration = Duration::from_secs(2);

    fn note(&mut self, now: Instant, rtt: u64) {
        let age = now.saturating_duration_since(self.since);
        if age >= Self::STRETCH {
            let recent = age < Self::STRETCH * 2;
            self.last = if recent {
                self.present
            } else {
                Range::default()
            };
            self.present = Range::default();
            self.since = now;
        }
        self.present.least = self.present.least.min(rtt);
        self.present.most = self.present.most.max(rtt);
    }

    fn most(&self) -> u64 {
        self.present.most.max(self.last.most)
    }

    /// 0 without a sample.
    fn least(&self) -> u64 {
        let least = self.present.least.min(self.last.least);
        if least == u64::MAX { 0 } else { least }
    }
}

/// Nanoseconds of a span, saturating.
pub(crate) fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    fn patience() -> Patience {
        Patience::new(ms(50), ms(4_000))
    }

    #[test]
    fn a_slow_minority_path_is_waited_for() {
        let mut p = patience();
        for n in 0..1_000 {
            // One in fifty takes 200 ms, the others 20 ms.
            p.sampled(at(n), ms(if n % 50 == 0 { 200 } else { 20 }));
        }
        assert_eq!(p.wait(at(1_000), 1), ms(300));
    }

    #[test]
    fn a_long_round_trip_is_forgotten_after_two_stretches() {
        let mut p = patience();
        p.sampled(at(0), ms(400));
        let mut waits = alloc::vec::Vec::new();
        for n in (100..=6_000).step_by(100) {
            p.sampled(at(n), ms(40));
            waits.push(p.wait(at(n), 1));
        }
        assert!(waits.iter().take(19).all(|w| *w >= ms(600)));
        assert_eq!(waits.last(), Some(&ms(60)));
    }

    #[test]
    fn only_silence_doubles_it_and_once_per_round() {
        let mut p = patience();
        let wait = |p: &Patience| p.wait(at(5_000), 1);
        p.sampled(at(0), ms(100));
        let plain = wait(&p);
        p.sampled(at(10), ms(100));
        p.timed_out(at(400), at(5));
        assert!(wait(&p) <= plain, "a sample came since");
        let plain = wait(&p);
        p.timed_out(at(400), at(20));
        p.timed_out(at(400), at(30));
        assert_eq!(wait(&p), plain * 2);
        p.timed_out(at(1_000), at(400));
        assert_eq!(wait(&p), plain * 4);
    }

    #[test]
    fn later_tries_of_one_segment_wait_longer() {
        let mut p = patience();
        p.sampled(at(0), ms(40));
        let wait = |tries| p.wait(at(1_000), tries).as_millis();
        let waits = [1, 2, 3, 4, 5, 6, 255].map(wait);
        assert_eq!(waits, [120, 120, 120, 240, 480, 960, 4_000]);
    }

    #[test]
    fn the_first_second_is_patient() {
        let mut p = patience();
        assert_eq!(p.wait(at(0), 1), ms(1_000));
        p.sampled(at(10), ms(10));
        assert_eq!(p.wait(at(1_009), 1), ms(200));
        assert_eq!(p.wait(at(1_010), 1), ms(50));
    }

    #[test]
    fn too_soon_needs_a_sample_to_compare_with() {
        let mut p = patience();
        assert!(!p.too_soon(ms(0)));
        p.sampled(at(0), ms(40));
        assert!(p.too_soon(ms(39)));
        assert!(!p.too_soon(ms(40)));
    }
}
