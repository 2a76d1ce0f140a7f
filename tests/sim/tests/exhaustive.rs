//! All interleavings on all small graphs: machines are values, so the walk clones and branches, and
//! never walks twice through the same state.
//!
//! Covered are all connected graphs of up to four nodes with a producer and two consumers, once up to
//! renaming. Every order in which frames can arrive is tried, and beside that one loss, or one copy, or
//! one step of the clock at any moment, as each test says. All links are within theta.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use mars_forwarder_core::{Config, RankRule, Theta};
use mars_sim::adversary::{
    App, Budget, Claims, Coverage, Graph, MarsNode, Setup, Violation, World, explore, rooted_graphs,
};

/// One graph with its producer at node 0 and two consumers that send so many probes each.
fn world(graph: &Graph, consumers: [usize; 2], probes: u8, rule: RankRule) -> World<MarsNode> {
    let setup = |node| {
        let mut config = Config::new(node as u64 + 1);
        // All links take part wherever the producer is.
        config.theta = Theta {
            numerator: 4,
            denominator: 1,
        };
        config.rank_rule = rule;
        let here = consumers.iter().filter(|at| **at == node);
        Setup {
            node,
            links: graph.links_of(node).count(),
            config,
            produces: node == 0,
            apps: here.map(|_| App::Prober { probes }).collect(),
            lies: None,
        }
    };
    let setups = (0..graph.nodes()).map(setup).collect();
    let claims = if rule == RankRule::Off {
        Claims::Cycles
    } else {
        Claims::All
    };
    World::new(graph.clone(), setups, claims)
}

fn walk(nodes: usize, probes: u8, budget: Budget) -> Coverage {
    let mut all = Coverage {
        complete: true,
        ..Coverage::default()
    };
    for (graph, consumers) in rooted_graphs(nodes) {
        match explore(world(&graph, consumers, probes, RankRule::Enforced), budget) {
            Ok(coverage) => {
                println!(
                    "{:?} consumers {consumers:?}, {probes} probes each: {coverage:?}",
                    graph.links()
                );
                all.add(coverage);
            }
            Err((steps, violation)) => {
                panic!("{violation:?} on {graph:?} {consumers:?} after {steps:?}")
            }
        }
    }
    println!("all of {nodes} nodes, {probes} probes each, {budget:?}: {all:?}");
    all
}

/// Each frame once, in any order. A walk that is cut short fails its test.
const PLAIN: Budget = Budget {
    drops: 0,
    duplicates: 0,
    wakes: 0,
    states: 5_000_000,
};

fn walk_whole(nodes: usize, probes: u8, budget: Budget) {
    let all = walk(nodes, probes, budget);
    assert!(all.complete, "{all:?}");
    assert!(all.ends > 0 && all.transitions >= all.states, "{all:?}");
}

#[test]
fn one_probe_each_in_any_order() {
    for nodes in 2..=4 {
        walk_whole(nodes, 1, PLAIN);
    }
}

#[test]
fn one_probe_each_and_one_loss() {
    for nodes in 2..=3 {
        walk_whole(nodes, 1, Budget { drops: 1, ..PLAIN });
    }
}

#[test]
fn one_probe_each_and_one_copy() {
    for nodes in 2..=3 {
        walk_whole(
            nodes,
            1,
            Budget {
                duplicates: 1,
                ..PLAIN
            },
        );
    }
}

#[test]
fn one_probe_each_and_one_early_silence() {
    for nodes in 2..=3 {
        walk_whole(nodes, 1, Budget { wakes: 1, ..PLAIN });
    }
}

/// `cargo test --release -p mars-sim --test exhaustive -- --ignored --nocapture`
#[test]
#[ignore = "many minutes"]
fn two_probes_each_and_all_faults() {
    for budget in [
        Budget { drops: 1, ..PLAIN },
        Budget {
            duplicates: 1,
            ..PLAIN
        },
        Budget { wakes: 1, ..PLAIN },
    ] {
        walk_whole(4, 1, budget);
    }
    walk_whole(
        3,
        1,
        Budget {
            drops: 1,
            duplicates: 1,
            wakes: 1,
            ..PLAIN
        },
    );
    walk_whole(3, 2, PLAIN);
}

/// Two neighbours of the producer that are neighbours of each other, each with a consumer: without the
/// rank order each becomes the other's upstream. With it, nothing of the kind on the same walk.
#[test]
fn the_walk_finds_the_loop_of_the_bare_rules() {
    let triangle = Graph::new(3, [[0, 1], [0, 2], [1, 2]]);
    let (steps, violation) =
        explore(world(&triangle, [1, 2], 2, RankRule::Off), PLAIN).expect_err("it loops");
    println!("{violation:?} after {} steps: {steps:?}", steps.len());
    assert!(matches!(violation, Violation::Cycle(_)));
    assert!(steps.len() <= 24, "{steps:?}");
    let mut same = world(&triangle, [1, 2], 2, RankRule::Enforced);
    for step in steps {
        assert_eq!(same.step(step), Ok(()));
    }
}
