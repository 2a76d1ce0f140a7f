//! Faults and questions that people reported about other forwarders, each as a test of this one.
//!
//! Of the cases about loops, nonces, pending Interests, strategies, faces and routes these have no
//! test here:
//! - <https://github.com/named-data-ndnSIM/ndnSIM/issues/112> and pull request 110 ask how to read
//!   the metrics of a simulated consumer, and how to add a strategy: the simulator prints windows,
//!   queues and the split over faces; a forwarder has one strategy, and [`Counters`] to read.
//!
//! [`Counters`]: mars_forwarder_core::Counters
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeMap;

use core::time::Duration;

use common::net::{Got, Net, segment};
use common::{APP, Ask, Node, Sent, data_name, dest, only, rank, ready, ready_after};
use mars_forwarder_core::{Config, DropReason, Edit, FaceId, FaceKind, Input, Route};
use mars_wire::{MarsHeader, NackDetail, NackReason, NameBuf};

const MS: Duration = Duration::from_millis(1);
const PATIENT: Duration = Duration::from_secs(2);

fn name(n: u64) -> NameBuf {
    data_name(dest().as_name(), n)
}

fn ask(node: &mut Node, n: u64) -> Vec<Sent> {
    node.interest(APP, &name(n), Ask::open(0))
}

fn data(node: &mut Node, face: u32, n: u64) -> Vec<Sent> {
    node.data(face, &name(n), MarsHeader::default())
}

fn in_flight(node: &Node) -> Vec<u32> {
    let name = dest();
    let view = node.forwarder.dest(name.as_name()).unwrap();
    view.valid_upstreams().map(|u| u.in_flight).collect()
}

/// The place of an upstream face, the first of which is 1.
fn at(face: u32) -> usize {
    usize::try_from(face).unwrap() - 1
}

fn served(net: &Net, node: usize) -> usize {
    let data = |got: &&(_, usize, _, Got)| got.1 == node && got.3 == Got::Data;
    net.got.iter().filter(data).count()
}

// ---- loops, nonces, the PIT

/// <https://github.com/named-data/ndnd/pull/20>: never back over the face that it came from.
#[test]
fn an_interest_never_returns_to_its_ingress() {
    let mut node = ready(Config::new(1), &[2, 2]);
    node.input(Input::FaceDown { face: FaceId(2) });
    let sent = node.interest(1, &name(0), Ask::open(0));
    assert_eq!(only(&sent).detail(), Some(NackDetail::NoRoute));
}

/// <https://github.com/named-data/ndnd/pull/74>: of many lifetimes, half of them refreshed, each
/// ends once, at the refreshed time, and in order.
#[test]
fn each_of_a_thousand_lifetimes_ends_when_it_was_last_refreshed() {
    let mut config = Config::new(1);
    config.interest_queue = 1_000;
    let mut node = ready(config, &[2]);
    // 50 to 4,000 ms, all different, in no order (347 and 1,000 have no common divisor).
    let lifetime = |n: u64| Duration::from_micros(50_000 + (n * 347 % 1_000) * 3_953);
    let mut ends = Vec::new();
    for refreshed in [false, true] {
        for n in (0..1_000).filter(|n| !refreshed || n % 2 == 0) {
            let lifetime = lifetime(n);
            let ask = Ask {
                lifetime,
                ..Ask::open(0)
            };
            node.interest(APP, &name(n), ask);
            if refreshed || n % 2 == 1 {
                ends.push(node.now + lifetime);
            }
        }
        node.pass(20 * MS);
    }
    assert_eq!(node.forwarder.pending(), 1_000);
    ends.sort_unstable();
    for (left, end) in (0..1_000).rev().zip(ends) {
        node.pass(end.saturating_duration_since(node.now));
        assert_eq!(node.forwarder.pending(), left, "at {end:?}");
    }
    assert_eq!(node.forwarder.counters().expired, 1_000);
}

/// <https://redmine.named-data.net/issues/1966>: two consumers in a mesh ask for one name with
/// nonces of their own, the second one's copy by a longer way; a node that has seen the first goes
/// on with the second, which is alive.
#[test]
fn two_consumers_in_a_mesh_are_both_served() {
    // A = 0, B = 1, C = 2 (the producer), D = 3, E = 4.
    let mut net = Net::new(5);
    for (a, b) in [(0, 1), (1, 2), (0, 3), (3, 2), (3, 4), (1, 4)] {
        net.link(a, b, 10 * MS, FaceKind::Mars);
    }
    for (node, hops) in [
        (0, &[(1, 2), (3, 2)][..]),
        (1, &[(2, 1)]),
        (3, &[(2, 1)]),
        (4, &[(1, 2), (3, 2)]),
    ] {
        net.route(node, hops);
    }
    net.produce(2);
    net.discover(0);
    net.discover(4);
    for n in 0..10 {
        let start = net.now;
        net.ask(0, &segment(n), 70_000, PATIENT);
        net.pass(3 * MS);
        net.ask(4, &segment(n), 80_000, PATIENT);
        net.pass(2 * 40 * MS);
        assert_eq!((served(&net, 0), served(&net, 4)), (1, 1), "{:?}", net.got);
        assert!(net.got.iter().all(|got| got.0 <= start + 83 * MS));
        net.got.clear();
    }
}

