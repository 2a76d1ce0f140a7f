//! What to fetch, and within which bounds.

use alloc::vec::Vec;
use core::time::Duration;

use mars_wire::NameBuf;

/// What to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Object {
    /// This many segments, from 0.
    Segments(u64),
    /// From 0 up to the segment that `FinalBlockId` names.
    UntilFinal,
    /// Nothing: discovery alone.
    Nothing,
}

/// How to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Discover paths first.
    Discover,
    /// Ask for data at once: the local forwarder has plain NDN upstreams only.
    Data,
}

/// Everything that a consumer is configured with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The producer, one or more components.
    pub dest: NameBuf,
    /// Value of the generic component that names this consumer in probes.
    pub src: Vec<u8>,
    /// Seeds nonces.
    pub seed: u64,
    /// What to fetch.
    pub object: Object,
    /// How to start.
    pub start: Start,
    /// Probes in flight; default 4.
    pub probe_window: u8,
    /// Lifetime of a probe; default 2 s.
    pub probe_lifetime: Duration,
    /// Lifetime of a data Interest; default 4 s.
    pub data_lifetime: Duration,
    /// Segments held out of order or unread, and in flight, at most; default 4,096.
    pub reassembly: u32,
    /// Segments that the reader takes at start; default `u64::MAX` (no flow control).
    pub credit: u64,
    /// Times that one segment is asked for before giving up; default 16.
    pub max_tries: u8,
    /// New generations tried before `Unreachable`; default 3.
    pub max_generations: u8,
    /// Whether each delivered segment awaits `Accept` or `Reject`; default no.
    pub verify: bool,
}

impl Config {
    /// The defaults.
    #[must_use]
    pub const fn new(dest: NameBuf, src: Vec<u8>, seed: u64, object: Object) -> Self {
        Self {
            dest,
            src,
            seed,
            object,
            start: Start::Discover,
            probe_window: 4,
            probe_lifetime: Duration::from_secs(2),
            data_lifetime: Duration::from_secs(4),
            reassembly: 4_096,
            credit: u64::MAX,
            max_tries: 16,
            max_generations: 3,
            verify: false,
        }
    }
}
