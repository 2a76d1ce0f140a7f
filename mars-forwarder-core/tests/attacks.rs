//! What once broke discovery, each as a test that fails if it could again.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{APP, Ask, Node, data_name, dest, only, probe_name, rank};
use mars_forwarder_core::{Config, DropReason, Event, FaceId, FaceKind, Input, Route};
use mars_wire::{Label, NackDetail, NameBuf};

const CONVERGED: (bool, bool) = (true, true);
const OPEN: (bool, bool) = (false, false);

fn hop(n: u64) -> u64 {
    n << 32
}

/// State is keyed by the dest that the Interest names, not by the prefix that matched: two dests
/// under one prefix must not share a label space.
#[test]
fn two_dests_under_one_prefix_have_ranks_of_their_own() {
    let mut node = Node::new(Config::new(1), &[2]);
    let (a, b) = (dest().generic(b"a"), dest().generic(b"b"));
    for (name, label) in [(&a, 4), (&b, 9)] {
        let probe = probe_name(name.as_name(), "s", 0, 0);
        assert!(only(&node.interest(APP, &probe, Ask::open(0))).is_interest());
        node.answer_named(1, &probe, Some(rank(0, label)), CONVERGED);
    }
    let label = |name: &NameBuf| {
        node.forwarder
            .dest(name.as_name())
            .unwrap()
            .rank()
            .unwrap()
            .label
    };
    assert_eq!(label(&a), Label::from_bits(hop(5)));
    assert_eq!(label(&b), Label::from_bits(hop(10)));
}

/// A down face is waited for by nobody: it would hold up convergence for ever.
#[test]
fn a_down_face_leaves_every_set_at_once() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    assert_eq!(only(&node.probe(APP, 0, 0, Ask::open(0))).face, 1);
    let sent = node.input(Input::FaceDown { face: FaceId(1) });
    assert_eq!(only(&sent).face, 2, "the probe moves on at once");
    let sent = node.answer(2, APP, 0, 0, rank(0, 1), CONVERGED);
    let header = only(&sent).header();
    assert!(
        header.tier_conv && header.node_conv,
        "nothing waits for the dead face"
    );
    assert_eq!(node.valid(), [2]);
}

/// 10 % duplication made producers unreachable: a copy must not be taken for a loop.
#[test]
fn a_copy_from_the_same_face_is_ignored_while_pending_and_after() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    let ask = Ask {
        nonce: Some(7),
        ..Ask::open(0)
    };
    assert_eq!(only(&node.probe(APP, 0, 0, ask)).face, 1);
    assert_eq!(node.probe(APP, 0, 0, ask), []);
    node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(
        node.probe(APP, 0, 0, ask),
        [],
        "its nonce is remembered with the face"
    );
    let copies = node.events.iter().filter(|e| {
        matches!(
            e,
            Event::Dropped {
                reason: DropReason::Copy,
                ..
            }
        )
    });
    assert_eq!(copies.count(), 2);

    let looped = node.interest(2, &probe_name(dest().as_name(), "s0", 0, 0), ask);
    assert_eq!(
        only(&looped).detail(),
        Some(NackDetail::Duplicate),
        "from another face it is a loop"
    );
}

/// One node that sends the greatest generation would exhaust generations for ever.
#[test]
fn a_generation_far_ahead_is_approached_slowly() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    let stale = |sent: &[common::Sent]| {
        let nack = only(sent);
        assert_eq!(nack.detail(), Some(NackDetail::Stale));
        nack.header().generation
    };
    assert_eq!(stale(&node.probe(2, 0, 0, Ask::open(u32::MAX))), Some(16));
    assert_eq!(
        stale(&node.probe(2, 0, 1, Ask::open(u32::MAX))),
        Some(16),
        "not twice within a second"
    );
    node.pass(Duration::from_millis(1_001));
    assert_eq!(stale(&node.probe(2, 0, 2, Ask::open(u32::MAX))), Some(32));
    assert_eq!(stale(&node.probe(APP, 0, 0, Ask::open(3))), Some(32));
    assert!(
        node.probe(APP, 0, 1, Ask::open(32))
            .iter()
            .any(common::Sent::is_interest)
    );
}