/// <https://redmine.named-data.net/issues/5123>: a node gets its own Interest back while another
/// answer is still on its way: the entry stays.
#[test]
fn an_interest_that_comes_back_does_not_end_its_entry() {
    let mut node = ready(Config::new(1), &[2, 2]);
    let sent = ask(&mut node, 0);
    let (upstream, nonce) = (only(&sent).face, only(&sent).nonce());
    let reflected = Ask {
        nonce: Some(nonce),
        ..Ask::open(0)
    };
    for reflector in [upstream, 3 - upstream] {
        node.pass(10 * MS);
        let sent = node.interest(reflector, &name(0), reflected);
        assert_eq!(only(&sent).detail(), Some(NackDetail::Duplicate));
        assert_eq!(node.forwarder.pending(), 1);
    }
    node.pass(200 * MS);
    let sent = data(&mut node, upstream, 0);
    assert_eq!((only(&sent).face, only(&sent).is_data()), (APP, true));
}

/// <https://redmine.named-data.net/issues/5146> and 5278: refusals on a loop make no storm. A
/// forwarder sends an Interest to one face at a time, and answers a loop with one Nack.
#[test]
fn an_interest_in_a_ring_makes_few_packets() {
    let mut net = Net::new(4);
    for node in 0..4 {
        net.link(node, (node + 1) % 4, 10 * MS, FaceKind::Plain);
    }
    // Routing is wrong: it leads around the ring for ever, both ways.
    for node in 0..4 {
        net.route(node, &[((node + 1) % 4, 2), ((node + 3) % 4, 2)]);
    }
    for n in 0..8 {
        net.carried.clear();
        let asks = usize::try_from(n % 4).unwrap();
        net.ask(asks, &segment(n), 7, PATIENT);
        net.pass(PATIENT);
        // Each attempt has a nonce of its own.
        let nonce = |edit: &Edit| match edit {
            Edit::Interest { nonce, .. } | Edit::Nack { nonce, .. } => *nonce,
            Edit::Data { .. } => panic!("nobody produces"),
        };
        let mut by_nonce: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (node, face, edit) in &net.carried {
            let kind = matches!(edit, Edit::Nack { .. });
            by_nonce
                .entry(nonce(edit))
                .or_default()
                .push((*node, *face, kind));
        }
        assert!(by_nonce.len() <= 2, "two ways around");
        for packets in by_nonce.values_mut() {
            assert!(packets.len() <= 2 * 4, "{packets:?}");
            packets.sort_unstable();
            assert!(
                packets.is_sorted_by(|a, b| a < b),
                "one of a kind over each face"
            );
        }
        assert_eq!(net.got.pop().unwrap().3, Got::Nack(NackReason::NoRoute));
    }
}

/// <https://redmine.named-data.net/issues/4200>: the second answer to an Interest that went two
/// ways is a measurement; it is neither forwarded nor unsolicited.
#[test]
fn a_straggler_is_measured_and_not_forwarded() {
    let mut node = ready_after(Config::new(1), &[2, 2], 60 * MS);
    let first = only(&ask(&mut node, 0)).face;
    node.pass(70 * MS);
    let second = only(&ask(&mut node, 0)).face;
    assert_eq!(second, 3 - first);
    node.pass(10 * MS);
    assert!(only(&data(&mut node, second, 0)).is_data());
    assert_eq!(
        (node.forwarder.pending(), in_flight(&node)[at(first)]),
        (1, 1)
    );
    node.pass(50 * MS);
    assert_eq!(data(&mut node, first, 0), []);
    assert_eq!(
        (node.forwarder.pending(), in_flight(&node)),
        (0, vec![0, 0])
    );
    let counters = node.forwarder.counters();
    assert_eq!(counters.stragglers, 1);
    assert_eq!(counters.drops(DropReason::Unsolicited), 0);
    let dest = dest();
    let view = node.forwarder.dest(dest.as_name()).unwrap();
    let srtt: Vec<_> = view.valid_upstreams().map(|u| u.srtt.unwrap()).collect();
    assert_eq!(srtt[at(first)], 130 * MS);
    assert_eq!(srtt[at(second)], 10 * MS);
    // One that answers twice is unsolicited all the same.
    data(&mut node, first, 0);
    let drops = node.forwarder.counters().drops(DropReason::Unsolicited);
    assert_eq!(drops, 1);
}

