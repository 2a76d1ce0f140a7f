//! What there is to be found.

use std::time::Duration;

use mars_forwarder_core::{Config, Theta};
use petgraph::algo::dijkstra;
use petgraph::graph::{NodeIndex, UnGraph};

use crate::disjoint::Arcs;
use crate::routing::{NextHop, next_hops};
use crate::topology::{Port, Topology};

/// What there is to be found towards one producer.
pub(super) struct Ground {
    pub(super) topology: Topology,
    pub(super) hops: Vec<Vec<NextHop>>,
    pub(super) eligible: Arcs,
    pub(super) whole: Arcs,
    pub(super) ecmp: Arcs,
    /// Per node links and delay to the producer over the fastest of the shortest paths.
    shortest: Vec<Option<(u32, Duration)>>,
}

impl Ground {
    pub(super) fn new(topology: &Topology, producer: usize, wanted: bool) -> Self {
        let nodes = topology.nodes.len();
        let ports = topology.ports();
        let hops = if wanted {
            next_hops(topology, producer)
        } else {
            vec![Vec::new(); nodes]
        };
        let theta = Config::new(0).theta;
        let arcs =
            |admits: &dyn Fn(u32, u32) -> bool| Arcs::new(nodes, admitted(&hops, &ports, admits));
        let links = topology.links.iter().map(|link| link.ends);
        Self {
            topology: topology.clone(),
            eligible: arcs(&|hops, least| admits(theta, hops, least)),
            ecmp: arcs(&|hops, least| hops == least),
            whole: Arcs::new(nodes, links.flat_map(|[a, b]| [(a, b), (b, a)])),
            shortest: shortest(topology, producer),
            hops,
        }
    }

    pub(super) fn least(&self, node: usize) -> Option<u32> {
        self.shortest[node].map(|(links, _)| links)
    }

    pub(super) fn round_trip(&self, node: usize) -> Option<Duration> {
        self.shortest[node].map(|(_, delay)| delay * 2)
    }
}

/// `hops <= theta * least`.
fn admits(theta: Theta, hops: u32, least: u32) -> bool {
    u64::from(hops) * u64::from(theta.denominator) <= u64::from(least) * u64::from(theta.numerator)
}

/// The arcs to those next hops of each node that `admits` takes, given their hops and the least.
fn admitted(
    hops: &[Vec<NextHop>],
    ports: &[Vec<Port>],
    admits: &dyn Fn(u32, u32) -> bool,
) -> Vec<(usize, usize)> {
    let mut arcs = Vec::new();
    for (node, hops) in hops.iter().enumerate() {
        let least = hops.iter().map(|hop| hop.hops).min().unwrap_or(0);
        let taken = hops.iter().filter(|hop| admits(hop.hops, least));
        arcs.extend(taken.map(|hop| (node, ports[node][hop.port].peer)));
    }
    arcs
}

/// Per node links and delay to `producer` over the fastest of the paths with the fewest links.
fn shortest(topology: &Topology, producer: usize) -> Vec<Option<(u32, Duration)>> {
    /// Longer than any delay, in nanoseconds.
    const LINK: u64 = 1 << 48;
    let mut graph = UnGraph::<(), u64>::default();
    let nodes: Vec<NodeIndex> = topology.nodes.iter().map(|_| graph.add_node(())).collect();
    for link in &topology.links {
        let [a, b] = link.ends.map(|end| nodes[end]);
        let nanos = u64::try_from(link.spec.delay.as_nanos()).unwrap_or(u64::MAX);
        graph.add_edge(a, b, LINK + nanos.min(LINK >> 8));
    }
    let cost = dijkstra(&graph, nodes[producer], None, |edge| *edge.weight());
    let split = |cost: &u64| {
        let links = u32::try_from(cost / LINK).unwrap_or(u32::MAX);
        (links, Duration::from_nanos(cost % LINK))
    };
    nodes.iter().map(|node| cost.get(node).map(split)).collect()
}
