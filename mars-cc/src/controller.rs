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
mod tests;