/// What lingers for a straggler does not stand in the way of the next who asks, nor for ever.
#[test]
fn an_entry_that_lingers_is_as_good_as_new_and_ends() {
    let mut node = ready_after(Config::new(1), &[2, 2], 60 * MS);
    let first = only(&ask(&mut node, 0)).face;
    node.pass(70 * MS);
    ask(&mut node, 0);
    data(&mut node, 3 - first, 0);
    let again = ask(&mut node, 0);
    assert_eq!(
        only(&again).face,
        3 - first,
        "the other still owes an answer"
    );
    assert!(only(&data(&mut node, 3 - first, 0)).is_data());
    assert_eq!(node.forwarder.pending(), 1);
    node.pass(Duration::from_secs(1));
    assert_eq!(
        (node.forwarder.pending(), in_flight(&node)),
        (0, vec![0, 0])
    );
}

/// <https://redmine.named-data.net/issues/4979> and 3484: what is never answered leaves nothing
/// behind.
#[test]
fn interests_that_are_never_answered_expire() {
    let mut config = Config::new(1);
    config.interest_queue = 10_000;
    let mut node = ready(config, &[2]);
    let lifetime = 100 * MS;
    for n in 0..100_000 {
        let ask = Ask {
            lifetime,
            ..Ask::open(0)
        };
        node.interest(APP, &name(n), ask);
        if n % 5_000 == 4_999 {
            assert!(node.forwarder.pending() >= 5_000);
            node.pass(200 * MS);
            assert_eq!((node.forwarder.pending(), in_flight(&node)), (0, vec![0]));
            node.events.clear();
        }
    }
    let name = dest();
    assert_eq!(node.forwarder.dest(name.as_name()).unwrap().queue_len(), 0);
    assert_eq!(node.forwarder.counters().expired, 100_000);
}

/// <https://github.com/RIOT-OS/RIOT/issues/5051>: two nodes with default routes to each other do
/// not play ball with an Interest, and each hop costs one of its limit.
#[test]
fn an_interest_does_not_bounce_between_two_nodes() {
    let mut net = Net::new(2);
    net.link(0, 1, 10 * MS, FaceKind::Plain);
    net.route(0, &[(1, 2)]);
    net.route(1, &[(0, 2)]);
    net.ask_within(0, &segment(0), 7, PATIENT, Some(16));
    net.pass(PATIENT);
    assert_eq!(
        (net.interests_between(0, 1), net.interests_between(1, 0)),
        (1, 0)
    );
    let Edit::Interest { hop_limit, .. } = net.carried[0].2 else {
        panic!("{:?}", net.carried[0]);
    };
    assert_eq!(hop_limit, Some(15));
    assert_eq!(net.got[0].3, Got::Nack(NackReason::NoRoute));
}

/// <https://github.com/cn-uofbasel/ccn-lite/pull/262> and 87: downstreams that join do not restart
/// the clock of a retransmission.
#[test]
fn those_who_join_do_not_delay_a_retransmission() {
    let mut node = ready_after(Config::new(1), &[2, 2], 290 * MS);
    for face in 11..14 {
        let (face, kind) = (FaceId(face), FaceKind::Mars);
        node.input(Input::FaceAdded { face, kind });
    }
    let first = only(&ask(&mut node, 0)).face;
    for face in 11..14 {
        node.pass(100 * MS);
        if face < 13 {
            assert_eq!(node.interest(face, &name(0), Ask::open(0)), []);
        }
    }
    assert_eq!(only(&ask(&mut node, 0)).face, 3 - first, "after 300 ms");
    assert_eq!(node.forwarder.counters().aggregated, 2);
}

// ---- strategies, faces, routes

