//! The claims of the rank order, looked at from outside after every step.

use std::rc::Rc;

use mars_wire::Rank;

use super::node::{Edge, View};
use crate::invariant::ForwardingGraph;

/// Which claims are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// All that holds while the rank order is enforced.
    All,
    /// Only that there is no cycle.
    Cycles,
    /// None.
    None,
}

/// A claim that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Valid edges lead from these nodes round to the first.
    Cycle(Vec<usize>),
    /// The upstream is valid though what was learnt of it is not closer than the node's own rank.
    Disorder {
        /// The downstream.
        node: usize,
        /// The upstream.
        upstream: usize,
        /// What was learnt of the upstream.
        learnt: Rank,
        /// The downstream's own rank.
        own: Option<Rank>,
    },
    /// The upstream is farther from the producer than the downstream, whose valid upstream it is, believes.
    Overtaken {
        /// The downstream.
        node: usize,
        /// The upstream.
        upstream: usize,
        /// What was learnt of the upstream.
        learnt: Rank,
        /// What is true.
        is: Rank,
    },
    /// A node moved away from the producer.
    Rose {
        /// The node.
        node: usize,
        /// Before.
        from: Rank,
        /// After.
        to: Rank,
    },
}

/// Looks at nodes after every step.
#[derive(Clone, Debug)]
pub struct Judge {
    claims: Claims,
    views: Vec<Rc<View>>,
    /// Per node its neighbours by link.
    peers: Rc<Vec<Vec<usize>>>,
    graph: ForwardingGraph,
    /// Edges that became valid.
    found: u64,
}

impl Judge {
    /// Over nodes with these neighbours, by link.
    #[must_use]
    pub fn new(claims: Claims, peers: Vec<Vec<usize>>) -> Self {
        let nodes = peers.len();
        Self {
            claims,
            views: vec![Rc::default(); nodes],
            peers: Rc::new(peers),
            graph: ForwardingGraph::new(nodes),
            found: 0,
        }
    }

    /// What a node believed when last looked at.
    #[must_use]
    pub fn view(&self, node: usize) -> &View {
        &self.views[node]
    }

    /// The upstreams of a node.
    #[must_use]
    pub fn upstreams(&self, node: usize) -> &[usize] {
        self.graph.upstreams(node)
    }

    /// Edges that became valid so far: tells that nodes did talk.
    #[must_use]
    pub const fn found(&self) -> u64 {
        self.found
    }

    /// Looks at what a node believes now.
    ///
    /// # Errors
    /// The first claim that does not hold.
    pub fn look(&mut self, node: usize, view: View) -> Result<(), Violation> {
        if *self.views[node] == view {
            return Ok(());
        }
        let known = |edge: &&Edge| {
            !self.views[node]
                .valid
                .iter()
                .any(|old| old.link == edge.link)
        };
        self.found += view.valid.iter().filter(known).count() as u64;
        let before = std::mem::replace(&mut self.views[node], Rc::new(view));
        if self.claims == Claims::None {
            return Ok(());
        }
        if self.claims == Claims::All {
            self.rank_fell(node, before.rank)?;
            for below in 0..self.views.len() {
                self.edges_in_order(below, (below != node).then_some(node))?;
            }
        }
        let view = &self.views[node];
        let peers = &self.peers[node];
        let mut upstreams: Vec<usize> = view
            .valid
            .iter()
            .map(|edge| peers[edge.link])
            .filter(|at| !view.lies && !self.views[*at].lies)
            .collect();
        upstreams.sort_unstable();
        match self.graph.set(node, &upstreams) {
            Some(cycle) => Err(Violation::Cycle(cycle)),
            None => Ok(()),
        }
    }

    /// A node lost its memory with a restart: its next rank need not be closer than the last.
    pub fn forget(&mut self, node: usize) {
        self.views[node] = Rc::default();
        let _ = self.graph.set(node, &[]);
    }

