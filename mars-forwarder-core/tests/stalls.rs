//! Nothing waits while it could go, and nobody takes the room of others.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{APP, Ask, Node, Sent, data_name, dest, only, probe_name, ready};
use mars_forwarder_core::{Config, FaceId, FaceKind, Input};
use mars_wire::{Label, MarsHeader, NackDetail, NameBuf};

/// Patient, so that a stall shows as one.
fn ask(node: &mut Node, name: &NameBuf) -> Vec<Sent> {
    let lifetime = Duration::from_secs(20);
    node.interest(
        APP,
        name,
        Ask {
            lifetime,
            ..Ask::open(0)
        },
    )
}

fn answer(node: &mut Node, face: u32, name: &NameBuf) -> Vec<Sent> {
    let header = MarsHeader {
        interest_queue: Some(0),
        data_queue: Some(0),
        ..MarsHeader::default()
    };
    node.data(face, name, header)
}

fn name(segment: u64) -> NameBuf {
    data_name(dest().as_name(), segment)
}

fn queue(node: &Node) -> usize {
    node.forwarder.dest(dest().as_name()).unwrap().queue_len()
}

#[test]
fn data_that_opens_the_window_of_a_dest_releases_its_backlog() {
    let mut config = Config::new(1);
    config.dest_law.initial_window = 2;
    let mut node = ready(config, &[2]);
    for segment in 0..6 {
        ask(&mut node, &name(segment));
    }
    node.pass(Duration::from_millis(50));
    assert_eq!(queue(&node), 4);
    for segment in 0..6 {
        answer(&mut node, 1, &name(segment));
        node.pass(Duration::from_millis(20));
    }
    assert_eq!((queue(&node), node.forwarder.pending()), (0, 0));
}

#[test]
fn a_retransmission_over_the_only_face_is_not_refused() {
    let mut node = ready(Config::new(1), &[2]);
    ask(&mut node, &name(0));
    node.pass(Duration::from_millis(20));
    answer(&mut node, 1, &name(0));
    let first = only(&ask(&mut node, &name(1))).nonce();
    node.pass(Duration::from_millis(50));
    let again = ask(&mut node, &name(1));
    assert!(only(&again).is_interest() && only(&again).nonce() != first);
    assert!(only(&answer(&mut node, 1, &name(1))).is_data());
}

#[test]
fn what_waits_for_a_face_that_goes_down_goes_over_another() {
    let mut config = Config::new(1);
    config.face_law.initial_window = 2;
    let mut node = ready(config, &[2, 3]);
    let other = node.other_dest(APP, 1);
    for segment in 0..4 {
        ask(&mut node, &data_name(other.as_name(), segment));
    }
    assert_eq!(
        (ask(&mut node, &name(0)), queue(&node)),
        (vec![], 1),
        "face 1 is full"
    );
    let sent = node.input(Input::FaceDown { face: FaceId(1) });
    assert!(sent.iter().any(|s| s.is_interest() && s.face == 2));
    assert_eq!(queue(&node), 0);
}

#[test]
fn an_interest_that_may_take_only_a_longer_tier_is_woken_when_that_opens() {
    let mut config = Config::new(1);
    config.face_law.initial_window = 2;
    let mut node = ready(config, &[2, 3]);
    let other = node.other_dest(APP, 2);
    for segment in 0..2 {
        ask(&mut node, &data_name(other.as_name(), segment));
        node.pass(Duration::from_millis(5));
    }
    let lifetime = Duration::from_secs(20);
    let sent = node.interest(
        1,
        &name(0),
        Ask {
            lifetime,
            ..Ask::open(0)
        },
    );
    assert_eq!(
        (sent, queue(&node)),
        (vec![], 1),
        "it came from the shortest tier; face 2 is full"
    );
    let mut sent = answer(&mut node, 2, &data_name(other.as_name(), 0));
    sent.extend(node.pass(Duration::from_millis(50)));
    assert!(sent.iter().any(|s| s.is_interest() && s.face == 2));
}

/// A neighbour that asks for the impossible is told so; the upstream that said so keeps its standing.
#[test]
fn an_absurd_bound_does_not_get_an_upstream_refused() {
    let mut node = Node::new(Config::new(1), &[2, 9]);
    node.input(Input::FaceAdded {
        face: FaceId(7),
        kind: FaceKind::Mars,
    });
    let absurd = Ask {
        bound: Some(Label::ZERO),
        ..Ask::open(0)
    };
    assert_eq!(only(&node.probe(7, 0, 0, absurd)).face, 1);
    let refused = node.nack(
        1,
        &probe_name(dest().as_name(), "s7", 0, 0),
        NackDetail::Order,
        None,
    );
    assert_eq!(only(&refused).face, 7);
    assert_eq!(only(&node.probe(APP, 0, 0, Ask::open(0))).face, 1);
}

/// Probes pass no window, so that a flood of them must be held off by the table itself.
#[test]
fn a_flood_over_one_face_leaves_room_for_the_others() {
    let mut config = Config::new(1);
    config.max_pending = 1_000;
    let mut node = ready(config, &[2, 2]);
    node.input(Input::FaceAdded {
        face: FaceId(7),
        kind: FaceKind::Mars,
    });
    for seq in 0..3_000 {
        let lifetime = Duration::from_secs(30);
        node.probe(
            7,
            0,
            seq,
            Ask {
                lifetime,
                ..Ask::open(0)
            },
        );
    }
    assert_eq!(node.forwarder.pending(), 500);
    assert!(only(&ask(&mut node, &name(1))).is_interest());
}
