//! Graphs of nodes and links, and the small ones that tests and demonstrations use.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use mars_time::Instant;
use rand_chacha::ChaCha8Rng;

use crate::link::LinkSpec;
use crate::units::below;

/// What a node is for; decides where it is drawn and whether others route through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Fetches.
    Server,
    /// Carries.
    Core,
    /// Produces.
    Client,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, unique; the component that names it as a producer or consumer.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Whether routing may lead through it to others.
    pub transit: bool,
}

/// One link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its two nodes.
    pub ends: [usize; 2],
    /// What it does to frames, in both directions alike.
    pub spec: LinkSpec,
    /// Spans during which it is down: from, to.
    pub outages: Vec<(Instant, Instant)>,
}

/// Nodes and links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// The nodes; their index is their number.
    pub nodes: Vec<Node>,
    /// The links; a node numbers its ports in this order.
    pub links: Vec<Link>,
}

impl Topology {
    /// Adds a node and gives its number.
    pub fn add_node(&mut self, name: impl Into<String>, role: Role, transit: bool) -> usize {
        self.nodes.push(Node {
            name: name.into(),
            role,
            transit,
        });
        self.nodes.len() - 1
    }

    /// Adds a link and gives its number.
    pub fn add_link(&mut self, a: usize, b: usize, spec: LinkSpec) -> usize {
        self.links.push(Link {
            ends: [a, b],
            spec,
            outages: Vec::new(),
        });
        self.links.len() - 1
    }

    /// Per node its ports in order: the link and the node at the other end.
    #[must_use]
    pub fn ports(&self) -> Vec<Vec<Port>> {
        let mut ports = vec![Vec::new(); self.nodes.len()];
        for (link, Link { ends: [a, b], .. }) in self.links.iter().enumerate() {
            ports[*a].push(Port { link, peer: *b });
            ports[*b].push(Port { link, peer: *a });
        }
        ports
    }
}

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The link.
    pub link: usize,
    /// The node at its other end.
    pub peer: usize,
}

/// The small graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One after the other.
    Line,
    /// A line that is closed.
    Ring,
    /// Three, each linked with each and with a hub, behind which the producer sits.
    Triangle,
    /// Two lines side by side with rungs.
    Ladder,
    /// All around one.
    Star,
    /// Each linked with each.
    Mesh,
    /// A random tree with as many links again thrown in.
    Random,
}

impl Shape {
    /// All of them, with a word on each.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Line, "line", "one after the other"),
        (Self::Ring, "ring", "a line that is closed"),
        (
            Self::Triangle,
            "triangle",
            "three nodes around a hub, the producer behind it: the smallest graph in which the bare rules loop",
        ),
        (Self::Ladder, "ladder", "two lines side by side with rungs"),
        (Self::Star, "star", "all around one"),
        (Self::Mesh, "mesh", "each linked with each"),
        (
            Self::Random,
            "random",
            "a random tree with as many links again thrown in",
        ),
    ];

    /// The graph of `n` nodes; the last of them is meant to produce. `spec` gives each link.
    pub fn build(
        self,
        n: usize,
        rng: &mut ChaCha8Rng,
        mut spec: impl FnMut(&mut ChaCha8Rng) -> LinkSpec,
    ) -> Topology {
        let mut topology = Topology::default();
        for number in 0..n {
            topology.add_node(format!("n{number}"), Role::Core, true);
        }
        for (a, b) in self.pairs(n, rng) {
            let spec = spec(rng);
            topology.add_link(a, b, spec);
        }
        topology
    }

    fn pairs(self, n: usize, random: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
        let line = (1..n).map(|i| (i - 1, i));
        match self {
            Self::Line => line.collect(),
            Self::Ring => line.chain((n > 2).then_some((n - 1, 0))).collect(),
            Self::Star => (1..n).map(|i| (0, i)).collect(),
            Self::Ladder => (0..n)
                .flat_map(|i| {
                    let across = (i % 2 == 0).then_some((i, i + 1));
                    [across, Some((i, i + 2))]
                })
                .flatten()
                .filter(|(_, b)| *b < n)
                .collect(),
            Self::Triangle => vec![(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3), (3, 4)],
            Self::Mesh => (0..n)
                .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
                .collect(),
            Self::Random => random_pairs(n, random),
        }
    }

    /// How many nodes it may have.
    #[must_use]
    pub const fn nodes(self) -> (u32, u32) {
        match self {
            Self::Triangle => (5, 5),
            _ => (2, 128),
        }
    }
}

fn random_pairs(n: usize, rng: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
    let mut draw = |bound: usize| below(rng, u32::try_from(bound).unwrap_or(u32::MAX)) as usize;
    let mut pairs: Vec<(usize, usize)> = (1..n).map(|i| (draw(i), i)).collect();
    for _ in 0..n {
        let (a, b) = (draw(n), draw(n));
        let pair = (a.min(b), a.max(b));
        if a != b && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .iter()
            .find(|(_, name, _)| *name == text)
            .map(|(shape, ..)| *shape)
            .ok_or_else(|| {
                let names: Vec<&str> = Self::ALL.iter().map(|(_, name, _)| *name).collect();
                format!(
                    "unknown topology `{text}`, expected one of {}",
                    names.join(", ")
                )
            })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(shape, ..)| shape == self);
        f.write_str(name.map_or("", |(_, name, _)| name))
    }
}

impl<'de> serde::Deserialize<'de> for Shape {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A link for graphs of which only the shape matters: 100 Mbit/s, 5 ms.
#[must_use]
pub const fn plain_link() -> LinkSpec {
    LinkSpec::new(100_000_000, Duration::from_millis(5), 1_000)
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    fn pairs(shape: Shape, n: usize) -> Vec<(usize, usize)> {
        shape.pairs(n, &mut ChaCha8Rng::seed_from_u64(1))
    }

    #[test]
    fn small_graphs_have_the_links_that_one_would_draw() {
        assert_eq!(pairs(Shape::Line, 4), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(pairs(Shape::Ring, 4), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(pairs(Shape::Ring, 2), [(0, 1)]);
        assert_eq!(pairs(Shape::Star, 4), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(
            pairs(Shape::Ladder, 6),
            [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5)]
        );
        assert_eq!(pairs(Shape::Mesh, 4).len(), 6);
    }

    #[test]
    fn random_graphs_are_connected_and_simple() {
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let n = 2 + below(&mut rng, 24) as usize;
            let pairs = Shape::Random.pairs(n, &mut rng);
            let mut reached = vec![false; n];
            reached[0] = true;
            for _ in 0..n {
                for (a, b) in &pairs {
                    let either = reached[*a] || reached[*b];
                    (reached[*a], reached[*b]) = (either, either);
                }
            }
            assert!(reached.iter().all(|r| *r), "seed {seed}");
            let mut sorted = pairs.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), pairs.len(), "seed {seed}");
        }
    }
}
