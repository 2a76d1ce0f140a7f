//! The decision at the end of an epoch.

use super::{Controller, Past, Phase};
use crate::config::Level;
use crate::law;
use crate::rtt;

/// What an epoch shows, in the units of [`law`].
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) samples: u64,
    pub(super) elapsed: u64,
    pub(super) base_rtt: u64,
    pub(super) mean_rtt: u64,
    /// Packets in flight that were answered.
    pub(super) in_pipe: u64,
    is_nacked: bool,
}

impl Controller {
    /// A round trip is over and brought enough samples, or some and the limit is over too.
    pub(super) fn epoch_is_complete(&self) -> bool {
        let elapsed = self.epoch.elapsed(self.now);
        if elapsed < self.round_trip() {
            return false;
        }
        self.epoch.samples() >= u32::from(self.config.epoch_samples)
            || self.epoch.is_nacked()
            || elapsed >= rtt::clamped(self.config.epoch_limit)
    }

    /// One decision, and the next epoch.
    pub(super) fn end_epoch(&mut self) {
        let seen = self.seen();
        let queue = self.queue(&seen);
        let led = self.led(queue);
        let is_full = self.in_flight.saturating_add(1) >= self.window();
        self.limited = if is_full {
            self.limited.saturating_add(1)
        } else {
            0
        };
        match self.phase {
            Phase::Startup if self.is_settling() => {}
            Phase::Startup => {
                let bare = law::passing(seen.samples, seen.elapsed, seen.base_rtt)
                    .max(seen.in_pipe.saturating_sub(queue));
                self.judge_startup(led, bare + self.spare(), seen.is_nacked);
            }
            Phase::Cruise => self.steer(led, &seen),
        }
        self.restart_epoch(Some(Past {
            at: self.now,
            queue,
            in_pipe: seen.in_pipe,
        }));
    }

    fn seen(&self) -> Seen {
        let elapsed = self.epoch.elapsed(self.now).clamp(1, rtt::LONGEST);
        let samples = u64::from(self.epoch.samples());
        let mean_rtt = self.epoch.mean_rtt().unwrap_or(self.round_trip());
        Seen {
            samples,
            elapsed,
            base_rtt: self.rtt.map_or(mean_rtt, |rtt| rtt.least()).min(mean_rtt),
            mean_rtt,
            in_pipe: law::passing(samples, elapsed, mean_rtt),
            is_nacked: self.epoch.is_nacked(),
        }
    }

    /// The queue with part of its change; a past too old does not count.
    fn led(&self, queue: u64) -> u64 {
        let previous = self
            .past
            .filter(|past| self.now < past.at + self.config.stale)
            .map(|past| past.queue);
        law::led(queue, previous, self.config.lead_gain_q8).min(law::LONGEST_QUEUE)
    }

    /// Cruise: more, faster and faster, while the queue is low; less by half the excess above the
    /// target.
    fn steer(&mut self, queue: u64, seen: &Seen) {
        let config = &self.config;
        let target = u64::from(config.queue_target) << 8;
        let low = u64::from(config.queue_low) << 8;
        let window = self.window.q8();
        let increase = law::increase(
            queue,
            target,
            u64::from(config.queue_high) << 8,
            u64::from(config.increase_max_q8),
            u64::from(config.increase_min_q8),
        );
        self.stage = if queue > low || seen.is_nacked {
            0
        } else {
            self.stage.saturating_add(1)
        };
        let next = if queue > target {
            let left = law::cut(
                window,
                queue,
                target,
                self.share(queue, seen),
                config.cut_gain_q8,
            );
            if seen.is_nacked {
                left
            } else {
                left + increase
            }
        } else if seen.is_nacked {
            window
        } else {
            let step = if queue > low {
                increase
            } else {
                self.probe(increase, seen)
            };
            (window + step).min(window.max(law::warranted(seen.in_pipe)))
        };
        self.set_window(next);
    }

    /// Share of the window that lies in the queue, Q16.
    fn share(&self, queue: u64, seen: &Seen) -> u64 {
        let queued = law::queued_share(queue, seen.in_pipe);
        match self.config.level {
            Level::Face => queued,
            // The queue may hold packets of others too, and no more of ours than it holds.
            Level::Prefix | Level::Local => {
                let least = u64::from(self.config.least_share_q16);
                queued.min(law::waited_share(seen.mean_rtt, seen.base_rtt).max(least))
            }
        }
    }

    /// The increase while the queue is low, Q8.
    fn probe(&self, increase: u64, seen: &Seen) -> u64 {
        let window = self.window.q8();
        let most = u64::from(self.config.probe_max) << 8;
        match self.config.level {
            Level::Face => {
                law::probe(self.stage, increase, window, most).max(self.headroom(seen.in_pipe))
            }
            Level::Prefix | Level::Local => law::widen(self.stage, increase, window, most),
        }
    }

    /// Half of what the link could still carry per round trip, Q8, as far as its Data tell, if the
    /// window has been the limit for two epochs. Mostly this makes up for the slots that lost
    /// packets hold until they time out.
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
}
