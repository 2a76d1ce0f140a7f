//! Graphs and schedules for `proptest`. Everything shrinks towards a line of two nodes and a schedule
//! without steps.

use mars_forwarder_core::{Config, RankRule, Theta};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

use super::graph::Graph;
use super::judge::{Claims, Violation};
use super::node::{App, Node, Setup};
use super::world::{Step, World};

/// A world and what the adversary does to it.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Node 0 produces.
    pub graph: Graph,
    /// Hop threshold.
    pub theta: Theta,
    /// How long a face stays valid without Data.
    pub path_lifetime: Duration,
    /// Where consumers are, and how much each fetches.
    pub consumers: Vec<(usize, u64)>,
    /// What happens.
    pub steps: Vec<Step>,
}

impl Attack {
    /// What the nodes are started with.
    #[must_use]
    pub fn setups(&self, rule: RankRule) -> Vec<Setup> {
        let setup = |node| {
            let mut config = Config::new(node as u64 + 1);
            config.theta = self.theta;
            config.rank_rule = rule;
            config.path_lifetime = self.path_lifetime;
            let here = self.consumers.iter().filter(|(at, _)| *at == node);
            Setup {
                node,
                links: self.graph.links_of(node).count(),
                config,
                produces: node == 0,
                lies: None,
                apps: here
                    .map(|(_, segments)| App::Consumer {
                        segments: *segments,
                    })
                    .collect(),
            }
        };
        (0..self.graph.nodes()).map(setup).collect()
    }

    /// Runs it.
    ///
    /// # Errors
    /// The first claim that did not hold, and the number of the step after which it did not.
    pub fn run<N: Node>(
        &self,
        rule: RankRule,
        claims: Claims,
    ) -> Result<World<N>, (usize, Violation)> {
        let mut world = World::new(self.graph.clone(), self.setups(rule), claims);
        world.max_late = self.path_lifetime;
        world.max_age = self.path_lifetime;
        for (number, step) in self.steps.iter().enumerate() {
            world.step(*step).map_err(|violation| (number, violation))?;
        }
        Ok(world)
    }
}

/// Connected graphs of 2 to `max` nodes: a tree, and as many further links at most.
pub fn graphs(max: usize) -> impl Strategy<Value = Graph> {
    (
        vec(any::<prop::sample::Index>(), 1..max),
        vec((0..max, 0..max), 0..=max),
    )
        .prop_map(|(parents, extra)| {
            let nodes = parents.len() + 1;
            let tree = (1..)
                .zip(&parents)
                .map(|(node, parent)| [parent.index(node), node]);
            let extra = extra.iter().map(|(a, b)| [a % nodes, b % nodes]);
            Graph::new(nodes, tree.chain(extra))
        })
}

/// Hop thresholds from the shortest tier alone to nearly everything.
pub fn thetas() -> impl Strategy<Value = Theta> {
    let theta = |(numerator, denominator)| Theta {
        numerator,
        denominator,
    };
    prop::sample::select(vec![(1, 1), (3, 2), (2, 1), (4, 1)]).prop_map(theta)
}

/// What a network may do to frames.
pub fn deliveries() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => Just(Step::Deliver(0)),
        6 => (1..12_u8).prop_map(Step::Run),
        40 => any::<u16>().prop_map(Step::Deliver),
        3 => any::<u16>().prop_map(Step::Duplicate),
        3 => any::<u16>().prop_map(Step::Drop),
        8 => Just(Step::Wake),
        1 => any::<u16>().prop_map(Step::Tick),
        1 => prop::sample::select(vec![1, 20, 300]).prop_map(Step::Sleep),
        2 => (any::<u16>(), any::<u16>()).prop_map(|(node, choice)| Step::Act(node, choice)),
    ]
}

/// What a network and its hosts may do as long as they tell the truth.
pub fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => deliveries(),
        1 => prop::sample::select(vec![1_100, 6_000, 31_000, 61_000]).prop_map(Step::Sleep),
        1 => any::<u16>().prop_map(Step::Flap),
        1 => (any::<u16>(), 0..50_u16).prop_map(|(node, choice)| Step::Reroute(node, choice)),
        1 => (any::<u16>(), any::<bool>()).prop_map(|(node, there)| Step::Produce(node, there)),
        1 => any::<u16>().prop_map(Step::Restart),
    ]
}

/// A whole schedule: frames alone, or everything.
pub fn schedules(length: usize) -> impl Strategy<Value = Vec<Step>> {
    prop_oneof![vec(deliveries(), 0..=length), vec(steps(), 0..=length)]
}

/// Attacks on up to `nodes` nodes in up to `length` steps.
pub fn attacks(nodes: usize, length: usize) -> impl Strategy<Value = Attack> {
    let consumers = vec(
        (
            any::<prop::sample::Index>(),
            prop::sample::select(vec![0, 0, 6]),
        ),
        1..=4,
    );
    let lifetime = prop::sample::select(vec![30_000, 500, 3_000]).prop_map(Duration::from_millis);
    (
        graphs(nodes),
        thetas(),
        lifetime,
        consumers,
        vec(steps(), 0..=length),
    )
        .prop_map(|(graph, theta, path_lifetime, consumers, steps)| Attack {
            consumers: consumers
                .into_iter()
                .map(|(at, segments)| (at.index(graph.nodes()), segments))
                .collect(),
            graph,
            theta,
            path_lifetime,
            steps,
        })
}
