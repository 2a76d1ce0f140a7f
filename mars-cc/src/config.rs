//! Constants of the law.

use core::time::Duration;

use crate::ConfigError;

const MS: Duration = Duration::from_millis(1);

/// What a controller meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// All prefixes over one upstream face; watches its Data queue.
    Face,
    /// One prefix over one upstream face; watches the Interest queue that the upstream keeps for it.
    Prefix,
    /// A consumer over the forwarder beside it; watches the Interest queue there, of which it
    /// learns without delay.
    Local,
}

/// When a controller trusts its own measure of the queue, `rate * (rtt - base rtt)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// Never: without reports the queue counts as empty.
    Off,
    /// For epochs in which no Data carried a report (a plain NDN upstream).
    Unreported,
    /// Always, beside the report; the larger of the two counts. For faces that run over routers
    /// which report nothing. Wrong where packets of one controller are *meant* to queue in
    /// several places, that is, wherever the upstream spreads them over several paths.
    Always,
}

/// Constants of the law, with the defaults of the recommended setting.
///
/// Fields called `.._q8` count in steps of 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// What is metered.
    pub level: Level,
    /// Window at start and after a reset, packets, 1 to 1,024.
    pub initial_window: u32,
    /// Queue that the law aims at (q*), packets, 1 to 1,000.
    pub queue_target: u16,
    /// Queue up to which the link counts as not full (`q_lo`), packets, below the target.
    pub queue_low: u16,
    /// Queue at which the increase has fallen to its least (`q_a`), packets, above the target and
    /// at most 10,000.
    pub queue_high: u16,
    /// Part of the excess queue that one cut takes away (γ), 1 to 212 (0.83): above that the loop
    /// is unstable with one extra round trip of delay.
    pub cut_gain_q8: u16,
    /// Weight of the queue's change since the last epoch (κ), 0 to 256.
    pub lead_gain_q8: u16,
    /// Increase per epoch while the queue is at most at its target (`a_max`), packets, 1 to 1,024.
    pub increase_max_q8: u16,
    /// Increase per epoch at `queue_high` and above (`a_min`), packets, 1 to `increase_max_q8`.
    pub increase_min_q8: u16,
    /// Epochs with a queue above the target that a prefix waits in startup, while the upstream may
    /// be starting itself, 1 to 64.
    pub startup_patience: u8,
    /// Growth per round trip in startup, 257 to 1,024 (four times).
    pub startup_growth_q8: u16,
    /// Largest step at once, in startup, to what the spacing of queued Data says the link carries,
    /// times the window; 1 (no such step) to 64.
    pub startup_step: u8,
    /// Least share of a prefix's window that counts as queued, in steps of 1/65,536, up to 1/16. The
    /// base of a latecomer is too long, and it must yield all the same; much more than the true
    /// share of long paths, and they get less than short ones.
    pub least_share_q16: u16,
    /// Largest increase per epoch while the queue stays low (`h_max`), packets, 1 to 1,000.
    pub probe_max: u16,
    /// Pace over window per round trip, 257 to 1,024.
    pub pacing_q8: u16,
    /// Packets that may leave at once, 1 to 64.
    pub burst: u8,
    /// Least samples in an epoch, 1 to 64.
    pub epoch_samples: u8,
    /// Time after which fewer samples do, 1 ms to 10 s.
    pub epoch_limit: Duration,
    /// Time without Data after which a lost packet means that the path is silent, 1 ms to 60 s.
    pub silence: Duration,
    /// Least time between two cuts for silence, if no round trip is longer, 1 ms to 60 s.
    pub silence_spacing: Duration,
    /// Time for which a least round trip is remembered, 100 ms to 1 h.
    pub base_rtt_memory: Duration,
    /// Time after which the last epoch no longer counts, 1 ms to 60 s.
    pub stale: Duration,
    /// When to measure the queue oneself.
    pub estimate: Estimate,
    /// Weight of a packet in the measured queue, 64 to 1,024. That queue holds a controller's own
    /// packets only, a report those of all who share it.
    pub estimate_weight_q8: u16,
    /// Part of the spread of round trips within an epoch that is taken for jitter and not for a
    /// queue, 0 to 256.
    pub jitter_q8: u16,
}

