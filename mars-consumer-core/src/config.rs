//! What to fetch, and within which bounds.

use alloc::vec::Vec;
use core::time::Duration;

use mars_wire::NameBuf;

use crate::ConfigError;

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
    /// The producer: one or more components.
    pub dest: NameBuf,
    /// Value of the generic component that names this consumer in probes; any octets.
    pub src: Vec<u8>,
    /// Seeds nonces and the jitter of the back-off before a new generation; any value.
    pub seed: u64,
    /// What to fetch; any length, 0 too.
    pub object: Object,
    /// How to start.
    pub start: Start,
    /// Probes in flight, at least 1; default 4.
    pub probe_window: u8,
    /// Lifetime of a probe, 1 ms to 1 h; default 2 s.
    pub probe_lifetime: Duration,
    /// Lifetime of a data Interest, 1 ms to 1 h; default 4 s.
    pub data_lifetime: Duration,
    /// Least time after which an unanswered data Interest counts as lost, 1 ms to `max_rto`;
    /// default 50 ms. The time itself adapts (see the crate's text).
    pub min_rto: Duration,
    /// The most that back-off makes of it, `min_rto` to 1 h; default 2 s. After an outage it takes
    /// up to this long to notice that the paths are back. Must be above the longest round trip,
    /// which nobody can check.
    pub max_rto: Duration,
    /// Segments held out of order or unread, and in flight, at most: 1 to 16,777,216; default
    /// 4,096.
    pub reassembly: u32,
    /// Segments that the reader takes at start, any number; default `u64::MAX` (no flow control).
    /// Ignored for [`Object::Nothing`].
    pub credit: u64,
    /// Times that one segment is asked for before giving up, at least 1; default 16. An Interest
    /// that is refused for congestion is not counted; 64 refusals of one segment end it too.
    pub max_tries: u8,
    /// Probes in a row that stay unanswered before discovery ends or, if there is no path yet, the
    /// next generation begins; at least 1, default 12.
    pub max_silent_probes: u32,
    /// The same for probes that are refused; at least 1, default 16.
    pub max_refused_probes: u32,
    /// The same for all probes with one `ProbeIdx`; at least 1, default 1,024.
    pub max_probes_per_index: u32,
    /// The same for all probes from the start, a rediscovery or a new generation on; at least 1,
    /// default 8,192.
    pub max_probes: u32,
    /// While an object is fetched, discovery looks again this long after a round has ended, so that
    /// paths that came (back) meanwhile are found; at least 10 ms, `Duration::MAX` for never;
    /// default 1 s. A round that finds nothing new costs one window of probes.
    pub rediscovery: Duration,
    /// New generations tried before `Unreachable`, 0 for none; default 3.
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
            min_rto: Duration::from_millis(50),
            max_rto: Duration::from_secs(2),
            reassembly: 4_096,
            credit: u64::MAX,
            max_tries: 16,
            max_silent_probes: 12,
            max_refused_probes: 16,
            max_probes_per_index: 1_024,
            max_probes: 8_192,
            rediscovery: Duration::from_secs(1),
            max_generations: 3,
            verify: false,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let lifetimes = Duration::from_millis(1)..=Duration::from_hours(1);
        let segments = 1..=1 << 24;
        let checks = [
            (
                !self.dest.as_name().is_empty(),
                "dest",
                "one or more components",
            ),
            (self.probe_window >= 1, "probe_window", "at least 1"),
            (
                lifetimes.contains(&self.probe_lifetime),
                "probe_lifetime",
                "1 ms to 1 h",
            ),
            (
                lifetimes.contains(&self.data_lifetime),
                "data_lifetime",
                "1 ms to 1 h",
            ),
            (
                self.min_rto >= Duration::from_millis(1) && self.min_rto <= self.max_rto,
                "min_rto",
                "1 ms to max_rto",
            ),
            (
                self.max_rto <= Duration::from_hours(1),
                "max_rto",
                "at most 1 h",
            ),
            (
                segments.contains(&self.reassembly),
                "reassembly",
                "1 to 16,777,216",
            ),
            (
                self.rediscovery >= Duration::from_millis(10),
                "rediscovery",
                "at least 10 ms",
            ),
            (self.max_tries >= 1, "max_tries", "at least 1"),
            (
                self.max_silent_probes >= 1,
                "max_silent_probes",
                "at least 1",
            ),
            (
                self.max_refused_probes >= 1,
                "max_refused_probes",
                "at least 1",
            ),
            (
                self.max_probes_per_index >= 1,
                "max_probes_per_index",
                "at least 1",
            ),
            (self.max_probes >= 1, "max_probes", "at least 1"),
        ];
        let fault = checks.into_iter().find(|(good, ..)| !good);
        fault.map_or(Ok(()), |(_, field, expected)| {
            Err(ConfigError { field, expected })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn every_bad_field_is_named() {
        type Spoil = fn(&mut Config);
        let table: [(&str, Spoil); 14] = [
            ("dest", |c| c.dest = NameBuf::new()),
            ("probe_window", |c| c.probe_window = 0),
            ("probe_lifetime", |c| c.probe_lifetime = Duration::ZERO),
            ("data_lifetime", |c| c.data_lifetime = Duration::MAX),
            ("min_rto", |c| c.min_rto = Duration::ZERO),
            ("min_rto", |c| c.min_rto = Duration::from_secs(5)),
            ("max_rto", |c| c.max_rto = Duration::MAX),
            ("reassembly", |c| c.reassembly = 0),
            ("rediscovery", |c| c.rediscovery = Duration::ZERO),
            ("max_tries", |c| c.max_tries = 0),
            ("max_silent_probes", |c| c.max_silent_probes = 0),
            ("max_refused_probes", |c| c.max_refused_probes = 0),
            ("max_probes_per_index", |c| c.max_probes_per_index = 0),
            ("max_probes", |c| c.max_probes = 0),
        ];
        let dest = NameBuf::new().generic(b"dest");
        let good = Config::new(dest, vec![b's'], 0, Object::UntilFinal);
        assert_eq!(good.validate(), Ok(()));
        for (field, spoil) in table {
            let mut bad = good.clone();
            spoil(&mut bad);
            assert_eq!(bad.validate().unwrap_err().field, field);
        }
    }
}
