//! Startup: from the initial window to a full link.

use super::{Controller, Phase};
use crate::config::Level;
use crate::law;

impl Controller {
    /// Startup, per Data: one step of growth, or for a face, once per round trip, the leap to what
    /// the link carries. A run of Data that found a high queue ends it at once.
    pub(super) fn start_up(&mut self, before: u32) {
        let has_settled = self.leapt.is_none_or(|at| self.is_past(at, 1));
        let is_high = self.high > 0;
        if let Some(target) = self.link_window() {
            // The first flight is a burst and queues by nature.
            if has_settled && (self.leapt.is_none() || !is_high) {
                self.leap(target);
                return;
            }
        } else if !is_high && (u64::from(before) << 9) >= self.window.q8() {
            self.grow();
        }
        let is_run = self.high >= self.config.epoch_samples;
        if self.config.level == Level::Face && has_settled && is_run {
            self.end_epoch();
        }
    }

    /// One step of growth, as far as what was delivered of late warrants.
    fn grow(&mut self) {
        // Without reports the end shows late.
        let most = if self.is_blind() { 2 } else { 4 } * law::ONE;
        let growth = u64::from(self.config.startup_growth_q8).min(most);
        let past = self.past.map_or(0, |past| past.in_pipe);
        let seen = (u64::from(self.epoch.samples()) << 8).max(past);
        let reach = 4 * seen + (u64::from(self.config.initial_window) << 8);
        if self.window.q8() < reach {
            self.set_window(self.window.q8() + growth - law::ONE);
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

    /// Whether what was seen is still the first flight, or from before the last leap.
    pub(super) fn is_settling(&self) -> bool {
        self.leapt.is_some_and(|at| !self.is_past(at, 2))
    }

    /// Startup, per epoch: whether it is over, by a queue above the target, which a prefix bears for
    /// a while, as the upstream may be starting itself, or by a Nack. `full` is the window that
    /// fills what was seen of the path.
    pub(super) fn judge_startup(&mut self, queue: u64, full: u64, is_nacked: bool) {
        let is_high = queue > u64::from(self.config.queue_target) << 8;
        let patience = match self.config.level {
            Level::Face => 1,
            Level::Prefix | Level::Local => self.config.startup_patience,
        };
        self.stage = if is_high { self.stage + 1 } else { 0 };
        if is_nacked {
            // Nacks have taken their toll of the window one by one.
            self.enter_cruise();
        } else if self.stage >= patience {
            self.set_window(self.window.q8().min(full));
            self.enter_cruise();
        }
    }

    /// Whether this Data found a queue above the target, by report or, in startup, by its time.
    pub(super) fn is_high(&self, queue: Option<u16>, sample: Option<u64>) -> bool {
        if queue.is_some_and(|queue| queue > self.config.queue_target) {
            return true;
        }
        if self.phase == Phase::Cruise || !self.is_blind() {
            return false;
        }
        let (Some(sample), Some(rtt), Some(past)) = (sample, &self.rtt, &self.past) else {
            return false;
        };
        // What waits is what passes in the time waited, at the rate of the last epoch.
        let waited = sample.saturating_sub(rtt.least());
        let target = u64::from(self.config.queue_target) << 8;
        past.in_pipe.min(law::LONGEST_QUEUE) * waited > target * rtt.least()
    }
}
