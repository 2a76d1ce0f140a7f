//! The controller: what each input does to window and pace.

use core::time::Duration;

use mars_time::Instant;

use crate::config::{Config, Level};
use crate::epoch::Epoch;
use crate::law;
use crate::pacer::Pacer;
use crate::rtt::{self, Rtt};
use crate::train::Train;
use crate::window::Window;
use crate::{ConfigError, Error, Input, Output};

mod decision;
mod estimate;
mod startup;

use estimate::Suspicion;

/// Where a controller is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Growing with every answer until the queue, or the spacing of Data, says that the link is full.
    Startup,
    /// Holding the queue at its target.
    Cruise,
}

/// What the last epoch found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Past {
    at: Instant,
    queue: u64,
    in_pipe: u64,
}

/// One window with pacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    config: Config,
    now: Instant,
    window: Window,
    in_flight: u32,
    phase: Phase,
    /// Epochs in a row with a queue that is low in cruise, high in startup.
    stage: u8,
    /// Data in a row that found a queue above the target.
    high: u8,
    pacer: Pacer,
    rtt: Option<Rtt>,
    train: Train,
    epoch: Epoch,
    past: Option<Past>,
    suspicion: Option<Suspicion>,
    /// Until when reports are not trusted.
    doubt: Option<Instant>,
    /// First packet sent since the last Data.
    awaited: Option<Instant>,
    silenced: Option<Instant>,
    /// Last leap in startup, or cut for silence before it.
    leapt: Option<Instant>,
    /// Epochs in a row at whose end the window was full.
    limited: u8,
    told_window: Option<u32>,
    told_gap: Option<Duration>,
}

impl Controller {
    /// A controller at its initial window.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            now,
            window: Window::from_packets(config.initial_window),
            in_flight: 0,
            phase: Phase::Startup,
            stage: 0,
            high: 0,
            pacer: Pacer::new(),
            rtt: None,
            train: Train::default(),
            epoch: Epoch::new(now),
            past: None,
            suspicion: None,
            doubt: None,
            awaited: None,
            silenced: None,
            leapt: None,
            limited: 0,
            told_window: None,
            told_gap: None,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// [`Error::NothingInFlight`] for a slot given back that nobody holds.
    pub fn handle_input(&mut self, now: Instant, input: Input) -> Result<(), Error> {
        self.now = self.now.max(now);
        match input {
            Input::Timeout => {}
            Input::Sent => self.on_sent(),
            Input::Delivered { queue, rtt } => {
                let before = self.free_slot()?;
                self.on_delivered(before, queue, rtt.map(rtt::clamped));
            }
            Input::Nacked => {
                self.free_slot()?;
                self.on_nacked();
            }
            Input::Lost => {
                self.free_slot()?;
                self.on_lost();
            }
            Input::Released => {
                self.free_slot()?;
            }
            Input::Reset => self.on_reset(),
        }
        Ok(())
    }

    /// Takes one slot back; the number in flight before.
    fn free_slot(&mut self) -> Result<u32, Error> {
        let before = self.in_flight;
        self.in_flight = before.checked_sub(1).ok_or(Error::NothingInFlight)?;
        Ok(before)
    }

    fn on_sent(&mut self) {
        if self.in_flight == 0 && self.epoch.is_empty() {
            self.epoch = Epoch::new(self.now);
        }
        self.awaited.get_or_insert(self.now);
        self.in_flight = self.in_flight.saturating_add(1);
        self.pacer.sent(self.now, self.config.burst);
    }

    fn on_delivered(&mut self, before: u32, queue: Option<u16>, rtt: Option<u64>) {
        self.awaited = None;
        if let (Level::Local, Some(queue)) = (self.config.level, queue) {
            self.take_rtt(rtt);
            self.follow(before, queue);
            return;
        }
        self.epoch.add(queue, rtt);
        self.take_rtt(rtt);
        if let (Level::Face, Some(queue)) = (self.config.level, queue) {
            self.train.add(self.now, queue);
        }
        self.high = if self.is_high(queue, rtt) {
            self.high.saturating_add(1)
        } else {
            0
        };
        if self.phase == Phase::Startup {
            self.start_up(before);
        }
        if self.epoch_is_complete() {
            self.end_epoch();
        }
    }

    fn take_rtt(&mut self, sample: Option<u64>) {
        let Some(sample) = sample else { return };
        let memory = self.config.base_rtt_memory;
        // A controller that measures the queue by the base must not forget it under a queue of
        // its own making.
        let hold = self.is_blind();
        if let Some(rtt) = &mut self.rtt {
            rtt.add(self.now, sample, memory, hold);
        } else {
            self.rtt = Some(Rtt::new(self.now, sample, memory));
            self.set_pace();
        }
    }

