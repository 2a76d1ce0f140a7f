//! A run is a function of scenario and seed, bit for bit, whether packets are encoded or not and
//! however many threads there are.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_sim::campaign::run_all;
use mars_sim::discover::Discover;
use mars_sim::plan::{Deploy, Plan, System};
use mars_sim::report::SystemSummary;
use mars_sim::run::{RunResult, run};
use mars_sim::units::{Octets, Probability};
use mars_sim::wan::Wan;

/// All that JSON tells, without speed figures, and all samples.
fn told(plan: &Plan, results: &[RunResult]) -> String {
    let mut summary = SystemSummary::new(System::Mars, plan, Duration::from_secs(1), results);
    summary.events_per_s = 0.0;
    summary.wall_s = 0.0;
    let samples: Vec<_> = results
        .iter()
        .map(|run| (&run.goodput, &run.queues, &run.edges, run.links))
        .collect();
    format!(
        "{}\n{samples:?}",
        serde_json::to_string_pretty(&summary).unwrap()
    )
}

fn small() -> Wan {
    Wan {
        servers: 2,
        clients: 4,
        links: 4,
        bytes: Octets(1_500_000),
        loss: Probability::from_ratio(1, 200),
        hetero: true,
        fail: true,
        stagger: vec![0, 1],
        ..Wan::default()
    }
}

fn once(wan: &Wan, seed: u64, wire: bool) -> String {
    let plan = wan.plan(seed, wire, None);
    told(&plan, &[run(&plan, &mut |_| true)])
}

#[test]
fn the_same_seed_gives_the_same_octets_and_another_seed_does_not() {
    let wan = small();
    assert_eq!(once(&wan, 1, false), once(&wan, 1, false));
    assert_ne!(once(&wan, 1, false), once(&wan, 2, false));
}

#[test]
fn encoding_every_packet_changes_nothing() {
    for deploy in [Deploy::Full, Deploy::Edge, Deploy::Endpoint] {
        let wan = Wan { deploy, ..small() };
        assert_eq!(once(&wan, 1, false), once(&wan, 1, true), "{deploy:?}");
    }
    for rule in [RankRule::Enforced, RankRule::Off] {
        let discover = Discover {
            loss: Probability::from_ratio(1, 20),
            duplicate: Probability::from_ratio(1, 10),
            jitter_ms: 10,
            limit_s: 5,
            ..Discover::default()
        };
        for seed in 0..20 {
            let told = |wire| {
                let plan = discover.plan(seed, wire, rule);
                told(&plan, &[run(&plan, &mut |_| true)])
            };
            assert_eq!(told(false), told(true), "{rule:?}, seed {seed}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let wan = Wan {
        bytes: Octets(300_000),
        ..small()
    };
    let plans: Vec<Plan> = (1..=4).map(|seed| wan.plan(seed, false, None)).collect();
    let with = |jobs| told(&plans[0], &run_all(&plans, jobs, &|_, _| ()));
    assert_eq!(with(1), with(3));
}