/// <https://redmine.named-data.net/issues/5310>: faces of equal rank are all used, and a count of
/// silences ends with an answer.
#[test]
fn equal_faces_are_all_used_and_an_answer_forgives_silences() {
    let mut node = ready(Config::new(1), &[2, 2, 2, 2]);
    assert_eq!(node.valid(), [1, 2, 3, 4]);
    let mut used: Vec<_> = (0..4).map(|n| only(&ask(&mut node, n)).face).collect();
    used.sort_unstable();
    assert_eq!(used, [1, 2, 3, 4]);

    let mut node = Node::new(Config::new(1), &[2]);
    let lifetime = 100 * MS;
    let mut seq = 0;
    let mut probe = |node: &mut Node, answered: bool| {
        let ask = Ask {
            lifetime,
            ..Ask::open(0)
        };
        seq += 1;
        assert_eq!(only(&node.probe(APP, 0, seq, ask)).face, 1, "still asked");
        if answered {
            node.answer(1, APP, 0, seq, rank(0, 1), (false, false));
        }
        node.pass(PATIENT);
    };
    probe(&mut node, true);
    for _ in 0..3 {
        for answered in [false, false, false, true] {
            probe(&mut node, answered);
        }
        assert_eq!(node.valid(), [1]);
    }
    for _ in 0..4 {
        probe(&mut node, false);
    }
    assert_eq!(node.valid(), [0; 0], "four in a row are too many");
}

/// <https://redmine.named-data.net/issues/4931>: pending Interests are sent to a next hop that
/// appears later, both those that were held for want of any and those that were sent in vain.
#[test]
fn a_next_hop_that_appears_later_gets_what_is_pending() {
    let lifetime = PATIENT;
    let mut config = Config::new(1);
    config.hold_without_route = true;
    let mut node = Node::new(config, &[]);
    let kind = FaceKind::Plain;
    for face in [1, 2] {
        let face = FaceId(face);
        node.input(Input::FaceAdded { face, kind });
    }
    let patient = Ask {
        lifetime,
        ..Ask::open(0)
    };
    assert_eq!(node.interest(APP, &name(0), patient), [], "held");
    node.pass(200 * MS);
    let route = |face, hops| Route {
        face: FaceId(face),
        hops,
    };
    let dest = dest();
    let prefix = dest.as_name();
    let routes = &[route(1, 2)];
    let sent = node.input(Input::Routes { prefix, routes });
    assert_eq!(only(&sent).face, 1, "at once");
    // It falls silent; no other face is there until another route comes.
    assert_eq!(node.pass(1_200 * MS), []);
    let routes = &[route(1, 2), route(2, 2)];
    let sent = node.input(Input::Routes { prefix, routes });
    assert_eq!(only(&sent).face, 2);
    assert_eq!(node.forwarder.counters().revived, 1);
    assert!(only(&data(&mut node, 2, 0)).is_data());
}

/// <https://redmine.named-data.net/issues/2491>: a face that is down from 1 to 3 s leaves at once,
/// with its Interests, and comes back.
#[test]
fn a_face_that_fails_hands_its_interests_over_and_returns() {
    let mut net = Net::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        net.link(a, b, 10 * MS, FaceKind::Mars);
    }
    net.route(0, &[(1, 2), (2, 2)]);
    net.route(1, &[(3, 1)]);
    net.route(2, &[(3, 1)]);
    net.produce(3);
    net.discover(0);
    let mut asked = 0;
    for tick in 0..500 {
        let face = FaceId(2);
        if tick == 100 {
            net.input(0, Input::FaceDown { face });
            assert_eq!(net.valid(0), [2]);
            net.carried.clear();
        }
        if tick == 300 {
            assert_eq!(net.interests_between(0, 1), 0);
            net.input(0, Input::FaceUp { face });
            assert_eq!(net.valid(0), [1, 2]);
        }
        net.ask(
            0,
            &segment(tick),
            7_000 + u32::try_from(tick).unwrap(),
            PATIENT,
        );
        asked += 1;
        net.pass(10 * MS);
    }
    net.pass(100 * MS);
    assert_eq!(served(&net, 0), asked, "nobody had to ask twice");
    assert!(net.interests_between(0, 1) > 50, "used again");
}

/// <https://github.com/named-data/ndnd/issues/133>: of five next hops all are probed, tier by tier.
#[test]
fn five_next_hops_are_probed_in_tiers() {
    let mut node = Node::new(Config::new(1), &[4, 4, 5, 6, 6]);
    let mut order = Vec::new();
    for seq in 0..12 {
        for probe in node.probe(APP, seq / 2, seq, Ask::open(0)) {
            if !order.contains(&probe.face) {
                order.push(probe.face);
            }
            node.answer(probe.face, APP, seq / 2, seq, rank(0, 1), (true, true));
        }
    }
    assert_eq!(order, [1, 2, 3, 4, 5]);
    assert_eq!(node.valid(), [1, 2, 3, 4, 5]);
}