    /// Ranks only ever move closer; a rank that is gone was forgotten in due time, or too early: then
    /// some neighbour still believes in it.
    fn rank_fell(&self, node: usize, before: Option<Rank>) -> Result<(), Violation> {
        match (before, self.views[node].rank) {
            (Some(from), Some(to)) if from.closer_than(to) && !self.views[node].lies => {
                Err(Violation::Rose { node, from, to })
            }
            _ => Ok(()),
        }
    }

    /// Each valid edge of a node (those to `only`, if said) leads strictly closer, as far as the node
    /// knows and in truth.
    fn edges_in_order(&self, node: usize, only: Option<usize>) -> Result<(), Violation> {
        let view = &self.views[node];
        if view.lies {
            return Ok(());
        }
        for edge in &view.valid {
            let upstream = self.peers[node][edge.link];
            let Some(learnt) = edge.learnt else {
                continue;
            };
            if only.is_some_and(|only| only != upstream) {
                continue;
            }
            let own = view.rank;
            if !own.is_some_and(|own| learnt.closer_than(own)) {
                return Err(Violation::Disorder {
                    node,
                    upstream,
                    learnt,
                    own,
                });
            }
            let other = &self.views[upstream];
            if let Some(is) = other
                .rank
                .filter(|is| learnt.closer_than(*is) && !other.lies)
            {
                return Err(Violation::Overtaken {
                    node,
                    upstream,
                    learnt,
                    is,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mars_wire::Label;

    use super::*;

    fn rank(generation: u32, hops: u64) -> Rank {
        Rank {
            generation,
            label: Label::from_bits(hops << 32),
        }
    }

    fn view(own: Rank, valid: &[(usize, Rank)]) -> View {
        let edge = |(link, learnt): &(usize, Rank)| Edge {
            link: *link,
            learnt: Some(*learnt),
        };
        View {
            lies: false,
            rank: Some(own),
            valid: valid.iter().map(edge).collect(),
        }
    }

    fn pair(claims: Claims) -> Judge {
        Judge::new(claims, vec![vec![1], vec![0]])
    }

    #[test]
    fn each_claim_is_judged() {
        let mut judge = pair(Claims::All);
        assert_eq!(judge.look(0, view(rank(1, 3), &[])), Ok(()));
        assert_eq!(judge.look(1, view(rank(1, 4), &[(0, rank(1, 3))])), Ok(()));
        assert_eq!(judge.look(0, view(rank(1, 2), &[])), Ok(()));
        let rose = judge.look(0, view(rank(0, 1), &[]));
        assert!(matches!(rose, Err(Violation::Rose { node: 0, .. })));

        let mut judge = pair(Claims::All);
        let equal = judge.look(1, view(rank(1, 3), &[(0, rank(1, 3))]));
        assert!(matches!(
            equal,
            Err(Violation::Disorder {
                node: 1,
                upstream: 0,
                ..
            })
        ));

        let mut judge = pair(Claims::All);
        assert_eq!(judge.look(1, view(rank(1, 4), &[(0, rank(1, 3))])), Ok(()));
        judge.forget(0);
        let forgot = judge.look(0, view(rank(1, 9), &[]));
        assert!(matches!(
            forgot,
            Err(Violation::Overtaken {
                node: 1,
                upstream: 0,
                ..
            })
        ));
    }

    #[test]
    fn a_cycle_is_found_even_where_nothing_else_is_looked_at() {
        let mut judge = pair(Claims::Cycles);
        assert_eq!(judge.look(0, view(rank(0, 1), &[(0, rank(0, 1))])), Ok(()));
        let closed = judge.look(1, view(rank(0, 1), &[(0, rank(0, 1))]));
        assert_eq!(closed, Err(Violation::Cycle(vec![1, 0])));
    }

    #[test]
    fn edges_of_liars_are_nobodys_business() {
        let mut judge = pair(Claims::All);
        let liar = View {
            lies: true,
            ..view(rank(0, 1), &[(0, rank(0, 9))])
        };
        assert_eq!(judge.look(0, liar), Ok(()));
        assert_eq!(judge.look(1, view(rank(0, 2), &[(0, rank(0, 0))])), Ok(()));
    }
}