/// Labels of different generations are not comparable: always the pair.
#[test]
fn an_old_generation_with_a_small_label_is_not_closer() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    node.probe(APP, 0, 0, Ask::open(5));
    node.answer(1, APP, 0, 0, rank(5, 7), OPEN);
    assert_eq!(node.label(), Some(hop(8)));
    let sent = node.probe(APP, 0, 1, Ask::open(5));
    let face = only(&sent).face;
    assert_eq!(face, 2);
    node.answer(2, APP, 0, 1, rank(4, 1), CONVERGED);
    assert_eq!(
        node.valid(),
        [1],
        "generation 4 is farther whatever its label says"
    );
}

/// Thirty-two Interests, each asking lower, use up a label's fraction.
#[test]
fn a_label_is_lowered_four_times_for_one_face_at_most() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    node.probe(APP, 0, 0, Ask::open(0));
    node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    let mut lowered = 0;
    for seq in 0..32 {
        let label = node.label().unwrap();
        let ask = Ask {
            bound: Some(Label::from_bits(label)),
            ..Ask::open(0)
        };
        let refused = node
            .probe(2, 0, seq, ask)
            .iter()
            .any(|s| s.detail() == Some(NackDetail::Order));
        lowered += u32::from(node.label().unwrap() < label);
        assert_eq!(refused, node.label() == Some(label));
    }
    assert_eq!(lowered, 4);
    assert!(
        node.label().unwrap() > hop(1),
        "always above its own upstream"
    );
    let other = node.interest(
        APP,
        &probe_name(dest().as_name(), "other", 0, 0),
        Ask::open(0),
    );
    assert!(
        other.iter().any(common::Sent::is_interest),
        "others are served as before"
    );
}

/// A bystander whose bound nobody can meet must not cap the label for the rest.
#[test]
fn an_absurd_bound_harms_only_its_sender() {
    let mut node = Node::new(Config::new(1), &[2, 2, 2]);
    let absurd = Ask {
        bound: Some(Label::from_bits(1)),
        ..Ask::open(0)
    };
    assert!(only(&node.probe(3, 0, 0, absurd)).is_interest());
    assert_eq!(
        only(&node.probe(APP, 0, 0, Ask::open(0))).face,
        2,
        "the fewest probes in flight"
    );
    let sent = node.answer(2, APP, 0, 0, rank(0, 1), CONVERGED);
    assert!(only(&sent).is_data());
    assert_eq!(node.label(), Some(hop(2)));
    let sent = node.answer(1, 3, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(
        only(&sent).detail(),
        Some(NackDetail::Order),
        "the absurd one is told why"
    );
}

/// A probe with a huge index stopped half of all consumers when it was taken at its word.
#[test]
fn the_probe_index_rises_by_one_per_probe() {
    let mut node = Node::new(Config::new(1), &[2, 3, 3]);
    let face = |sent: Vec<common::Sent>| only(&sent).face;
    assert_eq!(face(node.probe(APP, 1 << 63, 0, Ask::open(0))), 1);
    node.answer(1, APP, 1 << 63, 0, rank(0, 1), (true, true));
    assert_eq!(
        face(node.probe(APP, 1, 1, Ask::open(0))),
        1,
        "index 1 was reached by the first"
    );
    node.answer(1, APP, 1, 1, rank(0, 1), (true, true));
    assert_eq!(
        face(node.probe(APP, 2, 2, Ask::open(0))),
        2,
        "index 2 opens the next tier"
    );
}

/// A node that forgot its rank and rejoined made cycles: after a restart it keeps out until nobody
/// can hold a rank of it any more.
#[test]
fn a_restarted_node_keeps_out_of_discovery() {
    let mut config = Config::new(1);
    config.restarted = true;
    let rest = 2 * config.path_lifetime;
    let mut node = Node::new(config, &[2]);
    assert_eq!(
        only(&node.probe(APP, 0, 0, Ask::open(0))).detail(),
        Some(NackDetail::NoRoute)
    );
    node.pass(rest);
    assert!(only(&node.probe(APP, 0, 1, Ask::open(0))).is_interest());
}

/// A valid face goes after the path lifetime, the rank is kept for twice that.
#[test]
fn the_rank_outlives_the_paths() {
    let config = Config::new(1);
    let lifetime = config.path_lifetime;
    let mut node = Node::new(config, &[2]);
    node.probe(APP, 0, 0, Ask::open(0));
    node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    node.pass(lifetime.saturating_sub(Duration::from_millis(1)));
    assert_eq!(node.valid(), [1]);
    node.pass(Duration::from_millis(2));
    assert_eq!((node.valid(), node.label()), (vec![], Some(hop(2))));
    node.pass(lifetime.saturating_sub(Duration::from_millis(2)));
    assert_eq!(node.label(), Some(hop(2)));
    node.pass(Duration::from_millis(2));
    assert_eq!(node.label(), None);
}

/// A dest with state is never evicted to make room: at the cap a new one is refused.
#[test]
fn a_full_dest_table_refuses_newcomers() {
    let mut config = Config::new(1);
    config.max_dests = 1;
    let mut node = Node::new(config, &[2]);
    for i in 0..3 {
        let name = dest().generic(&[i]);
        let sent = node.interest(APP, &probe_name(name.as_name(), "s", 0, 0), Ask::open(0));
        assert_eq!(only(&sent).is_interest(), i < 1);
    }
    assert!(node.events.contains(&Event::Dropped {
        face: FaceId(APP),
        reason: DropReason::DestsFull
    }));
}

/// After an ordinary change of generation, answers that were on their way are of the old one. They
/// are no reason to refuse a face.
#[test]
fn an_answer_that_was_overtaken_is_asked_for_again() {
    let mut node = Node::new(Config::new(1), &[2]);
    let first = only(&node.probe(APP, 0, 0, Ask::open(0))).clone();
    let name = probe_name(dest().as_name(), "t", 0, 0);
    assert_eq!(
        node.interest(APP, &name, Ask::open(1))[0].face,
        1,
        "a newer generation opens a new round"
    );
    let again = node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(
        (only(&again).face, only(&again).header().generation),
        (1, Some(1))
    );
    assert_ne!(
        only(&again).nonce(),
        first.nonce(),
        "or the upstream would take it for a copy"
    );
    node.answer(1, APP, 0, 0, rank(1, 1), CONVERGED);
    assert_eq!((node.valid(), node.label()), (vec![1], Some(hop(2))));
}

/// The label fell while an answer was on its way: neither valid nor refused.
#[test]
fn an_answer_below_the_bound_that_was_sent_is_asked_for_again() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    assert_eq!(only(&node.probe(APP, 0, 0, Ask::open(0))).face, 1);
    assert_eq!(only(&node.probe(APP, 0, 1, Ask::open(0))).face, 2);
    node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(node.label(), Some(hop(2)));
    let sent = node.answer(2, APP, 0, 1, rank(0, 6), CONVERGED);
    assert_eq!(
        (only(&sent).face, only(&sent).header().label),
        (2, Some(Label::from_bits(hop(2))))
    );
    node.nack(
        2,
        &probe_name(dest().as_name(), "s0", 0, 1),
        NackDetail::Order,
        None,
    );
    assert_eq!(node.valid(), [1]);
}

