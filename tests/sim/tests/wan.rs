//! The wide-area experiment at a size that tests can afford.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use mars_sim::plan::{Deploy, System};
use mars_sim::report::SystemSummary;
use mars_sim::run::run;
use mars_sim::units::{Octets, Probability};
use mars_sim::wan::Wan;

fn summary(wan: &Wan, seed: u64) -> SystemSummary {
    let plan = wan.plan(seed, false, None);
    let limit = wan.wire_limit(wan.bytes.0);
    SystemSummary::new(System::Mars, &plan, limit, &[run(&plan, &mut |_| true)])
}

fn failures(summary: &SystemSummary) -> &[String] {
    &summary.runs[0].failures
}

#[test]
fn all_links_are_used_nothing_loops_and_shares_are_fair() {
    let wan = Wan {
        bytes: Octets(4_000_000),
        ..Wan::default()
    };
    let summary = summary(&wan, 1);
    assert_eq!(failures(&summary), [""; 0]);
    assert_eq!(summary.links_used_min, 10);
    assert_eq!(summary.looped_interests, 0);
    assert_eq!(summary.forwarding_cycles, 0);
    assert!(summary.jain_min >= 0.98, "{}", summary.jain_min);
    assert!(
        summary.discovery_startup_s_max <= 0.3,
        "{}",
        summary.discovery_startup_s_max
    );
    assert!(summary.interest_bytes_max <= 106);
    assert!(summary.data_bytes_max <= 107);
    assert!(summary.nack_bytes_max <= 115);
    // A short run pays start-up in full: half again of the limit.
    assert!(
        summary.p95_fct_over_limit <= 1.5,
        "{}",
        summary.p95_fct_over_limit
    );
}

#[test]
fn a_link_failure_loses_no_fetch() {
    let wan = Wan {
        bytes: Octets(12_000_000),
        clients: 8,
        links: 5,
        fail: true,
        ..Wan::default()
    };
    let summary = summary(&wan, 1);
    assert_eq!(failures(&summary), [""; 0]);
    assert_eq!(summary.looped_interests, 0);
    assert!(summary.losses > 0, "the cut must have hit something");
}

#[test]
fn loss_of_1_percent_loses_no_fetch() {
    let wan = Wan {
        bytes: Octets(2_000_000),
        clients: 8,
        links: 5,
        loss: Probability::from_ratio(1, 100),
        ..Wan::default()
    };
    let summary = summary(&wan, 1);
    assert_eq!(failures(&summary), [""; 0]);
    assert_eq!(summary.looped_interests, 0);
    // Detours after a single loss made it seven limits; a short run pays start-up in full.
    assert!(
        summary.p95_fct_over_limit <= 3.5,
        "{}",
        summary.p95_fct_over_limit
    );
}

#[test]
fn forwarders_at_the_edge_alone_use_all_links_through_tunnels() {
    let wan = Wan {
        bytes: Octets(2_000_000),
        servers: 1,
        clients: 4,
        links: 5,
        deploy: Deploy::Edge,
        ..Wan::default()
    };
    let summary = summary(&wan, 1);
    assert_eq!(failures(&summary), [""; 0]);
    assert_eq!((summary.paths_min, summary.links_used_min), (5, 5));
}

#[test]
fn a_forwarder_at_one_end_alone_is_held_to_one_link() {
    let wan = Wan {
        bytes: Octets(500_000),
        servers: 1,
        clients: 2,
        links: 5,
        deploy: Deploy::Endpoint,
        ..Wan::default()
    };
    let summary = summary(&wan, 1);
    assert_eq!(failures(&summary), [""; 0]);
    assert_eq!(summary.links_used_min, 1);
    // 1 MB over 40 Mbit/s.
    let one_link = Duration::from_millis(200).as_secs_f64();
    assert!(
        summary.p95_fct_s_max >= one_link,
        "faster than the link: {}",
        summary.p95_fct_s_max
    );
}
