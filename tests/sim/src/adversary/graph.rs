//! Small graphs, and all of them.

use std::collections::VecDeque;

/// An undirected graph without parallel links; its nodes are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Graph {
    nodes: usize,
    links: Vec<[usize; 2]>,
}

impl Graph {
    /// Of so many nodes. Loops and repeated links are left out.
    #[must_use]
    pub fn new(nodes: usize, pairs: impl IntoIterator<Item = [usize; 2]>) -> Self {
        let mut links: Vec<[usize; 2]> = Vec::new();
        for [a, b] in pairs {
            let link = [a.min(b), a.max(b)];
            if a != b && link[1] < nodes && !links.contains(&link) {
                links.push(link);
            }
        }
        Self { nodes, links }
    }

    /// Number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.nodes
    }

    /// The links, by their ends.
    #[must_use]
    pub fn links(&self) -> &[[usize; 2]] {
        &self.links
    }

    /// The links of a node in order: (link, neighbour). The place in this list is the node's own number
    /// of the link.
    pub fn links_of(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let other = move |[a, b]: [usize; 2]| match node {
            _ if a == node => Some(b),
            _ if b == node => Some(a),
            _ => None,
        };
        let links = self.links.iter().enumerate();
        links.filter_map(move |(link, ends)| Some((link, other(*ends)?)))
    }

    /// Distances to `from` over the links that are `up`, without touching `removed`.
    #[must_use]
    pub fn distances(
        &self,
        from: usize,
        removed: Option<usize>,
        up: impl Fn(usize) -> bool,
    ) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.nodes];
        distance[from] = Some(0);
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((at, so_far)) = queue.pop_front() {
            for (link, peer) in self.links_of(at) {
                if up(link) && Some(peer) != removed && distance[peer].is_none() {
                    distance[peer] = Some(so_far + 1);
                    queue.push_back((peer, so_far + 1));
                }
            }
        }
        distance
    }

    /// What a link-state protocol tells a node: per link of it the distance to `producer` through that
    /// link, the node itself removed.
    #[must_use]
    pub fn routes(
        &self,
        node: usize,
        producer: usize,
        up: impl Fn(usize) -> bool,
    ) -> Vec<Option<u32>> {
        if node == producer {
            return self.links_of(node).map(|_| None).collect();
        }
        let distance = self.distances(producer, Some(node), &up);
        self.links_of(node)
            .map(|(link, peer)| Some(distance[peer]? + 1).filter(|_| up(link)))
            .collect()
    }

    fn is_connected(&self) -> bool {
        self.distances(0, None, |_| true)
            .iter()
            .all(Option::is_some)
    }

    /// The same graph with its nodes renamed.
    fn renamed(&self, names: &[usize]) -> Self {
        let mut links: Vec<[usize; 2]> = self
            .links
            .iter()
            .map(|[a, b]| [names[*a].min(names[*b]), names[*a].max(names[*b])])
            .collect();
        links.sort_unstable();
        Self {
            nodes: self.nodes,
            links,
        }
    }
}

/// All connected graphs of so many nodes with a producer at node 0 and two consumers at other nodes (or
/// both at the same one), each once up to renaming.
#[must_use]
pub fn rooted_graphs(nodes: usize) -> Vec<(Graph, [usize; 2])> {
    let pairs: Vec<[usize; 2]> = (0..nodes)
        .flat_map(|a| (a + 1..nodes).map(move |b| [a, b]))
        .collect();
    let names = permutations(nodes);
    let mut found = Vec::new();
    for mask in 0_u32..1 << pairs.len() {
        let chosen = pairs.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
        let graph = Graph::new(nodes, chosen.map(|(_, pair)| *pair));
        if !graph.is_connected() {
            continue;
        }
        for a in 1..nodes {
            for b in a..nodes {
                let least = names.iter().map(|names| {
                    let [a, b] = [names[a], names[b]];
                    (graph.renamed(names), [a.min(b), a.max(b)])
                });
                let least = least.min().unwrap_or_else(|| (graph.clone(), [a, b]));
                if !found.contains(&least) {
                    found.push(least);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// All renamings that leave node 0 alone.
fn permutations(nodes: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for next in 1..nodes {
        all = all
            .iter()
            .flat_map(|names| {
                (1..=next).map(move |place| {
                    let mut longer = names.clone();
                    longer.insert(place, next);
                    longer
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Connected graphs with a root, without and with an unordered pair of consumers: 1, 3, 11 rooted
    /// ones exist on 2, 3, 4 nodes.
    #[test]
    fn every_small_graph_is_there_once() {
        assert_eq!(permutations(4).len(), 6);
        assert_eq!(rooted_graphs(2).len(), 1);
        for (nodes, rooted) in [(2, 1), (3, 3), (4, 11)] {
            let mut graphs: Vec<Graph> = rooted_graphs(nodes).into_iter().map(|(g, _)| g).collect();
            let names = permutations(nodes);
            for graph in &mut graphs {
                let least = names.iter().map(|names| graph.renamed(names)).min();
                *graph = least.unwrap();
            }
            graphs.sort_unstable();
            graphs.dedup();
            assert_eq!(graphs.len(), rooted, "{nodes} nodes");
        }
    }

    #[test]
    fn routes_leave_the_node_itself_out() {
        let ring = Graph::new(4, [[0, 1], [1, 2], [2, 3], [3, 0]]);
        assert_eq!(ring.routes(1, 0, |_| true), [Some(1), Some(3)]);
        assert_eq!(ring.routes(2, 0, |_| true), [Some(2), Some(2)]);
        assert_eq!(ring.routes(1, 0, |link| link != 0), [None, Some(3)]);
        assert_eq!(ring.routes(0, 0, |_| true), [None, None]);
    }
}
