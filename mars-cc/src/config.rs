//! Constants of the law.

/// What a controller meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// All prefixes over one upstream face; watches its Data queue.
    Face,
    /// One prefix over one upstream face (or a consumer over its local forwarder); watches the
    /// Interest queue.
    Prefix,
}

/// Constants of the law, with the defaults of the recommended setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// What is metered.
    pub level: Level,
    /// Window at start and after a reset, packets.
    pub initial_window: u32,
    /// Queue that the law aims at, packets.
    pub queue_target: u16,
}

impl Config {
    /// The recommended setting for a level.
    #[must_use]
    pub const fn new(level: Level) -> Self {
        Self {
            level,
            initial_window: 4,
            queue_target: 8,
        }
    }
}
