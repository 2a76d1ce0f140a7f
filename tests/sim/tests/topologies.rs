//! Discovery on real networks: it finds what there is to be found, and never less than plain
//! equal-cost multipath has.
#![allow(missing_docs, clippy::unwrap_used)]

use mars_sim::network::Network;
use mars_sim::report::{SurveyDocument, map_svg};
use mars_sim::survey::{Findings, Survey};

/// Name, nodes, links.
const SIZES: [(&str, usize, usize); 7] = [
    ("abilene", 12, 15),
    ("geant", 22, 36),
    ("nobel-us", 14, 21),
    ("germany50", 50, 88),
    ("india35", 35, 80),
    ("attmpls", 25, 56),
    ("newyork", 16, 49),
];

fn survey(name: &str, pairs: Option<u32>) -> Survey {
    Survey {
        pairs,
        ..Survey::new(Network::shipped(name).unwrap())
    }
}

fn run(survey: &Survey, jobs: usize) -> Findings {
    survey.run(1, false, jobs, &|| ())
}

#[test]
fn the_shipped_networks_have_the_published_sizes() {
    let names: Vec<&str> = Network::names().collect();
    assert_eq!(names, SIZES.map(|(name, ..)| name));
    for (name, nodes, links) in SIZES {
        let network = Network::shipped(name).unwrap();
        assert_eq!(network.nodes.len(), nodes, "{name}");
        assert_eq!(network.links.len(), links, "{name}");
    }
}

fn assert_finds_what_there_is(name: &str, pairs: Option<u32>) {
    let findings = run(&survey(name, pairs), 2);
    let summary = &findings.summary;
    assert!(summary.pairs >= 100, "{name}: {summary:?}");
    assert!(
        summary.found_over_eligible_mean >= 0.99,
        "{name}: {summary:?}"
    );
    assert_eq!(summary.fewer_than_ecmp, 0, "{name}: {summary:?}");
    assert_eq!(summary.unserved, 0, "{name}: {summary:?}");
    assert_eq!(summary.unconverged, 0, "{name}: {summary:?}");
    assert_eq!(summary.failed, 0, "{name}: {summary:?}");
    // More than plain routing has, or there was no point; and no more than there is.
    assert!(
        summary.found_mean > summary.ecmp_mean,
        "{name}: {summary:?}"
    );
    for pair in &findings.pairs {
        assert!(pair.ecmp <= pair.eligible, "{name}: {pair:?}");
        assert!(pair.found <= pair.eligible, "{name}: {pair:?}");
        assert!(pair.eligible <= pair.whole, "{name}: {pair:?}");
        assert!(pair.first_path_rtt.unwrap() >= 1.0, "{name}: {pair:?}");
    }
}

#[test]
fn all_pairs_of_the_small_networks() {
    for name in ["abilene", "nobel-us", "geant", "newyork"] {
        assert_finds_what_there_is(name, None);
    }
}

#[test]
fn some_pairs_of_the_large_networks() {
    for name in ["attmpls", "india35", "germany50"] {
        assert_finds_what_there_is(name, Some(100));
    }
}

/// Across the Atlantic from one neighbour of the consumer, across the street from the other: the
/// far upstream used to be refused for silence, and a good face of the consumer with it.
#[test]
fn a_far_upstream_behind_a_near_one_is_not_taken_for_silent() {
    let survey = Survey {
        from: Some("ch1.ch".into()),
        to: Some("nl1.nl".into()),
        ..survey("geant", None)
    };
    let findings = run(&survey, 1);
    let pair = &findings.pairs[0];
    assert_eq!(
        (pair.found, pair.eligible, pair.ecmp),
        (3, 3, 3),
        "{pair:?}"
    );
}

#[test]
fn jobs_and_encoding_leave_no_trace() {
    let survey = survey("attmpls", Some(20));
    let told = |findings: &Findings| {
        serde_json::to_string(&SurveyDocument::new(std::slice::from_ref(findings))).unwrap()
    };
    let once = told(&run(&survey, 1));
    assert_eq!(once, told(&run(&survey, 3)));
    assert_eq!(once, told(&survey.run(1, true, 2, &|| ())));
    assert_ne!(once, told(&survey.run(2, false, 1, &|| ())), "another draw");
}

#[test]
fn a_drawing_names_all_nodes_and_paths() {
    let findings = run(&survey("abilene", None), 1);
    let pair = findings.richest().unwrap();
    assert!(pair.paths.len() > 1);
    let svg = map_svg(&findings.network, pair);
    for node in &findings.network.nodes {
        assert!(
            svg.contains(&format!(">{}</text>", node.name)),
            "{}",
            node.name
        );
    }
    assert_eq!(svg.matches("<g><title>").count(), pair.paths.len());
    assert!(!svg.contains("NaN"));
}
