//! Tunnels through a core of plain routers: one per access link of a server and client, or one
//! alone along the shortest path.

use crate::plan::{Deploy, Plan};
use crate::routing::distances;
use crate::topology::{Port, Topology};

/// A way from a consumer's node to a producer's node and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tunnel {
    /// The producer that it leads to.
    pub(crate) producer: usize,
    number: u32,
    /// Nodes on the way, with the port that leads on and the port that leads back.
    way: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    node: usize,
    on: Option<usize>,
    back: Option<usize>,
}

/// One end of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) port: usize,
    pub(crate) leaving: u32,
    pub(crate) arriving: u32,
}

impl Tunnel {
    /// Links on the way.
    pub(crate) fn hops(&self) -> u32 {
        u32::try_from(self.way.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub(crate) fn starts_at(&self, node: usize) -> bool {
        self.way.first().is_some_and(|step| step.node == node)
    }

    /// The end at `node`, if one is there.
    pub(crate) fn at_end(&self, node: usize) -> Option<End> {
        let (forth, back) = (self.number * 2, self.number * 2 + 1);
        let (first, last) = (self.way.first()?, self.way.last()?);
        if first.node == node {
            Some(End {
                port: first.on?,
                leaving: forth,
                arriving: back,
            })
        } else if last.node == node {
            Some(End {
                port: last.back?,
                leaving: back,
                arriving: forth,
            })
        } else {
            None
        }
    }

    /// What a router at `node` does: tunnels and the ports where they go on.
    pub(crate) fn through(&self, node: usize) -> Vec<(u32, usize)> {
        let inner = self.way.iter().filter(|step| step.node == node);
        inner
            .filter_map(|step| {
                let (on, back) = (step.on?, step.back?);
                Some([(self.number * 2, on), (self.number * 2 + 1, back)])
            })
            .flatten()
            .collect()
    }
}

/// The tunnels that a plan needs.
pub(crate) fn tunnels(plan: &Plan, ports: &[Vec<Port>]) -> Vec<Tunnel> {
    let mut tunnels = Vec::new();
    if plan.deploy == Deploy::Full {
        return tunnels;
    }
    for flow in &plan.flows {
        let producer = plan.producers[flow.producer].node;
        let mut ways: Vec<Vec<Step>> = (0..ports[flow.node].len())
            .filter_map(|port| way(&plan.topology, ports, flow.node, port, producer))
            .collect();
        if plan.deploy == Deploy::Endpoint {
            // The first of the shortest: a stable sort keeps port order.
            ways.sort_by_key(Vec::len);
            ways.truncate(1);
        }
        for way in ways {
            tunnels.push(Tunnel {
                producer: flow.producer,
                number: u32::try_from(tunnels.len()).unwrap_or(u32::MAX),
                way,
            });
        }
    }
    tunnels
}

/// The shortest way over a port, never back through the node itself.
fn way(
    topology: &Topology,
    ports: &[Vec<Port>],
    from: usize,
    first: usize,
    to: usize,
) -> Option<Vec<Step>> {
    let distance = distances(topology, to, Some(from));
    let mut way = Vec::new();
    let (mut node, mut on, mut back) = (from, first, None);
    loop {
        way.push(Step {
            node,
            on: Some(on),
            back,
        });
        let Port { link, peer } = *ports[node].get(on)?;
        let left = distance[peer]?;
        back = ports[peer].iter().position(|port| port.link == link);
        node = peer;
        if left == 0 {
            break;
        }
        on = ports[node]
            .iter()
            .position(|port| distance[port.peer] == Some(left - 1))?;
    }
    way.push(Step {
        node,
        on: None,
        back,
    });
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Role, plain_link};

    #[test]
    fn a_way_follows_the_shortest_path_behind_its_first_link() {
        // s - a - c, s - b - a.
        let mut t = Topology::default();
        for name in ["s", "a", "b", "c"] {
            t.add_node(name, Role::Core, true);
        }
        for (x, y) in [(0, 1), (1, 3), (0, 2), (2, 1)] {
            t.add_link(x, y, plain_link());
        }
        let ports = t.ports();
        let nodes = |first| -> Vec<usize> {
            let way = way(&t, &ports, 0, first, 3).unwrap();
            way.iter().map(|step| step.node).collect()
        };
        assert_eq!(nodes(0), [0, 1, 3]);
        assert_eq!(nodes(1), [0, 2, 1, 3]);
        let tunnel = Tunnel {
            producer: 0,
            number: 4,
            way: way(&t, &ports, 0, 1, 3).unwrap(),
        };
        assert_eq!(tunnel.hops(), 3);
        assert_eq!(tunnel.through(1), [(8, 1), (9, 2)], "on to c, back to b");
        assert_eq!(
            tunnel.at_end(3),
            Some(End {
                port: 0,
                leaving: 9,
                arriving: 8
            })
        );
        assert_eq!(
            tunnel.at_end(0),
            Some(End {
                port: 1,
                leaving: 8,
                arriving: 9
            })
        );
        assert_eq!(tunnel.at_end(2), None);
    }
}
