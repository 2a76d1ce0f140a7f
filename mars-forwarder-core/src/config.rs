//! Bounds and timers of one forwarder.

use core::time::Duration;

use mars_cc::Level;

use crate::ConfigError;
use crate::face::MAX_FACES;

/// Hop threshold: faces with `hops * denominator <= numerator * min(hops)` take part in discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theta {
    /// Numerator.
    pub numerator: u32,
    /// Denominator, not zero, not above the numerator.
    pub denominator: u32,
}

/// Whether the rank order guards the valid set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankRule {
    /// The only safe setting.
    Enforced,
    /// The paper's three rules alone; forwarding loops appear. For demonstrations.
    Off,
}

/// Everything that a forwarder is configured with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Seeds hash tables and nonces; secret, and different on every node.
    pub seed: u64,
    /// Hop threshold, at least 1; default 3/2.
    pub theta: Theta,
    /// Rank order on or off.
    pub rank_rule: RankRule,
    /// Interests that wait per dest, at least 1; default 40.
    pub interest_queue: u16,
    /// The window law of each upstream face, of [`mars_cc::Level::Face`].
    pub face_law: mars_cc::Config,
    /// The window law of each dest over each upstream face, of [`mars_cc::Level::Prefix`].
    pub dest_law: mars_cc::Config,
    /// An Interest takes a longer tier only while more than this many of its dest wait; default 2.
    pub tier_spill: u16,
    /// Pending Interests, at least 1; default 65,536. One face may hold as many as are left free:
    /// alone it fills half of the table.
    pub max_pending: u32,
    /// Dests with state, at least 1; default 4,096. One face may open as many as are left free.
    pub max_dests: u32,
    /// FIB prefixes; default 65,536.
    pub max_prefixes: u32,
    /// Faces, 1 to 65,535; default 1,024.
    pub max_faces: u32,
    /// Dead nonces kept; default 65,536.
    pub max_dead_nonces: u32,
    /// A valid face without Data for this long (not zero) expires; ranks are kept twice as long;
    /// default 30 s.
    pub path_lifetime: Duration,
    /// The process came back with its state lost: refuse discovery, and data
    /// to other nodes, for twice `path_lifetime`. What was sent before may arrive up to one of them
    /// later, and is believed for another: then nobody believes in the rank that was forgotten.
    pub restarted: bool,
    /// An Interest's lifetime is cut to this, not zero; default 30 s.
    pub max_lifetime: Duration,
    /// An Interest for data that has no next hop waits in its dest's queue until one appears or
    /// its lifetime ends, instead of being refused with a Nack; default off, since a Nack lets the
    /// downstream try another way at once.
    pub hold_without_route: bool,
    /// Data in the content store; default 0: none is kept.
    pub max_cached: u32,
    /// Octets in the content store, packets and names together; default 16 MiB.
    pub max_cached_octets: u64,
}

impl Config {
    /// The defaults, with the given seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            theta: Theta {
                numerator: 3,
                denominator: 2,
            },
            rank_rule: RankRule::Enforced,
            interest_queue: 40,
            face_law: mars_cc::Config::new(Level::Face),
            dest_law: mars_cc::Config::new(Level::Prefix),
            tier_spill: 2,
            max_pending: 65_536,
            max_dests: 4_096,
            max_prefixes: 65_536,
            max_faces: 1_024,
            max_dead_nonces: 65_536,
            path_lifetime: Duration::from_secs(30),
            restarted: false,
            max_lifetime: Duration::from_secs(30),
            hold_without_route: false,
            max_cached: 0,
            max_cached_octets: 16 << 20,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let laws = [
            (&self.face_law, Level::Face),
            (&self.dest_law, Level::Prefix),
        ];
        let [face_law, dest_law] =
            laws.map(|(law, level)| law.level == level && law.validate().is_ok());
        let checks = [
            (
                self.theta.denominator > 0 && self.theta.numerator >= self.theta.denominator,
                "theta",
                "a ratio of at least 1",
            ),
            (self.interest_queue > 0, "interest_queue", "at least 1"),
            (
                (1..=MAX_FACES).contains(&self.max_faces),
                "max_faces",
                "1 to 65,535",
            ),
            (self.max_pending > 0, "max_pending", "at least 1"),
            (self.max_dests > 0, "max_dests", "at least 1"),
            (
                !self.path_lifetime.is_zero(),
                "path_lifetime",
                "longer than zero",
            ),
            (
                !self.max_lifetime.is_zero(),
                "max_lifetime",
                "longer than zero",
            ),
            (face_law, "face_law", "a valid law of the level of faces"),
            (dest_law, "dest_law", "a valid law of the level of prefixes"),
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

    #[test]
    fn every_bad_field_is_named() {
        type Spoil = fn(&mut Config);
        let table: [(&str, Spoil); 11] = [
            ("theta", |c| c.theta.denominator = 0),
            ("theta", |c| c.theta.numerator = 1),
            ("interest_queue", |c| c.interest_queue = 0),
            ("max_faces", |c| c.max_faces = 0),
            ("max_faces", |c| c.max_faces = 1 << 16),
            ("max_pending", |c| c.max_pending = 0),
            ("max_dests", |c| c.max_dests = 0),
            ("path_lifetime", |c| c.path_lifetime = Duration::ZERO),
            ("max_lifetime", |c| c.max_lifetime = Duration::ZERO),
            ("face_law", |c| c.face_law = c.dest_law),
            ("dest_law", |c| c.dest_law.initial_window = 0),
        ];
        assert_eq!(Config::new(0).validate(), Ok(()));
        for (field, spoil) in table {
            let mut bad = Config::new(0);
            spoil(&mut bad);
            assert_eq!(bad.validate().map_err(|e| e.field), Err(field));
        }
    }
}
