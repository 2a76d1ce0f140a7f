//! Discovery on hundreds of random graphs: never a cycle, looking after every event, and everybody
//! with a route is served. Without the rank order the bare rules loop.
#![allow(missing_docs, clippy::unwrap_used)]

use mars_forwarder_core::RankRule;
use mars_sim::discover::{Discover, Tally};
use mars_sim::topology::Shape;
use mars_sim::units::Probability;

const GRAPHS: u64 = 400;

fn tally(discover: &Discover, rule: RankRule) -> Tally {
    let mut tally = Tally::default();
    for seed in 1..=GRAPHS {
        tally.add(&discover.run_one(seed, false, rule));
    }
    tally
}

fn random(loss_percent: u32, duplicate_percent: u32) -> Discover {
    Discover {
        loss: Probability::from_ratio(loss_percent, 100),
        duplicate: Probability::from_ratio(duplicate_percent, 100),
        limit_s: 30,
        ..Discover::default()
    }
}

/// What holds whatever the links do.
fn assert_safe(tally: &Tally) {
    assert_eq!(tally.first_fault, None);
    assert_eq!(tally.runs, GRAPHS);
    assert!(tally.consumers > 2 * GRAPHS, "{tally:?}");
    assert_eq!(tally.cycles, 0, "{tally:?}");
    assert_eq!(tally.disorders, 0, "{tally:?}");
    assert_eq!(tally.looped, 0, "{tally:?}");
}

fn assert_all_served(tally: &Tally) {
    assert_eq!(tally.unserved, 0, "{tally:?}");
    assert_eq!(tally.unconverged, 0, "{tally:?}");
    // Generous, against livelock: a prototype took less than a tenth of it on average.
    assert!(tally.probes_max <= 512, "{tally:?}");
}

#[test]
fn no_loss() {
    let tally = tally(&random(0, 0), RankRule::Enforced);
    assert_safe(&tally);
    assert_all_served(&tally);
}

#[test]
fn no_loss_but_duplicates() {
    let tally = tally(&random(0, 10), RankRule::Enforced);
    assert_safe(&tally);
    assert_all_served(&tally);
}

#[test]
fn loss_of_5_percent_and_duplicates() {
    let tally = tally(&random(5, 10), RankRule::Enforced);
    assert_safe(&tally);
    assert_all_served(&tally);
}

#[test]
fn loss_of_20_percent_and_duplicates() {
    let tally = tally(&random(20, 10), RankRule::Enforced);
    assert_safe(&tally);
    // One in a thousand may go without.
    assert!(tally.unserved * 1_000 <= tally.consumers, "{tally:?}");
}

#[test]
fn packets_that_overtake() {
    let discover = Discover {
        jitter_ms: 40,
        ..random(5, 10)
    };
    let tally = tally(&discover, RankRule::Enforced);
    assert_safe(&tally);
    assert_all_served(&tally);
}

#[test]
fn the_bare_rules_loop_on_random_graphs_and_on_the_triangle() {
    let mut discover = Discover {
        limit_s: 3,
        ..random(0, 0)
    };
    assert!(tally(&discover, RankRule::Off).runs_with_cycles > 0);
    discover.topology = Shape::Triangle;
    let off = tally(&discover, RankRule::Off);
    assert!(off.runs_with_cycles > 0, "{off:?}");
    let on = tally(&discover, RankRule::Enforced);
    assert_eq!(on.cycles, 0, "{on:?}");
}

#[test]
fn a_lone_consumer_finds_every_face_of_the_shortest_tier() {
    for shape in [Shape::Ring, Shape::Ladder, Shape::Mesh, Shape::Random] {
        let discover = Discover {
            topology: shape,
            consumers: mars_sim::units::Span::one(1),
            ..random(0, 0)
        };
        for seed in 1..=50 {
            let plan = discover.plan(seed, false, RankRule::Enforced);
            let hops = mars_sim::routing::next_hops(&plan.topology, plan.producers[0].node);
            let at = &hops[plan.flows[0].node];
            let least = at.iter().map(|hop| hop.hops).min().unwrap();
            let shortest = at.iter().filter(|hop| hop.hops == least).count();
            let paths = discover
                .run_one(seed, false, RankRule::Enforced)
                .result
                .flows[0]
                .paths;
            assert!(
                paths >= shortest,
                "{shape}, seed {seed}: {paths} of {shortest}"
            );
        }
    }
}