    /// A queue known without delay is held at its target packet by packet: room is filled at once,
    /// and of the excess each Data takes one packet away.
    fn follow(&mut self, before: u32, queue: u16) {
        let target = u64::from(self.config.queue_target);
        let queue = u64::from(queue);
        let used = (u64::from(before) + target) << 8 >= self.window.q8();
        if queue > target {
            self.set_window(self.window.q8().saturating_sub(law::ONE));
            self.phase = Phase::Cruise;
        } else if used {
            self.set_window(self.window.q8() + ((target - queue) << 8));
        }
    }

    fn on_nacked(&mut self) {
        match self.config.level {
            Level::Face => {}
            Level::Prefix => {
                self.epoch.nack();
                self.set_window(self.window.q8().saturating_sub(law::ONE));
                if self.epoch_is_complete() {
                    self.end_epoch();
                }
            }
            // It came from beyond the queue that is watched, or that queue was full: either way
            // this one packet was too much.
            Level::Local => self.set_window(self.window.q8().saturating_sub(law::ONE)),
        }
    }

    fn on_lost(&mut self) {
        self.epoch.lose();
        let is_silent = self
            .awaited
            .is_some_and(|since| self.is_past(since, 2) && self.now >= since + self.config.silence);
        if !is_silent {
            return;
        }
        let spacing = self.config.silence_spacing;
        let is_soon = |last| self.now < last + spacing || !self.is_past(last, 1);
        if self.silenced.is_some_and(is_soon) {
            return;
        }
        self.silenced = Some(self.now);
        self.start_afresh();
        // No other cut before a round trip has passed.
        self.leapt = Some(self.now);
        let half = (self.window.q8() / 2).max(self.window.q8().min(law::ONE));
        self.set_window(half);
    }

    fn on_reset(&mut self) {
        self.start_afresh();
        self.rtt = None;
        self.silenced = None;
        self.awaited = None;
        self.pacer = Pacer::new();
        self.window = Window::from_packets(self.config.initial_window);
    }

    /// Back to startup with nothing remembered of the link; the window stays.
    fn start_afresh(&mut self) {
        self.phase = Phase::Startup;
        self.stage = 0;
        self.high = 0;
        self.train = Train::default();
        self.leapt = None;
        self.doubt = None;
        self.limited = 0;
        self.suspicion = None;
        self.restart_epoch(None);
    }

    fn restart_epoch(&mut self, past: Option<Past>) {
        self.epoch = Epoch::new(self.now);
        self.past = past;
    }

    /// Smoothed round trip, or the epoch limit while unknown, ns.
    fn round_trip(&self) -> u64 {
        self.rtt.map_or_else(
            || rtt::clamped(self.config.epoch_limit),
            |rtt| rtt.smoothed(),
        )
    }

    /// Whether so many round trips have passed since.
    fn is_past(&self, since: Instant, round_trips: u64) -> bool {
        let passed = self.now.as_nanos().saturating_sub(since.as_nanos());
        passed >= round_trips * self.round_trip()
    }

    /// Half the target queue, Q8: what a full link should find waiting at least.
    fn spare(&self) -> u64 {
        u64::from(self.config.queue_target) << 7
    }

    fn enter_cruise(&mut self) {
        self.phase = Phase::Cruise;
        self.stage = 0;
    }

    fn set_window(&mut self, q8: u64) {
        let window = Window::from_q8(q8);
        if window != self.window {
            self.window = window;
            self.set_pace();
        }
    }

    fn set_pace(&mut self) {
        // The forwarder beside it paces what a consumer hands over.
        if self.config.level == Level::Local {
            return;
        }
        let Some(rtt) = &self.rtt else { return };
        let pacing = self.config.pacing_q8;
        let gap = Pacer::gap_for(rtt.smoothed(), self.window.q8(), pacing);
        self.pacer.set_gap(gap);
    }

    /// Takes the next changed setting, at last the wake-up time: when the pace lets the next
    /// packet go, if only the pace holds it.
    pub fn poll_output(&mut self) -> Output {
        let (window, gap) = (self.window(), self.pacer.gap());
        if self.told_window.replace(window) != Some(window) {
            return Output::Window(window);
        }
        if self.told_gap.replace(gap) != Some(gap) {
            return Output::Gap(gap);
        }
        let waits = self.in_flight < window && self.pacer.next() > self.now;
        Output::Timeout(waits.then(|| self.pacer.next()))
    }