/// <https://github.com/named-data/ndnd/issues/108> and 141: when the producer has left, no tier is
/// used any more once its paths have expired, and discovery begins anew.
#[test]
fn paths_of_a_producer_that_left_expire_and_discovery_restarts() {
    let config = Config::new(1);
    let lifetime = config.path_lifetime;
    let mut node = ready(config, &[2, 2, 3]);
    ask(&mut node, 0);
    assert_eq!(node.valid(), [1, 2, 3]);
    node.pass(lifetime);
    assert_eq!(node.valid(), [0; 0]);
    assert_eq!(only(&ask(&mut node, 1)).detail(), Some(NackDetail::NoRoute));
    let probe = node.probe(APP, 0, 50, Ask::open(0));
    assert_eq!(only(&probe).face, 1);
    // Routes that are withdrawn need not expire.
    let mut node = ready(Config::new(1), &[2, 2]);
    let dest = dest();
    let prefix = dest.as_name();
    node.input(Input::Routes {
        prefix,
        routes: &[],
    });
    assert_eq!(node.valid(), [0; 0]);
}

/// <https://github.com/usnistgov/ndn-dpdk/issues/48>, 49 and 56: of two paths one loses a fifth;
/// together they carry more than nine tenths of the clean one, and the lossy one its share.
#[test]
fn a_lossy_path_beside_a_clean_one_costs_little() {
    let mut net = Net::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        net.link(a, b, 5 * MS, FaceKind::Mars);
    }
    net.route(0, &[(1, 2), (2, 2)]);
    net.route(1, &[(3, 1)]);
    net.route(2, &[(3, 1)]);
    net.produce(3);
    net.discover(0);
    net.lose(1, 0, 200);
    let total = 4_000;
    for n in 0..total {
        net.ask(0, &segment(n), 7_000 + u32::try_from(n).unwrap(), PATIENT);
        net.pass(MS);
    }
    net.pass(100 * MS);
    let (lossy, clean) = (net.interests_between(0, 1), net.interests_between(0, 2));
    assert_eq!(lossy + clean, usize::try_from(total).unwrap());
    assert!(lossy > 100, "{lossy} over the lossy path");
    let expected = clean + lossy * 8 / 10;
    assert!(
        served(&net, 0) * 100 >= expected * 97,
        "{} of {expected}",
        served(&net, 0)
    );
    assert!(served(&net, 0) * 10 >= clean * 9);
}

/// <https://github.com/named-data-ndnSIM/ndnSIM/issues/37> and 38: slots come back when an Interest
/// was sent over two faces and both answer, and when it is given up after a Nack.
#[test]
fn slots_of_both_faces_come_back() {
    let mut node = ready_after(Config::new(1), &[2, 2], 60 * MS);
    let first = only(&ask(&mut node, 0)).face;
    node.pass(100 * MS);
    let second = only(&ask(&mut node, 0)).face;
    assert_eq!(in_flight(&node), [1, 1]);
    data(&mut node, first, 0);
    data(&mut node, second, 0);
    assert_eq!(
        (in_flight(&node), node.forwarder.pending()),
        (vec![0, 0], 0)
    );
    let mut node = ready_after(Config::new(1), &[2, 2], 60 * MS);
    let first = only(&ask(&mut node, 1)).face;
    node.pass(100 * MS);
    assert_eq!(only(&ask(&mut node, 1)).face, 3 - first);
    for face in [first, 3 - first] {
        node.plain_nack(face, &name(1), NackReason::NoRoute);
    }
    assert_eq!(
        (in_flight(&node), node.forwarder.pending()),
        (vec![0, 0], 0)
    );
}

/// <https://github.com/named-data-ndnSIM/ndnSIM/issues/30> and 32: one Data for each downstream, and
/// each face is tried once.
#[test]
fn one_data_for_each_downstream_and_each_face_tried_once() {
    let mut node = ready(Config::new(1), &[2, 2, 2]);
    for face in [11, 12] {
        let (face, kind) = (FaceId(face), FaceKind::Mars);
        node.input(Input::FaceAdded { face, kind });
    }
    let mut tried = vec![only(&ask(&mut node, 0)).face];
    for face in [11, 12] {
        node.interest(face, &name(0), Ask::open(0));
    }
    for _ in 0..2 {
        let last = *tried.last().unwrap();
        tried.push(only(&node.plain_nack(last, &name(0), NackReason::Congestion)).face);
    }
    let mut sorted = tried.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3]);
    let mut to: Vec<_> = data(&mut node, tried[2], 0)
        .iter()
        .map(|s| s.face)
        .collect();
    to.sort_unstable();
    assert_eq!(to, [APP, 11, 12]);
}