impl Config {
    /// The recommended setting for a level.
    #[must_use]
    pub const fn new(level: Level) -> Self {
        Self {
            level,
            initial_window: match level {
                Level::Face => 24,
                Level::Prefix => 32,
                Level::Local => 40,
            },
            queue_target: 8,
            queue_low: 3,
            queue_high: 20,
            cut_gain_q8: 128,
            lead_gain_q8: 128,
            increase_max_q8: 256,
            increase_min_q8: 64,
            startup_patience: 4,
            startup_growth_q8: match level {
                Level::Face => 1024,
                Level::Prefix | Level::Local => 768,
            },
            startup_step: 4,
            least_share_q16: 512,
            probe_max: match level {
                Level::Face => 20,
                Level::Prefix | Level::Local => 32,
            },
            pacing_q8: 282,
            burst: 2,
            epoch_samples: match level {
                Level::Face => 4,
                Level::Prefix | Level::Local => 1,
            },
            epoch_limit: Duration::from_millis(200),
            silence: Duration::from_millis(300),
            silence_spacing: Duration::from_millis(100),
            base_rtt_memory: Duration::from_secs(10),
            stale: Duration::from_secs(1),
            estimate: match level {
                Level::Face => Estimate::Unreported,
                Level::Prefix | Level::Local => Estimate::Off,
            },
            estimate_weight_q8: 512,
            jitter_q8: 128,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_queue()?;
        self.validate_growth()?;
        self.validate_times()
    }

    fn validate_queue(&self) -> Result<(), ConfigError> {
        let target = self.queue_target;
        let high = self.queue_high;
        let most = self.increase_max_q8;
        within((1..=1000).contains(&target), "queue_target", "1 to 1000")?;
        within(self.queue_low < target, "queue_low", "below queue_target")?;
        let is_above = high > target && high <= 10_000;
        within(
            is_above,
            "queue_high",
            "above queue_target and at most 10000",
        )?;
        let gain = self.cut_gain_q8;
        within((1..=212).contains(&gain), "cut_gain_q8", "1 to 212")?;
        within(self.lead_gain_q8 <= 256, "lead_gain_q8", "at most 256")?;
        within((1..=1024).contains(&most), "increase_max_q8", "1 to 1024")?;
        let least = self.increase_min_q8;
        let is_less = (1..=most).contains(&least);
        within(is_less, "increase_min_q8", "1 to increase_max_q8")?;
        let share = self.least_share_q16;
        within((1..=4096).contains(&share), "least_share_q16", "1 to 4096")?;
        within(self.jitter_q8 <= 256, "jitter_q8", "at most 256")?;
        let weight = self.estimate_weight_q8;
        within(
            (64..=1024).contains(&weight),
            "estimate_weight_q8",
            "64 to 1024",
        )
    }

    fn validate_growth(&self) -> Result<(), ConfigError> {
        let window = self.initial_window;
        within((1..=1024).contains(&window), "initial_window", "1 to 1024")?;
        let patience = self.startup_patience;
        within((1..=64).contains(&patience), "startup_patience", "1 to 64")?;
        let growth = self.startup_growth_q8;
        within(
            (257..=1024).contains(&growth),
            "startup_growth_q8",
            "257 to 1024",
        )?;
        let step = self.startup_step;
        within((1..=64).contains(&step), "startup_step", "1 to 64")?;
        within(
            (1..=1000).contains(&self.probe_max),
            "probe_max",
            "1 to 1000",
        )?;
        within(
            (257..=1024).contains(&self.pacing_q8),
            "pacing_q8",
            "257 to 1024",
        )?;
        within((1..=64).contains(&self.burst), "burst", "1 to 64")?;
        let samples = self.epoch_samples;
        within((1..=64).contains(&samples), "epoch_samples", "1 to 64")
    }

    fn validate_times(&self) -> Result<(), ConfigError> {
        let minute = MS..=Duration::from_mins(1);
        let memory = &self.base_rtt_memory;
        let limit = (MS..=Duration::from_secs(10)).contains(&self.epoch_limit);
        within(limit, "epoch_limit", "1 ms to 10 s")?;
        within(minute.contains(&self.silence), "silence", "1 ms to 60 s")?;
        let spacing = minute.contains(&self.silence_spacing);
        within(spacing, "silence_spacing", "1 ms to 60 s")?;
        let is_remembered = (100 * MS..=Duration::from_hours(1)).contains(memory);
        within(is_remembered, "base_rtt_memory", "100 ms to 1 h")?;
        within(minute.contains(&self.stale), "stale", "1 ms to 60 s")
    }
}

fn within(holds: bool, field: &'static str, expected: &'static str) -> Result<(), ConfigError> {
    if holds {
        Ok(())
    } else {
        Err(ConfigError::OutOfRange { field, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut Config)) -> &'static str {
        let mut config = Config::new(Level::Face);
        change(&mut config);
        let Err(ConfigError::OutOfRange { field, .. }) = config.validate() else {
            return "nothing";
        };
        field
    }

    #[test]
    fn the_defaults_are_within_their_ranges() {
        for level in [Level::Face, Level::Prefix, Level::Local] {
            assert_eq!(Config::new(level).validate(), Ok(()));
        }
    }

    #[test]
    fn every_field_has_a_range() {
        assert_eq!(refused(|c| c.initial_window = 0), "initial_window");
        assert_eq!(refused(|c| c.initial_window = 1_025), "initial_window");
        assert_eq!(refused(|c| c.queue_target = 0), "queue_target");
        assert_eq!(refused(|c| c.queue_low = c.queue_target), "queue_low");
        assert_eq!(refused(|c| c.queue_high = c.queue_target), "queue_high");
        assert_eq!(refused(|c| c.cut_gain_q8 = 213), "cut_gain_q8");
        assert_eq!(refused(|c| c.lead_gain_q8 = 257), "lead_gain_q8");
        assert_eq!(refused(|c| c.increase_max_q8 = 0), "increase_max_q8");
        assert_eq!(refused(|c| c.increase_min_q8 = 257), "increase_min_q8");
        assert_eq!(refused(|c| c.least_share_q16 = 4_097), "least_share_q16");
        assert_eq!(refused(|c| c.estimate_weight_q8 = 63), "estimate_weight_q8");
        assert_eq!(refused(|c| c.jitter_q8 = 257), "jitter_q8");
        assert_eq!(refused(|c| c.startup_patience = 0), "startup_patience");
        assert_eq!(refused(|c| c.startup_growth_q8 = 256), "startup_growth_q8");
        assert_eq!(refused(|c| c.startup_step = 65), "startup_step");
        assert_eq!(refused(|c| c.probe_max = 0), "probe_max");
        assert_eq!(refused(|c| c.pacing_q8 = 256), "pacing_q8");
        assert_eq!(refused(|c| c.burst = 0), "burst");
        assert_eq!(refused(|c| c.epoch_samples = 0), "epoch_samples");
        assert_eq!(refused(|c| c.epoch_limit = Duration::ZERO), "epoch_limit");
        assert_eq!(refused(|c| c.silence = Duration::MAX), "silence");
        assert_eq!(
            refused(|c| c.silence_spacing = Duration::ZERO),
            "silence_spacing"
        );
        assert_eq!(refused(|c| c.base_rtt_memory = MS), "base_rtt_memory");
        assert_eq!(refused(|c| c.stale = Duration::ZERO), "stale");
    }
}
