//! Edge-disjoint paths through directed graphs of unit capacity: maximum flow, and its paths.

use std::collections::VecDeque;

use petgraph::algo::ford_fulkerson;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef as _;

/// A directed graph: per node where its arcs lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arcs {
    from: Vec<Vec<usize>>,
}

impl Arcs {
    /// Of `nodes` nodes, with these arcs.
    #[must_use]
    pub fn new(nodes: usize, arcs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut from = vec![Vec::new(); nodes];
        for (tail, head) in arcs {
            from[tail].push(head);
        }
        Self { from }
    }

    /// All arcs, by tail.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let tails = self.from.iter().enumerate();
        tails.flat_map(|(tail, heads)| heads.iter().map(move |head| (tail, *head)))
    }

    /// As many paths as there can be that share no link, an arc and its reverse being one link.
    /// They are those of one maximum flow, shortest first: each without a detour within that flow,
    /// but another flow of the same size may have shorter ones.
    #[must_use]
    pub fn disjoint_paths(&self, source: usize, sink: usize) -> Vec<Vec<usize>> {
        let mut flow = self.max_flow(source, sink);
        let mut paths: Vec<Vec<usize>> = Vec::new();
        while let Some(path) = flow.shortest_path(source, sink) {
            for step in path.windows(2) {
                flow.remove(step[0], step[1]);
            }
            paths.push(path);
        }
        paths
    }

    /// The arcs of a maximum flow, none of them beside its reverse.
    fn max_flow(&self, source: usize, sink: usize) -> Self {
        let mut graph = DiGraph::<(), u32>::new();
        let nodes: Vec<NodeIndex> = self.from.iter().map(|_| graph.add_node(())).collect();
        for (tail, head) in self.iter() {
            graph.add_edge(nodes[tail], nodes[head], 1);
        }
        let (_, flows) = ford_fulkerson(&graph, nodes[source], nodes[sink]);
        let used = graph
            .edge_references()
            .filter(|edge| flows[edge.id().index()] > 0)
            .map(|edge| (edge.source().index(), edge.target().index()));
        let mut flow = Self::new(nodes.len(), used);
        for (tail, head) in flow.clone().iter() {
            if flow.from[tail].contains(&head) && flow.from[head].contains(&tail) {
                flow.remove(tail, head);
                flow.remove(head, tail);
            }
        }
        flow
    }

    fn remove(&mut self, tail: usize, head: usize) {
        self.from[tail].retain(|other| *other != head);
    }

    fn shortest_path(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut before = vec![None; self.from.len()];
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            if node == sink {
                let mut path = vec![sink];
                while let Some(previous) = path.last().and_then(|at| before[*at]) {
                    path.push(previous);
                }
                path.reverse();
                return Some(path);
            }
            for next in &self.from[node] {
                if *next != source && before[*next].is_none() {
                    before[*next] = Some(node);
                    queue.push_back(*next);
                }
            }
        }
        None
    }

    /// Different paths from `source` to `sink`, saturating; the graph has to be free of cycles.
    #[must_use]
    pub fn count_paths(&self, source: usize, sink: usize) -> u64 {
        let mut known = vec![None; self.from.len()];
        known[sink] = Some(1);
        self.count_from(source, &mut known)
    }

    fn count_from(&self, node: usize, known: &mut [Option<u64>]) -> u64 {
        if let Some(count) = known[node] {
            return count;
        }
        // Should there be a cycle after all, it is not gone round for ever.
        known[node] = Some(0);
        let count = self.from[node].iter().fold(0u64, |sum, next| {
            sum.saturating_add(self.count_from(*next, known))
        });
        known[node] = Some(count);
        count
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lengths(arcs: &Arcs, source: usize, sink: usize) -> Vec<usize> {
        let paths = arcs.disjoint_paths(source, sink);
        let mut links = BTreeSet::new();
        for path in &paths {
            assert_eq!((path[0], path[path.len() - 1]), (source, sink));
            for step in path.windows(2) {
                let (tail, head) = (step[0], step[1]);
                assert!(arcs.from[tail].contains(&head), "{path:?}");
                let link = (tail.min(head), tail.max(head));
                assert!(links.insert(link), "{link:?} twice in {paths:?}");
            }
        }
        paths.iter().map(|path| path.len() - 1).collect()
    }

    fn both(links: &[(usize, usize)]) -> Vec<(usize, usize)> {
        links
            .iter()
            .flat_map(|(a, b)| [(*a, *b), (*b, *a)])
            .collect()
    }

    #[test]
    fn a_flow_takes_back_a_choice_that_blocks() {
        // The one shortest path 0-1-4-5 crosses both of the two disjoint ones.
        let arcs = Arcs::new(6, [(0, 1), (1, 4), (4, 5), (0, 3), (3, 4), (1, 2), (2, 5)]);
        assert_eq!(lengths(&arcs, 0, 5), [3, 3]);
        assert_eq!(arcs.count_paths(0, 5), 3);
    }

    #[test]
    fn a_link_counts_once_whatever_its_direction() {
        // A ladder of two rungs, and a bridge.
        let ladder = Arcs::new(
            6,
            both(&[
                (0, 1),
                (0, 2),
                (1, 2),
                (1, 3),
                (2, 4),
                (3, 4),
                (3, 5),
                (4, 5),
            ]),
        );
        assert_eq!(lengths(&ladder, 0, 5), [3, 3]);
        // The one short path crosses 1-2, the way around both would come back over it.
        let links = [
            (0, 1),
            (1, 2),
            (2, 7),
            (0, 3),
            (3, 4),
            (4, 2),
            (1, 5),
            (5, 6),
            (6, 7),
        ];
        let crossed = Arcs::new(8, both(&links));
        assert_eq!(lengths(&crossed, 0, 7), [4, 4]);
        let bridge = Arcs::new(4, both(&[(0, 1), (1, 2), (2, 3)]));
        assert_eq!(lengths(&bridge, 0, 3), [3]);
        assert_eq!(lengths(&bridge, 3, 1), [2]);
    }

    #[test]
    fn the_shortest_path_of_a_flow_comes_first() {
        // Both paths meet in 3: the short way to it goes with the short way on.
        let arcs = Arcs::new(
            7,
            [
                (0, 1),
                (1, 3),
                (0, 2),
                (2, 4),
                (4, 3),
                (3, 5),
                (3, 6),
                (6, 5),
            ],
        );
        assert_eq!(lengths(&arcs, 0, 5), [3, 5]);
    }

    #[test]
    fn no_path_is_no_path() {
        let arcs = Arcs::new(3, [(1, 0), (1, 2)]);
        assert_eq!(lengths(&arcs, 0, 2), [0; 0]);
        assert_eq!(arcs.count_paths(0, 2), 0);
    }
}
