//! The forwarding graph of a dest is free of cycles at every instant, whatever the network and the hosts
//! do: property tests against an adversary that decides which frame arrives when.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::Cell;

use mars_forwarder_core::RankRule;
use mars_sim::adversary::strategy::{Attack, attacks};
use mars_sim::adversary::{Claims, MarsNode, Violation};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

fn config(cases: u32) -> Config {
    Config {
        cases,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    }
}

/// Runs attacks until a claim fails, and shrinks the one that did it. The number of edges
/// that became valid tells that the attacks did not merely keep everybody from talking.
fn attack(
    cases: u32,
    nodes: usize,
    length: usize,
    rule: RankRule,
    claims: Claims,
) -> Result<u64, Box<(Attack, usize, Violation)>> {
    let edges = Cell::new(0);
    let mut runner = TestRunner::new(config(cases));
    let outcome = runner.run(&attacks(nodes, length), |attack| {
        match attack.run::<MarsNode>(rule, claims) {
            Ok(world) => {
                edges.set(edges.get() + world.judge().found());
                Ok(())
            }
            Err((step, violation)) => {
                Err(TestCaseError::fail(format!("step {step}: {violation:?}")))
            }
        }
    });
    match outcome {
        Ok(()) => Ok(edges.get()),
        Err(TestError::Fail(_, mut attack)) => {
            let (step, violation) = attack
                .run::<MarsNode>(rule, claims)
                .expect_err("it failed before");
            attack.steps.truncate(step + 1);
            Err(Box::new((attack, step, violation)))
        }
        Err(error) => panic!("{error}"),
    }
}

fn assert_holds(cases: u32, nodes: usize, length: usize) {
    match attack(cases, nodes, length, RankRule::Enforced, Claims::All) {
        Ok(edges) => {
            println!(
                "{cases} attacks on up to {nodes} nodes in up to {length} steps: {edges} edges became valid"
            );
            assert!(edges > u64::from(cases) / 2, "too tame: {edges}");
        }
        Err(broken) => panic!("{broken:#?}"),
    }
}

#[test]
fn no_cycle_ever_on_small_graphs() {
    assert_holds(2_000, 4, 120);
}

#[test]
fn no_cycle_ever_on_larger_graphs() {
    assert_holds(400, 9, 500);
}

/// `cargo test --release -p mars-sim --test theorem -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn no_cycle_ever_in_a_great_many_attacks() {
    assert_holds(100_000, 4, 150);
    assert_holds(20_000, 9, 600);
}

#[test]
fn the_bare_rules_loop_and_the_counterexample_is_small() {
    let found = attack(20_000, 4, 120, RankRule::Off, Claims::Cycles);
    let (attack, step, violation) = *found.expect_err("the bare rules loop");
    println!("{violation:?} after step {step} of {attack:#?}");
    assert!(matches!(violation, Violation::Cycle(_)));
    assert!(
        attack.graph.nodes() <= 4 && attack.steps.len() <= 48,
        "{attack:#?}"
    );
}