/// One node that never says that its tier has converged must not hold up everybody for ever.
#[test]
fn sixteen_answers_without_tier_conv_are_enough() {
    let mut node = Node::new(Config::new(1), &[2, 3]);
    for seq in 0..16 {
        assert_eq!(only(&node.probe(APP, 0, seq, Ask::open(0))).face, 1);
        let sent = node.answer(1, APP, 0, seq, rank(0, 1), OPEN);
        assert_eq!(only(&sent).header().tier_conv, seq == 15);
    }
    assert_eq!(node.valid(), [1], "it stays valid all the same");
    assert_eq!(only(&node.probe(APP, 1, 16, Ask::open(0))).face, 2);
}

/// Only the node next to the silence notices it, tries another face and still answers in time:
/// each hop waits for a shorter time than its downstream.
#[test]
fn a_black_hole_is_charged_by_its_neighbour_alone() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    let patience = Duration::from_millis(250);
    let ask = Ask {
        lifetime: patience,
        ..Ask::open(0)
    };
    for seq in 0..4 {
        let start = node.now;
        let sent = node.probe(APP, 0, seq, ask);
        let first = only(&sent);
        assert_eq!(first.face, 1, "the black hole is new, the other face known");
        assert!(first.lifetime() < patience);
        let sent = node.pass(first.lifetime());
        let (last, repeats) = sent.split_last().unwrap();
        assert_eq!(last.face, 2);
        assert!(repeats.len() <= 3 && repeats.iter().all(|s| s.face == 1));
        assert!(node.now < start + patience, "time is left for the answer");
        assert!(only(&node.answer(2, APP, 0, seq, rank(0, 1), CONVERGED)).is_data());
    }
    assert_eq!(
        only(&node.probe(APP, 0, 9, ask)).face,
        2,
        "four silences are enough"
    );
}

