//! Whether the valid upstream edges of a dest, over all nodes together, are free of cycles: the
//! claim of the rank order, looked at from outside.

use mars_forwarder_core::FaceId;
use mars_time::Instant;
use mars_wire::{Name, Rank};

use crate::engine::Engine;
use crate::host::MarsHost;
use crate::topology::Port;

/// The forwarding graph of one dest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardingGraph {
    upstreams: Vec<Vec<usize>>,
    /// Marks of the search, so that it need not clear them.
    seen: Vec<u64>,
    search: u64,
}

impl ForwardingGraph {
    /// Of so many nodes, without an edge.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self {
            upstreams: vec![Vec::new(); nodes],
            seen: vec![0; nodes],
            search: 0,
        }
    }

    /// Sets the upstream neighbours of a node. Gives a cycle through it that there is now, if its
    /// edges changed and there is one.
    pub fn set(&mut self, node: usize, upstreams: &[usize]) -> Option<Vec<usize>> {
        if self.upstreams[node] == upstreams {
            return None;
        }
        self.upstreams[node].clear();
        self.upstreams[node].extend_from_slice(upstreams);
        self.cycle_through(node)
    }

    /// The upstream neighbours of a node.
    #[must_use]
    pub fn upstreams(&self, node: usize) -> &[usize] {
        &self.upstreams[node]
    }

    /// A way from a node along upstream edges back to itself.
    #[must_use]
    pub fn cycle_through(&mut self, node: usize) -> Option<Vec<usize>> {
        self.search += 1;
        // A path, and how many edges of each of its nodes were tried.
        let mut path = vec![(node, 0)];
        while let Some((at, tried)) = path.last_mut() {
            let Some(next) = self.upstreams[*at].get(*tried).copied() else {
                path.pop();
                continue;
            };
            *tried += 1;
            if next == node {
                return Some(path.iter().map(|(at, _)| *at).collect());
            }
            if self.seen[next] != self.search {
                self.seen[next] = self.search;
                path.push((next, 0));
            }
        }
        None
    }
}

/// What was found to be broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When.
    pub at: Instant,
    /// What.
    pub what: String,
}

/// Watches the forwarding graphs of all dests of a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    graphs: Vec<ForwardingGraph>,
    cycles: u64,
    disorders: u64,
    first: Option<Violation>,
    scratch: Vec<usize>,
}

impl Watch {
    /// Over so many dests and nodes.
    #[must_use]
    pub fn new(dests: usize, nodes: usize) -> Self {
        Self {
            graphs: vec![ForwardingGraph::new(nodes); dests],
            ..Self::default()
        }
    }

    /// Looks at one node for one dest, after something happened there.
    pub fn look(
        &mut self,
        engine: &Engine<MarsHost>,
        ports: &[Vec<Port>],
        node: usize,
        number: usize,
        dest: Name<'_>,
    ) {
        let MarsHost::Forwarder(host) = &engine.hosts()[node] else {
            return;
        };
        self.scratch.clear();
        if let Some(view) = host.forwarder().dest(dest) {
            let own = view.rank();
            for upstream in view.valid_upstreams() {
                let Some(port) = host.port_of(upstream.face) else {
                    continue;
                };
                self.scratch.push(ports[node][port].peer);
                if !in_order(upstream.rank, own) {
                    self.disorders += 1;
                    self.report(engine.now(), || {
                        disorder(node, upstream.face, upstream.rank, own)
                    });
                }
            }
        }
        self.scratch.sort_unstable();
        if let Some(cycle) = self.graphs[number].set(node, &self.scratch) {
            self.cycles += 1;
            self.report(engine.now(), || format!("cycle through nodes {cycle:?}"));
        }
    }

    fn report(&mut self, at: Instant, what: impl FnOnce() -> String) {
        self.first
            .get_or_insert_with(|| Violation { at, what: what() });
    }

    /// Changes of a node's edges after which it was on a cycle.
    #[must_use]
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Valid upstreams that were not strictly closer to the producer than the node itself.
    #[must_use]
    pub const fn disorders(&self) -> u64 {
        self.disorders
    }

    /// The first thing that was broken.
    #[must_use]
    pub const fn first(&self) -> Option<&Violation> {
        self.first.as_ref()
    }

    /// The forwarding graph of a dest as last seen.
    #[must_use]
    pub fn graph(&self, dest: usize) -> &ForwardingGraph {
        &self.graphs[dest]
    }
}

/// Plain upstreams have no rank and stand outside the order.
fn in_order(upstream: Option<Rank>, own: Option<Rank>) -> bool {
    match (upstream, own) {
        (None, _) => true,
        (Some(upstream), Some(own)) => upstream.closer_than(own),
        (Some(_), None) => false,
    }
}

fn disorder(node: usize, face: FaceId, upstream: Option<Rank>, own: Option<Rank>) -> String {
    format!(
        "node {node}: face {} of rank {upstream:?} is valid at own rank {own:?}",
        face.0
    )
}

#[cfg(test)]
mod tests {
    use mars_wire::Label;

    use super::*;

    #[test]
    fn a_cycle_is_seen_when_it_closes_and_not_before() {
        let mut graph = ForwardingGraph::new(5);
        assert_eq!(graph.set(0, &[1, 2]), None);
        assert_eq!(graph.set(1, &[3]), None);
        assert_eq!(graph.set(2, &[3]), None);
        assert_eq!(graph.set(3, &[4]), None);
        assert_eq!(graph.set(4, &[2]), Some(vec![4, 2, 3]));
        assert_eq!(graph.set(4, &[2]), None, "nothing changed");
        assert_eq!(graph.set(2, &[]), None, "the cycle is gone");
        assert_eq!(graph.set(3, &[3]), Some(vec![3]), "a node of its own");
    }

    #[test]
    fn a_cycle_elsewhere_is_not_charged_to_a_node() {
        let mut graph = ForwardingGraph::new(4);
        let _ = graph.set(1, &[2]);
        assert!(graph.set(2, &[1]).is_some());
        assert_eq!(graph.set(0, &[1]), None);
    }

    #[test]
    fn the_order_is_strict_and_leaves_plain_upstreams_out() {
        let rank = |generation, label| Rank {
            generation,
            label: Label::from_bits(label),
        };
        assert!(in_order(None, None));
        assert!(in_order(Some(rank(1, 5)), Some(rank(1, 6))));
        assert!(in_order(Some(rank(2, 9)), Some(rank(1, 6))));
        assert!(!in_order(Some(rank(1, 6)), Some(rank(1, 6))));
        assert!(!in_order(Some(rank(1, 6)), None));
    }
}
