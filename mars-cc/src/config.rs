//! Constants of the law.

use core::time::Duration;

use crate::ConfigError;

const MS: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);

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
    /// Largest increase per epoch of a face whose queue stays empty (`h_max`), packets, 1 to 1,000.
    pub probe_max: u16,
    /// Growth per epoch of a prefix whose queue is low, 256 (none but the increase) to 1,024.
    pub prefix_growth_q8: u16,
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
    /// Least time between two cuts for silence, 1 ms to 60 s.
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
            startup_growth_q8: 1024,
            startup_step: 16,
            probe_max: 20,
            prefix_growth_q8: 320,
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
            estimate: Estimate::Unreported,
            estimate_weight_q8: 256,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let rules = [
            (
                (1..=1024).contains(&self.initial_window),
                "initial_window",
                "1 to 1024",
            ),
            (
                (1..=1000).contains(&self.queue_target),
                "queue_target",
                "1 to 1000",
            ),
            (
                self.queue_low < self.queue_target,
                "queue_low",
                "below queue_target",
            ),
            (
                self.queue_high > self.queue_target && self.queue_high <= 10_000,
                "queue_high",
                "above queue_target and at most 10000",
            ),
            (
                (1..=212).contains(&self.cut_gain_q8),
                "cut_gain_q8",
                "1 to 212",
            ),
            (self.lead_gain_q8 <= 256, "lead_gain_q8", "at most 256"),
            (
                (1..=1024).contains(&self.increase_max_q8),
                "increase_max_q8",
                "1 to 1024",
            ),
            (
                (1..=self.increase_max_q8).contains(&self.increase_min_q8),
                "increase_min_q8",
                "1 to increase_max_q8",
            ),
            (
                (1..=64).contains(&self.startup_patience),
                "startup_patience",
                "1 to 64",
            ),
            (
                (257..=1024).contains(&self.startup_growth_q8),
                "startup_growth_q8",
                "257 to 1024",
            ),
            (
                (1..=64).contains(&self.startup_step),
                "startup_step",
                "1 to 64",
            ),
            (
                (1..=1000).contains(&self.probe_max),
                "probe_max",
                "1 to 1000",
            ),
            (
                (256..=1024).contains(&self.prefix_growth_q8),
                "prefix_growth_q8",
                "256 to 1024",
            ),
            (
                (257..=1024).contains(&self.pacing_q8),
                "pacing_q8",
                "257 to 1024",
            ),
            ((1..=64).contains(&self.burst), "burst", "1 to 64"),
            (
                (1..=64).contains(&self.epoch_samples),
                "epoch_samples",
                "1 to 64",
            ),
            (
                (MS..=Duration::from_secs(10)).contains(&self.epoch_limit),
                "epoch_limit",
                "1 ms to 10 s",
            ),
            (
                (MS..=MINUTE).contains(&self.silence),
                "silence",
                "1 ms to 60 s",
            ),
            (
                (MS..=MINUTE).contains(&self.silence_spacing),
                "silence_spacing",
                "1 ms to 60 s",
            ),
            (
                (100 * MS..=60 * MINUTE).contains(&self.base_rtt_memory),
                "base_rtt_memory",
                "100 ms to 1 h",
            ),
            ((MS..=MINUTE).contains(&self.stale), "stale", "1 ms to 60 s"),
            (
                (64..=1024).contains(&self.estimate_weight_q8),
                "estimate_weight_q8",
                "64 to 1024",
            ),
        ];
        match rules.into_iter().find(|(holds, ..)| !holds) {
            None => Ok(()),
            Some((_, field, expected)) => Err(ConfigError::OutOfRange { field, expected }),
        }
    }
}