/// The first rule of the paper stays: an ingress of a shorter tier is no upstream of a longer one.
#[test]
fn an_ingress_face_is_not_probed_in_a_longer_tier() {
    let mut node = Node::new(Config::new(1), &[2, 3, 3]);
    assert_eq!(only(&node.probe(2, 0, 0, Ask::open(0))).face, 1);
    node.answer(1, 2, 0, 0, rank(0, 1), CONVERGED);
    let sent = node.probe(APP, 1, 0, Ask::open(0));
    assert_eq!(only(&sent).face, 3, "face 2 asked before");
    node.answer(3, APP, 1, 0, rank(0, 1), CONVERGED);
    assert_eq!(node.valid(), [1, 3]);
}

/// A plain upstream answers without a rank: usable in the shortest tier only.
#[test]
fn an_answer_without_a_rank_counts_in_the_shortest_tier_only() {
    let mut node = Node::new(Config::new(1), &[2, 3]);
    let probe = |seq| probe_name(dest().as_name(), "s0", seq, seq);
    node.probe(APP, 0, 0, Ask::open(0));
    node.answer_named(1, &probe(0), None, OPEN);
    assert_eq!(node.valid(), [1]);
    assert!(
        node.events
            .iter()
            .any(|e| matches!(e, Event::PathFound { rank: None, .. }))
    );
    node.probe(APP, 1, 1, Ask::open(0));
    let sent = node.probe(APP, 1, 2, Ask::open(0));
    assert!(sent.iter().all(|s| s.face != APP || s.is_data()));
    node.answer_named(2, &probe_name(dest().as_name(), "s0", 1, 2), None, OPEN);
    assert_eq!(node.valid(), [1]);
}

/// A data Interest never opens state for a dest that nobody discovered.
#[test]
fn data_interests_for_unknown_dests_leave_nothing_behind() {
    let mut node = Node::new(Config::new(1), &[2]);
    for i in 0..100u8 {
        let name = data_name(dest().generic(&[i]).as_name(), 0);
        assert_eq!(
            only(&node.interest(APP, &name, Ask::open(0))).detail(),
            Some(NackDetail::NoRoute)
        );
    }
    assert_eq!(
        (node.forwarder.dests().count(), node.forwarder.pending()),
        (0, 0)
    );
}

/// The producer's own forwarder answers for it with label 0 in the requester's generation.
#[test]
fn the_producers_forwarder_stamps_rank_zero() {
    let mut node = Node::new(Config::new(1), &[]);
    node.input(Input::FaceAdded {
        face: FaceId(1),
        kind: FaceKind::Mars,
    });
    node.input(Input::ProducerRegistered {
        prefix: dest().as_name(),
        face: FaceId(APP),
    });
    assert_eq!(only(&node.probe(1, 0, 0, Ask::open(3))).face, APP);
    let name = probe_name(dest().as_name(), "s1", 0, 0);
    let sent = node.answer_named(APP, &name, None, OPEN);
    let header = only(&sent).header();
    assert_eq!(header.rank(), Some(rank(3, 0)));
    assert!(header.tier_conv && header.node_conv);
    let stale = node.probe(1, 0, 1, Ask::open(2));
    assert_eq!(only(&stale).header().generation, Some(3));
}

/// Routes that arrive make new next hops; one that leaves hands its Interests over.
#[test]
fn a_withdrawn_route_hands_its_interests_over_at_once() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    for (face, seq) in [(1, 0), (2, 1)] {
        assert_eq!(only(&node.probe(APP, 0, seq, Ask::open(0))).face, face);
        node.answer(face, APP, 0, seq, rank(0, 1), CONVERGED);
    }
    let name = data_name(dest().as_name(), 0);
    let first = only(&node.interest(APP, &name, Ask::open(0))).clone();
    let other = 3 - first.face;
    let routes = [Route {
        face: FaceId(other),
        hops: 2,
    }];
    let sent = node.input(Input::Routes {
        prefix: dest().as_name(),
        routes: &routes,
    });
    assert_eq!(only(&sent).face, other);
    assert_ne!(only(&sent).nonce(), first.nonce());
    assert_eq!(node.valid(), [other]);
}

/// A node that becomes the producer's forwarder stands closer than any upstream it had.
#[test]
fn a_producer_that_registers_late_ends_the_paths_to_others() {
    let mut node = Node::new(Config::new(1), &[2]);
    node.probe(APP, 0, 0, Ask::open(0));
    node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(node.valid(), [1]);
    node.input(Input::ProducerRegistered {
        prefix: dest().as_name(),
        face: FaceId(APP),
    });
    node.probe(1, 0, 1, Ask::open(0));
    assert_eq!((node.valid(), node.label()), (vec![], Some(0)));
}

