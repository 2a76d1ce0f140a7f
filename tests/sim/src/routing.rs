//! Routes as a link-state protocol with multipath gives them (NLSR): for a prefix every neighbour
//! that leads to its producer, with the distance through that neighbour, the node itself removed.

use std::collections::VecDeque;

use crate::topology::Topology;

/// One next hop of a prefix at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// The port of the node.
    pub port: usize,
    /// Links to the producer through it.
    pub hops: u32,
}

/// Per node the next hops to `producer`, in port order. A neighbour that does not lead to it
/// without the node itself is left out; nodes without transit are never on the way of others.
#[must_use]
pub fn next_hops(topology: &Topology, producer: usize) -> Vec<Vec<NextHop>> {
    let ports = topology.ports();
    (0..topology.nodes.len())
        .map(|node| {
            if node == producer {
                return Vec::new();
            }
            let distance = distances(topology, producer, Some(node));
            ports[node]
                .iter()
                .enumerate()
                .filter(|(_, port)| port.peer == producer || topology.nodes[port.peer].transit)
                .filter_map(|(port, at)| {
                    let hops = distance[at.peer]? + 1;
                    Some(NextHop { port, hops })
                })
                .collect()
        })
        .collect()
}

/// Per node its distance to `from` in links, without ever touching `removed`.
#[must_use]
pub fn distances(topology: &Topology, from: usize, removed: Option<usize>) -> Vec<Option<u32>> {
    let ports = topology.ports();
    let mut distance = vec![None; topology.nodes.len()];
    distance[from] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((node, so_far)) = queue.pop_front() {
        if node != from && !topology.nodes[node].transit {
            continue;
        }
        for port in &ports[node] {
            if Some(port.peer) != removed && distance[port.peer].is_none() {
                distance[port.peer] = Some(so_far + 1);
                queue.push_back((port.peer, so_far + 1));
            }
        }
    }
    distance
}

/// The routes that plain shortest-path routing with equal-cost multipath exposes: the different
/// shortest paths from `node` to the producer whose next hops are given.
#[must_use]
pub fn equal_cost_paths(topology: &Topology, hops: &[Vec<NextHop>], node: usize) -> u64 {
    let ports = topology.ports();
    let Some(least) = hops[node].iter().map(|hop| hop.hops).min() else {
        return 1;
    };
    hops[node]
        .iter()
        .filter(|hop| hop.hops == least)
        .map(|hop| {
            let peer = ports[node][hop.port].peer;
            if hop.hops == 1 {
                1
            } else {
                equal_cost_paths(topology, hops, peer)
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Role, plain_link};

    /// `a - b - c - p` with a shortcut `a - c`, and a host `h` on `b`.
    fn sample() -> Topology {
        let mut t = Topology::default();
        for name in ["a", "b", "c", "p", "h"] {
            t.add_node(name, Role::Core, name != "h");
        }
        for (a, b) in [(0, 1), (1, 2), (2, 3), (0, 2), (1, 4)] {
            t.add_link(a, b, plain_link());
        }
        t
    }

    fn table(hops: &[NextHop]) -> Vec<(usize, u32)> {
        hops.iter().map(|hop| (hop.port, hop.hops)).collect()
    }

    #[test]
    fn a_neighbour_counts_without_the_node_itself() {
        let hops = next_hops(&sample(), 3);
        assert_eq!(table(&hops[0]), [(0, 3), (1, 2)], "a: over b 3, over c 2");
        assert_eq!(
            table(&hops[1]),
            [(0, 3), (1, 2)],
            "b: over a 3, over c 2, never over the host"
        );
        assert_eq!(
            table(&hops[2]),
            [(1, 1)],
            "c: a and b lead nowhere without c itself"
        );
        assert_eq!(table(&hops[3]), []);
        assert_eq!(table(&hops[4]), [(0, 3)]);
    }

    #[test]
    fn a_host_is_on_nobodys_way() {
        // s - x - p and s - h - p: h is a host.
        let mut t = Topology::default();
        for name in ["s", "x", "h", "p"] {
            t.add_node(name, Role::Core, name != "h");
        }
        for (a, b) in [(0, 1), (1, 3), (0, 2), (2, 3)] {
            t.add_link(a, b, plain_link());
        }
        assert_eq!(table(&next_hops(&t, 3)[0]), [(0, 2)]);
        t.nodes[2].transit = true;
        assert_eq!(table(&next_hops(&t, 3)[0]), [(0, 2), (1, 2)]);
        assert_eq!(equal_cost_paths(&t, &next_hops(&t, 3), 0), 2);
    }

    #[test]
    fn the_unreachable_has_no_route() {
        let mut t = sample();
        let island = t.add_node("i", Role::Core, true);
        let hops = next_hops(&t, island);
        assert!(hops.iter().all(Vec::is_empty));
        assert_eq!(equal_cost_paths(&t, &next_hops(&t, 3), 0), 1);
    }
}