    /// Packets that may be in flight, rounded up, at least 1.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.window.packets()
    }

    /// Packets in flight.
    #[must_use]
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Earliest time at which pacing lets the next packet go.
    #[must_use]
    pub const fn next_send(&self) -> Instant {
        self.pacer.next()
    }

    /// Whether window and pacing let a packet go at `now`.
    #[must_use]
    pub fn can_send(&self, now: Instant) -> bool {
        self.in_flight < self.window() && now >= self.next_send()
    }

    /// Startup or cruise.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Smoothed round-trip time, `None` before the first sample.
    #[must_use]
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.map(|rtt| Duration::from_nanos(rtt.smoothed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(20);

    /// A controller with its time, fed one full window per round trip.
    struct Bench {
        controller: Controller,
        now: Instant,
    }

    impl Bench {
        fn new(level: Level) -> Self {
            let now = Instant::from_secs(1);
            let controller = Controller::new(Config::new(level), now).unwrap();
            Self { controller, now }
        }

        fn tell(&mut self, input: Input) {
            self.controller.handle_input(self.now, input).unwrap();
        }

        fn fill(&mut self) {
            while self.controller.in_flight() < self.controller.window() {
                self.tell(Input::Sent);
            }
        }

        /// One round trip: the whole flight is answered, spread evenly, by Data that found `queue`;
        /// what the window lets go follows each.
        fn round(&mut self, queue: u16) {
            self.fill();
            let flight = self.controller.in_flight();
            for _ in 0..flight {
                self.now += RTT / flight;
                let rtt = Some(RTT);
                self.tell(Input::Delivered {
                    queue: Some(queue),
                    rtt,
                });
                self.fill();
            }
            // The last step may have been rounded down.
            self.now += Duration::from_nanos(u64::from(flight));
        }

        fn window(&self) -> u32 {
            self.controller.window()
        }
    }

    /// A face in cruise with a queue at its target.
    fn cruising() -> Bench {
        let mut bench = Bench::new(Level::Face);
        for _ in 0..4 {
            bench.round(9);
        }
        assert_eq!(bench.controller.phase(), Phase::Cruise);
        bench
    }

    #[test]
    fn startup_grows_fourfold_per_round_trip() {
        let mut bench = Bench::new(Level::Face);
        assert_eq!(bench.window(), 24);
        bench.round(0);
        assert_eq!(bench.window(), 24 + 3 * 24);
        assert_eq!(bench.controller.phase(), Phase::Startup);
    }

    #[test]
    fn queued_data_tell_what_the_link_carries() {
        // A flight of 24 in one burst comes back spaced by 250 us, each having queued behind the
        // one before: 4,000 packets a second, 80 per round trip of 20 ms, and 4 to spare.
        let mut bench = Bench::new(Level::Face);
        bench.fill();
        bench.now += RTT;
        for queue in 0..24 {
            let waited = Duration::from_micros(250) * u32::from(queue);
            let rtt = Some(RTT + waited);
            bench.tell(Input::Delivered {
                queue: Some(queue),
                rtt,
            });
            bench.now += Duration::from_micros(250);
        }
        assert_eq!(bench.window(), 84);
        assert_eq!(bench.controller.phase(), Phase::Cruise);
    }

    #[test]
    fn a_run_of_high_queues_ends_startup_within_a_round_trip() {
        let mut bench = Bench::new(Level::Face);
        // Without the leap, that is by the queue alone.
        bench.controller.config.startup_step = 1;
        bench.round(0);
        bench.fill();
        for _ in 0..4 {
            assert_eq!(bench.controller.phase(), Phase::Startup);
            bench.now += Duration::from_micros(100);
            bench.tell(Input::Delivered {
                queue: Some(30),
                rtt: Some(RTT),
            });
        }
        assert_eq!(bench.controller.phase(), Phase::Cruise);
    }

    #[test]
    fn the_window_moves_once_per_epoch_by_the_queue_found() {
        // (queue found, least and greatest change of a window of 26 within two epochs: one packet
        // each, or the excess in part, or a half each)
        for (queue, least, most) in [(5, 1, 3), (8, 1, 3), (40, -40, -4), (u16::MAX, -20, -18)] {
            let mut bench = cruising();
            let before = i64::from(bench.window());
            bench.round(queue);
            bench.round(queue);
            let change = i64::from(bench.window()) - before;
            assert!(
                (least..=most).contains(&change),
                "{queue}: {before} {change}"
            );
        }
    }

    #[test]
    fn a_lost_packet_changes_nothing_but_its_slot() {
        let mut bench = cruising();
        bench.fill();
        let window = bench.window();
        bench.tell(Input::Lost);
        assert_eq!(bench.window(), window);
        assert_eq!(bench.controller.in_flight(), window - 1);
    }

    #[test]
    fn silence_halves_the_window_now_and_then() {
        let mut bench = cruising();
        bench.fill();
        let window = bench.window();
        for (wait_ms, halvings) in [(299, 0), (2, 1), (50, 1), (60, 2)] {
            bench.now += Duration::from_millis(wait_ms);
            bench.tell(Input::Lost);
            bench.tell(Input::Sent);
            let expected = window >> halvings;
            assert!(bench.window().abs_diff(expected) <= 1, "after {wait_ms} ms");
        }
        assert_eq!(bench.controller.phase(), Phase::Startup);
    }

    #[test]
    fn silence_on_a_long_path_halves_once_per_round_trip() {
        let mut bench = Bench::new(Level::Face);
        bench.fill();
        bench.tell(Input::Delivered {
            queue: Some(0),
            rtt: Some(Duration::from_secs(1)),
        });
        bench.fill();
        let window = bench.window();
        for (wait_ms, halvings) in [(2_000, 1), (500, 1), (500, 2)] {
            bench.now += Duration::from_millis(wait_ms);
            bench.tell(Input::Lost);
            assert!(bench.window().abs_diff(window >> halvings) <= 1);
        }
    }

    #[test]
    fn packets_held_back_are_no_silence() {
        // All that is in flight is lost while the window lets nothing go: nothing was asked for
        // since the last Data.
        let mut bench = cruising();
        bench.fill();
        bench.tell(Input::Delivered {
            queue: Some(9),
            rtt: Some(RTT),
        });
        let window = bench.window();
        for _ in 0..10 {
            bench.now += Duration::from_secs(1);
            bench.tell(Input::Lost);
        }
        assert_eq!(bench.window(), window);
    }

    #[test]
    fn each_nack_takes_one_packet_of_a_prefix_and_none_of_a_face() {
        for (level, taken) in [(Level::Face, 0), (Level::Prefix, 1), (Level::Local, 1)] {
            let mut bench = Bench::new(level);
            bench.fill();
            let window = bench.window();
            bench.now += Duration::from_millis(1);
            bench.tell(Input::Nacked);
            assert_eq!(bench.window(), window - taken);
        }
    }

    #[test]
    fn a_local_queue_is_filled_to_its_target_and_drained_from_above() {
        let mut bench = Bench::new(Level::Local);
        // (queue found, change of the window)
        for (queue, change) in [(0, 8), (5, 3), (8, 0), (9, -1), (40, -1)] {
            bench.fill();
            let before = i64::from(bench.window());
            bench.tell(Input::Delivered {
                queue: Some(queue),
                rtt: Some(RTT),
            });
            assert_eq!(i64::from(bench.window()) - before, change, "{queue}");
        }
        assert_eq!(
            bench.controller.next_send(),
            Instant::ZERO + Duration::from_secs(1)
        );
    }

    #[test]
    fn a_reset_starts_afresh_with_the_slots_taken() {
        let mut bench = cruising();
        bench.fill();
        let held = bench.controller.in_flight();
        bench.tell(Input::Reset);
        assert_eq!(bench.window(), 24);
        assert_eq!(bench.controller.phase(), Phase::Startup);
        assert_eq!(bench.controller.in_flight(), held);
        assert_eq!(bench.controller.srtt(), None);
    }

    #[test]
    fn settings_are_told_once_and_the_wake_up_is_the_pace() {
        let mut bench = cruising();
        while !matches!(bench.controller.poll_output(), Output::Timeout(_)) {}
        assert_eq!(bench.controller.poll_output(), Output::Timeout(None));
        // A burst of two goes at once, the third waits for its gap.
        for _ in 0..3 {
            bench.tell(Input::Released);
        }
        bench.now += Duration::from_secs(1);
        for _ in 0..2 {
            assert!(bench.controller.can_send(bench.now));
            bench.tell(Input::Sent);
        }
        assert!(!bench.controller.can_send(bench.now));
        let next = bench.controller.next_send();
        assert_eq!(bench.controller.poll_output(), Output::Timeout(Some(next)));
        assert!(bench.controller.can_send(next));
    }
}