/// The end of time is not due: it would be due again at once, for ever.
#[test]
fn the_end_of_time_is_just_another_instant() {
    let mut node = Node::new(Config::new(1), &[2]);
    node.input(Input::ProducerRegistered {
        prefix: dest().as_name(),
        face: FaceId(APP),
    });
    node.probe(1, 0, 0, Ask::open(0));
    node.interest(1, &data_name(dest().as_name(), 0), Ask::open(0));
    node.now = mars_time::Instant::MAX;
    assert_eq!(node.input(Input::Timeout), []);
    node.probe(1, 0, 1, Ask::open(0));
    assert_eq!(node.input(Input::Timeout), []);
}

/// A node that restarts keeps out for a path lifetime. An answer that it sent before, and that arrives
/// late, must not be believed for longer: what it told is held true from when it was asked for.
#[test]
fn a_late_answer_is_believed_from_when_it_was_asked_for() {
    let mut config = Config::new(1);
    config.path_lifetime = Duration::from_secs(1);
    for (late, valid) in [(900, vec![1]), (1_100, vec![])] {
        let mut node = Node::new(config.clone(), &[2]);
        node.probe(APP, 0, 0, Ask::open(0));
        node.pass(Duration::from_millis(late));
        node.answer(1, APP, 0, 0, rank(0, 1), CONVERGED);
        assert_eq!(node.valid(), valid, "answered after {late} ms");
        node.pass(Duration::from_millis(100));
        assert_eq!(node.valid(), [], "a path lifetime after the question");
    }
}

/// What a producer's forwarder answers is of label 0, even to a probe that was let in before it was one.
/// An answer without a rank would stand outside the order.
#[test]
fn a_producer_that_registers_while_a_probe_is_out_answers_with_label_zero() {
    let mut node = Node::new(Config::new(1), &[2, 2]);
    assert_eq!(only(&node.probe(2, 0, 0, Ask::open(0))).face, 1);
    node.input(Input::ProducerRegistered {
        prefix: dest().as_name(),
        face: FaceId(APP),
    });
    let sent = node.answer(1, 2, 0, 0, rank(0, 1), CONVERGED);
    assert_eq!(only(&sent).header().rank(), Some(rank(0, 0)));
}

/// On a way of many links that each lose packets, next to no probe would get there and back. Each node
/// mends its own link: once a probe fell silent it repeats the next ones, and answers again what was
/// answered.
#[test]
fn a_probe_over_a_lossy_face_is_repeated_and_answered_again() {
    let mut node = Node::new(Config::new(1), &[2]);
    let first = only(&node.probe(APP, 0, 0, Ask::open(0))).clone();
    let sent = node.pass(first.lifetime());
    assert!(
        sent.iter().all(|s| s.face == APP),
        "no repetition before a loss"
    );
    only(&node.probe(APP, 0, 1, Ask::open(0)));
    let again = only(&node.pass(Duration::from_millis(60))).clone();
    assert!(again.is_interest() && again.face == 1);

    only(&node.answer(1, APP, 0, 1, rank(0, 1), CONVERGED));
    let pending = node.forwarder.pending();
    assert_eq!(pending, 1, "the lost one alone: its answer may be late");
    let answered = node.probe(APP, 0, 1, Ask::open(0));
    assert!(only(&answered).is_data(), "answered without going on");
    node.pass(Duration::from_secs(1));
    let forgotten = node.probe(APP, 0, 1, Ask::open(0));
    assert!(only(&forgotten).is_interest(), "but not for ever");
}

/// A restarted producer's forwarder that served data would keep its neighbours believing in a rank that it
/// forgot, for longer than it keeps out of discovery itself.
#[test]
fn a_restarted_node_keeps_out_of_data_too() {
    let mut config = Config::new(1);
    config.restarted = true;
    let rest = 2 * config.path_lifetime;
    let mut node = Node::new(config, &[2]);
    node.input(Input::ProducerRegistered {
        prefix: dest().as_name(),
        face: FaceId(APP),
    });
    let name = data_name(dest().as_name(), 0);
    let refused = node.interest(1, &name, Ask::open(0));
    assert_eq!(only(&refused).detail(), Some(NackDetail::NoRoute));
    node.pass(rest);
    assert!(only(&node.interest(1, &name, Ask::open(0))).is_interest());
}
