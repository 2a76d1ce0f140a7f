//! Networks with places and lengths: real ones that are shipped, and files of the user's own.

mod json;
mod table;

use std::fmt;
use std::time::Duration;

use crate::build::marked_nodes;
use crate::link::LinkSpec;
use crate::packet::Trace;
use crate::topology::{Role, Topology};

/// Nodes with names and places, links with lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// What it is called.
    pub name: String,
    /// Its nodes.
    pub nodes: Vec<Place>,
    /// Its links: at most one between two nodes.
    pub links: Vec<Fibre>,
    /// What places mean.
    pub positions: Positions,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its name, unique.
    pub name: String,
    /// Latitude, or how far up.
    pub y: f64,
    /// Longitude, or how far to the right.
    pub x: f64,
}

/// A link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibre {
    /// Its two nodes.
    pub ends: [usize; 2],
    /// How long it is.
    pub km: f64,
}

/// What places mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// Latitudes and longitudes.
    #[default]
    Degrees,
    /// Points of a plane.
    Plane,
}

/// The networks that are shipped: name, and the table with its sources in its head.
const SHIPPED: [(&str, &str); 7] = [
    ("abilene", include_str!("../topologies/abilene.txt")),
    ("geant", include_str!("../topologies/geant.txt")),
    ("nobel-us", include_str!("../topologies/nobel-us.txt")),
    ("germany50", include_str!("../topologies/germany50.txt")),
    ("india35", include_str!("../topologies/india35.txt")),
    ("attmpls", include_str!("../topologies/attmpls.txt")),
    ("newyork", include_str!("../topologies/newyork.txt")),
];

/// Longest link, in km: once around the earth.
const MAX_KM: f64 = 40_100.0;

impl Network {
    /// The names of those that are shipped.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// One that is shipped; `None`: there is none of that name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Self> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Self::parse(name, text).ok()
    }

    /// Reads a table as those that are shipped, or node-link JSON as of `networkx` and `topohub`:
    /// whichever it looks like.
    ///
    /// ```text
    /// positions degrees   # or plane; degrees if left out
    /// #    id name latitude longitude
    /// node 0 ATLAM5 33.75 -84.38
    /// node 1 ATLAng 34.5 -85.5
    /// #    id id km
    /// link 0 1 132.4
    /// ```
    ///
    /// # Errors
    /// The first fault, with its line and field.
    pub fn parse(name: &str, text: &str) -> Result<Self, NetworkError> {
        let network = if text.trim_start().starts_with('{') {
            json::parse(name, text)?
        } else {
            table::parse(name, text)?
        };
        let marked = marked_nodes(&network.topology(|_, spec| spec).ports());
        if network.nodes.len() < 2 || network.links.is_empty() {
            let (nodes, links) = (network.nodes.len(), network.links.len());
            return Err(NetworkError::whole(format!(
                "expected at least 2 nodes and a link, got {nodes} and {links}"
            )));
        }
        if marked > Trace::MAX_NODES {
            return Err(NetworkError::whole(format!(
                "expected at most {} nodes with more than one link, got {marked}",
                Trace::MAX_NODES
            )));
        }
        Ok(network)
    }

    fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            nodes: Vec::new(),
            links: Vec::new(),
            positions: Positions::default(),
        }
    }

    /// Adds a node, or says in which field the fault is.
    fn add_node(&mut self, place: Place) -> Result<(), Fault> {
        let name = &place.name;
        if name.is_empty() || name.len() > 64 {
            return Err(("name", format!("expected 1 to 64 octets, got `{name}`")));
        }
        if self.nodes.iter().any(|node| node.name == *name) {
            return Err(("name", format!("expected a new name, got `{name}` twice")));
        }
        self.nodes.push(place);
        Ok(())
    }

    /// Adds a link, or says in which field the fault is.
    fn add_link(&mut self, ends: [usize; 2], km: f64) -> Result<(), Fault> {
        let [a, b] = ends;
        if a == b {
            let name = &self.nodes[a].name;
            return Err(("target", format!("expected another node than `{name}`")));
        }
        let same = |link: &Fibre| link.ends == ends || link.ends == [b, a];
        if self.links.iter().any(same) {
            let (a, b) = (&self.nodes[a].name, &self.nodes[b].name);
            let message = format!("expected one link between two nodes, got `{a}` to `{b}` twice");
            return Err(("target", message));
        }
        if !(0.0..=MAX_KM).contains(&km) {
            return Err(("km", format!("expected from 0 to {MAX_KM}, got {km}")));
        }
        self.links.push(Fibre { ends, km });
        Ok(())
    }

    /// The number of the node of that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// Its nodes and links; `spec` may change what a link does.
    pub fn topology(&self, spec: impl Fn(usize, LinkSpec) -> LinkSpec) -> Topology {
        let mut topology = Topology::default();
        for node in &self.nodes {
            topology.add_node(node.name.as_str(), Role::Core, true);
        }
        for (number, link) in self.links.iter().enumerate() {
            let [a, b] = link.ends;
            let clean = LinkSpec::new(1_000_000_000, link.delay(), 1_000);
            topology.add_link(a, b, spec(number, clean));
        }
        topology
    }
}

impl Fibre {
    /// Light in fibre takes a millisecond for 200 km.
    #[must_use]
    pub fn delay(&self) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "lengths are checked when they are read"
        )]
        Duration::from_nanos((self.km * 5_000.0).round() as u64)
    }
}

/// A field and what is wrong with it.
type Fault = (&'static str, String);

/// What is wrong with a network's file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkError {
    /// The line, from 1, if it is on one.
    pub line: Option<usize>,
    /// Field and expectation.
    pub message: String,
}

impl NetworkError {
    fn whole(message: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
        }
    }

    fn at(line: usize, field: &str, message: impl fmt::Display) -> Self {
        Self {
            line: Some(line),
            message: format!("{field}: {message}"),
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for NetworkError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_takes_a_millisecond_for_200_km() {
        for (km, micros) in [(0.0, 0), (200.0, 1_000), (1079.45, 5_397)] {
            let delay = Fibre { ends: [0, 1], km }.delay();
            assert_eq!(delay.as_micros(), micros, "{km} km");
        }
    }

    #[test]
    fn shipped_networks_can_be_read_and_are_in_one_piece() {
        for name in Network::names() {
            let network = Network::shipped(name);
            let topology = network.unwrap().topology(|_, spec| spec);
            let reached = crate::routing::distances(&topology, 0, None);
            assert!(reached.iter().all(Option::is_some), "{name}");
        }
        assert_eq!(Network::shipped("atlantis"), None);
    }

    #[test]
    fn too_few_and_too_many_are_refused() {
        let error = |text: &str| Network::parse("x", text).unwrap_err().to_string();
        assert!(error("node a a 1 1\nnode b b 1 1").contains("at least 2 nodes and a link"));
        assert!(error("").contains("got 0 and 0"));
        let nodes = (0..129).map(|n| format!("node {n} n{n} 1 1\n"));
        let links = (0..129).map(|n| format!("link {n} {} 1\n", (n + 1) % 129));
        let ring: String = nodes.chain(links).collect();
        assert!(error(&ring).contains("at most 128 nodes"));
    }
}
