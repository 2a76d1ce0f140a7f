//! The queue of an epoch: as reported, or as measured.

use mars_time::Instant;

use super::decision::Seen;
use super::{Controller, Phase};
use crate::config::Estimate;
use crate::law;
use crate::window::Window;

/// Losses in one epoch that count as an overflow, if they are more than a quarter of it.
const OVERFLOW: u64 = 16;

/// Window and measured waiting time when the own measure of the queue began to ask for cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Suspicion {
    window: Window,
    waited: u64,
}

impl Controller {
    /// Whether the queue is measured, and not only reported.
    pub(super) fn is_blind(&self) -> bool {
        match self.config.estimate {
            Estimate::Off => false,
            Estimate::Always => true,
            Estimate::Unreported => !self.epoch.is_reported() || self.doubts_reports(),
        }
    }

    fn doubts_reports(&self) -> bool {
        self.doubt.is_some_and(|until: Instant| self.now < until)
    }

    /// The queue of the epoch, Q8: as reported, as measured, or the larger.
    pub(super) fn queue(&mut self, seen: &Seen) -> u64 {
        let reported = self.epoch.queue().unwrap_or(0);
        let measured = if self.is_blind() {
            self.measured_queue(seen)
        } else {
            0
        };
        let low = u64::from(self.config.queue_low) << 8;
        let lost = u64::from(self.epoch.lost());
        let is_overflow = lost >= OVERFLOW && lost * 4 > seen.samples;
        let is_standing = self.doubts_reports() && measured > low;
        if reported <= low && (is_overflow || is_standing) {
            self.doubt = Some(self.now + self.config.base_rtt_memory);
        }
        measured.max(reported).min(law::LONGEST_QUEUE)
    }

    /// Own packets that wait somewhere, by the least round trip of the epoch: jitter passes, a
    /// standing queue does not.
    fn measured_queue(&mut self, seen: &Seen) -> u64 {
        let Some(least) = self.epoch.least_rtt() else {
            return 0;
        };
        let jitter = match self.phase {
            // The queue itself makes the times differ while it fills.
            Phase::Startup => 0,
            Phase::Cruise => (self.epoch.rtt_spread() * u64::from(self.config.jitter_q8)) >> 8,
        };
        let waited = least.saturating_sub(seen.base_rtt).saturating_sub(jitter);
        let weight = u64::from(self.config.estimate_weight_q8);
        let measured = (law::passing(seen.samples, seen.elapsed, waited) * weight) >> 8;
        if measured > u64::from(self.config.queue_low) << 8 {
            self.train.learn(seen.elapsed / seen.samples.max(1));
        }
        let is_high = measured > u64::from(self.config.queue_target) << 8;
        if is_high && self.window.q8() > seen.in_pipe + seen.in_pipe / 4 {
            // The rest of the window are slots of lost packets: the queue overflows.
            self.suspicion = None;
            let bare = law::passing(seen.samples, seen.elapsed, seen.base_rtt);
            self.set_window(self.window.q8().min(bare + self.spare()));
        } else if self.is_longer_path(is_high, waited) {
            if let Some(rtt) = &mut self.rtt {
                rtt.rebase(least);
            }
            return 0;
        }
        measured
    }

    /// Whether the window was halved and the waiting stayed: then it is no waiting, and the path
    /// has become longer.
    fn is_longer_path(&mut self, is_high: bool, waited: u64) -> bool {
        let window = self.window;
        let Some(since) = self.suspicion.filter(|_| is_high) else {
            self.suspicion = is_high.then_some(Suspicion { window, waited });
            return false;
        };
        if waited < since.waited - since.waited / 4 {
            self.suspicion = Some(Suspicion { window, waited });
            return false;
        }
        let is_halved = window.q8() <= since.window.q8() / 2;
        if is_halved {
            self.suspicion = None;
        }
        is_halved
    }
}
