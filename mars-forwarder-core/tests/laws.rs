//! The pure laws of discovery as one sees them from outside: which faces a threshold lets in, and how
//! ranks are ordered.
#![allow(missing_docs, clippy::expect_used)]

mod common;

use common::{APP, Ask, Node, dest};
use mars_forwarder_core::{Config, FaceId, Input, Route, Theta};
use mars_wire::{Label, MarsHeader, Rank};
use quickcheck::quickcheck;

fn rank(generation: u32, label: u64) -> Rank {
    Rank {
        generation,
        label: Label::from_bits(label),
    }
}

/// The faces that probes reach when nobody answers: those within theta, and in which order.
fn asked(theta: Theta, hops: &[u32]) -> Vec<u32> {
    let mut config = Config::new(1);
    config.theta = theta;
    let mut node = Node::new(config, hops);
    let mut asked = Vec::new();
    for seq in 0..=hops.len() as u64 {
        let mut sent = node.probe(APP, 0, seq, Ask::open(0));
        while let Some(probe) = sent.iter().find(|s| s.is_interest()).cloned() {
            if !asked.contains(&probe.face) {
                asked.push(probe.face);
            }
            let name = common::probe_name(dest().as_name(), "s0", 0, seq);
            sent = node.nack(probe.face, &name, mars_wire::NackDetail::NoRoute, None);
        }
    }
    asked
}

fn a_few(hops: Vec<u32>) -> Vec<u32> {
    hops.into_iter().take(6).map(|h| h.max(1)).collect()
}

quickcheck! {
    fn the_rank_order_is_total_and_strict(a: (u32, u64), b: (u32, u64)) -> bool {
        let (x, y) = (rank(a.0, a.1), rank(b.0, b.1));
        let ways = [x.closer_than(y), y.closer_than(x), x == y];
        ways.iter().filter(|way| **way).count() == 1
    }

    fn the_rank_order_is_transitive(a: (u8, u8), b: (u8, u8), c: (u8, u8)) -> bool {
        let [x, y, z] = [a, b, c].map(|(g, l)| rank(g.into(), l.into()));
        !(x.closer_than(y) && y.closer_than(z)) || x.closer_than(z)
    }

    fn the_generation_decides_whatever_the_labels_are(generation: u32, a: u64, b: u64) -> bool {
        let old = generation.min(u32::MAX - 1);
        rank(old + 1, a).closer_than(rank(old, b)) && !rank(old, b).closer_than(rank(old + 1, a))
    }

    /// Shorter tiers first, those within theta and no others: exact, for hop counts up to the greatest.
    fn theta_is_an_exact_ratio(hops: Vec<u32>, numerator: u32, denominator: u32) -> bool {
        let hops = a_few(hops);
        let denominator = denominator.max(1);
        let theta = Theta { numerator: numerator.max(denominator), denominator };
        let least = hops.iter().min().copied().unwrap_or(1);
        let within = |h: u32| u128::from(h) * u128::from(theta.denominator)
            <= u128::from(least) * u128::from(theta.numerator);
        let mut expected: Vec<(u32, u32)> = (1..)
            .zip(&hops)
            .filter(|(_, h)| within(**h))
            .map(|(face, h)| (*h, face))
            .collect();
        expected.sort_unstable();
        let expected: Vec<u32> = expected.into_iter().map(|(_, face)| face).collect();
        asked(theta, &hops) == expected
    }
}

#[test]
fn the_greatest_hop_count_is_one_like_others() {
    let whole = Theta {
        numerator: 1,
        denominator: 1,
    };
    assert_eq!(asked(whole, &[u32::MAX, u32::MAX]), [1, 2]);
    assert_eq!(asked(whole, &[u32::MAX, u32::MAX - 1]), [2]);
    let most = Theta {
        numerator: u32::MAX,
        denominator: 1,
    };
    assert_eq!(asked(most, &[1, u32::MAX]), [1, 2]);
    let header = MarsHeader::default();
    assert_eq!(header.rank(), None, "no label, no rank");
    let mut node = Node::new(Config::new(1), &[2]);
    let routes = [Route {
        face: FaceId(1),
        hops: u32::MAX,
    }];
    node.input(Input::Routes {
        prefix: dest().as_name(),
        routes: &routes,
    });
    assert!(
        node.probe(APP, 0, 0, Ask::open(0))
            .iter()
            .any(common::Sent::is_interest)
    );
}
