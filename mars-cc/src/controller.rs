//! The controller: what each input does to window and pace.

use core::time::Duration;

use mars_time::Instant;

use crate::config::{Config, Estimate, Level};
use crate::epoch::{Epoch, MOST_SAMPLES};
use crate::law;
use crate::pacer::Pacer;
use crate::rtt::{self, Rtt};
use crate::train::Train;
use crate::window::Window;
use crate::{ConfigError, Error, Input, Output};

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
}

/// Window and measured waiting time when the own measure of the queue began to ask for cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Suspicion {
    window: Window,
    waited: u64,
}

/// One window with pacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    config: Config,
    now: Instant,
    window: Window,
    in_flight: u32,
    phase: Phase,
    /// Epochs in a row: with a low queue in cruise, without need for more (or, for a prefix, with
    /// a full queue) in startup.
    stage: u8,
    /// Data in a row that found a queue above the target.
    high: u8,
    pacer: Pacer,
    rtt: Option<Rtt>,
    train: Train,
    epoch: Epoch,
    past: Option<Past>,
    suspicion: Option<Suspicion>,
    /// Last Data, or the first packet after a time with none in flight.
    heard: Instant,
    silenced: Option<Instant>,
    /// Last leap in startup.
    leapt: Option<Instant>,
    /// Epochs in a row at whose end the window was full.
    limited: u8,
    /// What the host was last told.
    told: Option<(u32, Duration)>,
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
            heard: now,
            silenced: None,
            leapt: None,
            limited: 0,
            told: None,
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
        if self.in_flight == 0 {
            self.heard = self.now;
            if self.epoch.samples() == 0 && !self.epoch.nacked() {
                self.epoch = Epoch::new(self.now);
            }
        }
        self.in_flight = self.in_flight.saturating_add(1);
        self.pacer.sent(self.now, self.config.burst);
    }

    fn on_delivered(&mut self, before: u32, queue: Option<u16>, rtt: Option<u64>) {
        self.heard = self.now;
        if let Some(sample) = rtt {
            self.take_rtt(sample, queue.is_none());
        }
        if let Some(queue) = queue {
            self.train.add(self.now, queue);
        }
        if let (Level::Local, Some(queue)) = (self.config.level, queue) {
            self.follow(before, queue);
            return;
        }
        let high = queue.is_some_and(|queue| queue > self.config.queue_target);
        self.high = if high { self.high.saturating_add(1) } else { 0 };
        self.epoch.add(queue, rtt);
        if self.phase == Phase::Startup {
            self.start_up(before);
        }
        if self.epoch_is_complete() {
            self.end_epoch();
        }
    }

    fn take_rtt(&mut self, sample: u64, unreported: bool) {
        let memory = self.config.base_rtt_memory;
        if let Some(rtt) = &mut self.rtt {
            // A controller that measures the queue by the base must not forget it under a queue
            // of its own making.
            let hold = self.config.estimate == Estimate::Always
                || unreported && self.config.estimate == Estimate::Unreported;
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

    /// Startup, per Data: one step of growth, or for a face, once per round trip, the leap to what
    /// the link carries.
    fn start_up(&mut self, before: u32) {
        let settled = self
            .leapt
            .is_none_or(|at| self.now >= at + self.round_trip());
        let is_high = self.high > 0;
        if let Some(target) = self.link_window() {
            if settled && (self.leapt.is_none() || !is_high) {
                self.leap(target);
                return;
            }
        } else if !is_high && (u64::from(before) << 9) >= self.window.q8() {
            let step = u64::from(self.config.startup_growth_q8) - law::ONE;
            self.set_window(self.window.q8() + step);
        }
        if self.config.level == Level::Face && settled && self.high >= self.config.epoch_samples {
            self.end_epoch();
        }
    }

    /// Takes the window to `target`, or as near as one step may.
    fn leap(&mut self, target: u64) {
        self.leapt = Some(self.now);
        let reach = self.window.q8() * u64::from(self.config.startup_step);
        self.restart_epoch(None);
        self.set_window(target.min(reach));
        if target <= reach {
            self.enter_cruise();
        }
    }

    /// The window that fills the link and half the target queue, once the spacing of Data that
    /// queued tells what the link carries.
    fn link_window(&self) -> Option<u64> {
        if self.config.startup_step == 1 || self.config.level != Level::Face {
            return None;
        }
        let spacing = self.train.spacing()?;
        let in_pipe = law::passing(1, spacing, self.epoch.mean_rtt()?);
        let queue = self.epoch.queue()?;
        Some(in_pipe.saturating_sub(queue) + self.spare())
    }

    /// Half the target queue, Q8.
    fn spare(&self) -> u64 {
        u64::from(self.config.queue_target) << 7
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
        let wait = self.config.silence.max(2 * self.round_trip());
        if self.now < self.heard + wait {
            return;
        }
        let spacing = self.config.silence_spacing;
        if self.silenced.is_some_and(|last| self.now < last + spacing) {
            return;
        }
        self.silenced = Some(self.now);
        self.start_afresh();
        let half = (self.window.q8() / 2).max(self.window.q8().min(law::ONE));
        self.set_window(half);
    }

    fn on_reset(&mut self) {
        self.start_afresh();
        self.rtt = None;
        self.silenced = None;
        self.heard = self.now;
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
        self.limited = 0;
        self.suspicion = None;
        self.restart_epoch(None);
    }

    fn restart_epoch(&mut self, queue: Option<u64>) {
        self.epoch = Epoch::new(self.now);
        self.past = queue.map(|queue| Past {
            at: self.now,
            queue,
        });
    }

    fn enter_cruise(&mut self) {
        self.phase = Phase::Cruise;
        self.stage = 0;
    }

    /// Smoothed round trip, or the epoch limit while unknown.
    fn round_trip(&self) -> Duration {
        self.srtt().unwrap_or(self.config.epoch_limit)
    }

    /// A round trip is over and brought enough samples, or some and the limit is over too.
    fn epoch_is_complete(&self) -> bool {
        let elapsed = self.epoch.elapsed(self.now);
        let samples = self.epoch.samples();
        if samples >= MOST_SAMPLES {
            return true;
        }
        if elapsed < rtt::clamped(self.round_trip()) {
            return false;
        }
        samples >= u32::from(self.config.epoch_samples)
            || self.epoch.nacked()
            || elapsed >= rtt::clamped(self.config.epoch_limit)
    }

    /// One decision.
    fn end_epoch(&mut self) {
        let config = self.config;
        let elapsed = self.epoch.elapsed(self.now).clamp(1, 1 << 36);
        let samples = u64::from(self.epoch.samples());
        let smoothed = rtt::clamped(self.round_trip());
        let mean_rtt = self.epoch.mean_rtt().unwrap_or(smoothed);
        let base_rtt = self.rtt.map_or(mean_rtt, |rtt| rtt.least()).min(mean_rtt);

        let in_pipe = law::passing(samples, elapsed, mean_rtt);
        let queue = self.queue(samples, elapsed, base_rtt);
        let previous = self.past.filter(|past| self.now < past.at + config.stale);
        let led = law::led(queue, previous.map(|past| past.queue), config.lead_gain_q8)
            .min(law::LONGEST_QUEUE);
        let bare_pipe = law::passing(samples, elapsed, base_rtt).max(in_pipe.saturating_sub(queue));
        let full = bare_pipe + self.spare();
        let nacked = self.epoch.nacked();
        let is_full = self.in_flight + 1 >= self.window();
        self.limited = if is_full {
            self.limited.saturating_add(1)
        } else {
            0
        };

        match self.phase {
            Phase::Startup if self.is_settling() => {}
            Phase::Startup => self.judge_startup(led, full, nacked),
            Phase::Cruise => {
                let queued = law::queued_share(led, in_pipe);
                let share = match self.config.level {
                    Level::Face => queued,
                    // The queue may hold packets of others too, and no more of ours than it holds.
                    Level::Prefix | Level::Local => queued.min(
                        law::waited_share(mean_rtt, base_rtt)
                            .max(u64::from(config.least_share_q16)),
                    ),
                };
                self.steer(led, share, in_pipe, nacked);
            }
        }
        self.restart_epoch(Some(queue));
    }

    /// The queue of the epoch, Q8: as reported, as measured, or the larger.
    fn queue(&mut self, samples: u64, elapsed: u64, base_rtt: u64) -> u64 {
        let reported = self.epoch.queue();
        let measured = match (self.config.estimate, reported) {
            (Estimate::Off, _) | (Estimate::Unreported, Some(_)) => 0,
            (Estimate::Unreported, None) | (Estimate::Always, _) => {
                self.measured_queue(samples, elapsed, base_rtt)
            }
        };
        measured.max(reported.unwrap_or(0)).min(law::LONGEST_QUEUE)
    }

    /// Own packets that wait somewhere, by the least round trip of the epoch: jitter passes, a
    /// standing queue does not.
    fn measured_queue(&mut self, samples: u64, elapsed: u64, base_rtt: u64) -> u64 {
        let Some(least) = self.epoch.least_rtt() else {
            return 0;
        };
        let waited = least.saturating_sub(base_rtt);
        let weight = u64::from(self.config.estimate_weight_q8);
        let measured = (law::passing(samples, elapsed, waited) * weight) >> 8;
        if self.is_longer_path(measured, waited) {
            if let Some(rtt) = &mut self.rtt {
                rtt.rebase(least);
            }
            return 0;
        }
        measured
    }

    /// Whether the window was halved and the waiting stayed: then it is not waiting, and the path
    /// has become longer.
    fn is_longer_path(&mut self, measured: u64, waited: u64) -> bool {
        if measured <= u64::from(self.config.queue_target) << 8 {
            self.suspicion = None;
            return false;
        }
        match self.suspicion {
            Some(since) if waited >= since.waited - since.waited / 4 => {
                let halved = self.window.q8() <= since.window.q8() / 2;
                if halved {
                    self.suspicion = None;
                }
                halved
            }
            _ => {
                let window = self.window;
                self.suspicion = Some(Suspicion { window, waited });
                false
            }
        }
    }

    /// Whether what was seen is still the first flight, or the time before the last leap.
    fn is_settling(&self) -> bool {
        self.leapt
            .is_some_and(|at| self.now < at + 2 * self.round_trip())
    }

    /// Whether startup is over: by a queue above the target, which a prefix bears for a while, as
    /// the upstream may be starting itself, or by a Nack.
    fn judge_startup(&mut self, queue: u64, full: u64, nacked: bool) {
        let is_high = queue > u64::from(self.config.queue_target) << 8;
        let patience = match self.config.level {
            Level::Face => 1,
            Level::Prefix | Level::Local => self.config.startup_patience,
        };
        self.stage = if is_high { self.stage + 1 } else { 0 };
        // Nacks have taken their toll of the window one by one.
        if !nacked && self.stage >= patience {
            self.set_window(self.window.q8().min(full));
        }
        if nacked || self.stage >= patience {
            self.enter_cruise();
        }
    }

    /// Cruise: more, faster and faster, while the queue is low; less by half the excess above the
    /// target.
    fn steer(&mut self, queue: u64, share: u64, in_pipe: u64, nacked: bool) {
        let target = u64::from(self.config.queue_target) << 8;
        let low = u64::from(self.config.queue_low) << 8;
        let window = self.window.q8();
        let increase = law::increase(
            queue,
            target,
            u64::from(self.config.queue_high) << 8,
            u64::from(self.config.increase_max_q8),
            u64::from(self.config.increase_min_q8),
        );
        let warranted = window.max(law::warranted(in_pipe));

        self.stage = if queue > low || nacked {
            0
        } else {
            self.stage.saturating_add(1)
        };
        let next = if nacked {
            law::cut(window, queue, target, share, self.config.cut_gain_q8)
        } else if queue > target {
            law::cut(window, queue, target, share, self.config.cut_gain_q8) + increase
        } else if queue > low {
            (window + increase).min(warranted)
        } else {
            let most = u64::from(self.config.probe_max) << 8;
            let step = match self.config.level {
                Level::Face => {
                    law::probe(self.stage, increase, window, most).max(self.headroom(in_pipe))
                }
                Level::Prefix | Level::Local => law::widen(self.stage, increase, window, most),
            };
            (window + step).min(warranted)
        };
        self.set_window(next);
    }

    /// Half of what the link could still carry per round trip, Q8, as far as its Data tell, if the
    /// window has been the limit for two epochs. Mostly this makes up for slots that lost packets
    /// hold until they time out.
    fn headroom(&self, in_pipe: u64) -> u64 {
        let (Some(spacing), Some(rtt)) = (self.train.spacing(), &self.rtt) else {
            return 0;
        };
        if self.limited < 2 || self.config.startup_step == 1 {
            return 0;
        }
        let lacking = law::passing(1, spacing, rtt.least()).saturating_sub(in_pipe);
        (lacking / 2).min(self.window.q8() / 16)
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
        match self.told {
            Some((told, _)) if told == window => {}
            _ => {
                self.told = Some((window, self.told.map_or(Duration::MAX, |(_, gap)| gap)));
                return Output::Window(window);
            }
        }
        if self.told != Some((window, gap)) {
            self.told = Some((window, gap));
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
