//! The data plane of one node: queue, windows, aggregation, Nacks, faces that come and go.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{APP, Ask, Node, Sent, data_name, dest, only, ready};
use mars_forwarder_core::{
    Config, DropReason, Edit, Event, FaceId, FaceKind, Input, Interest, Route,
};
use mars_wire::{MarsHeader, NackDetail, NackReason, NameBuf, PitToken};

fn name(segment: u64) -> NameBuf {
    data_name(dest().as_name(), segment)
}

fn ask(node: &mut Node, segment: u64) -> Vec<Sent> {
    node.interest(APP, &name(segment), Ask::open(0))
}

fn data(node: &mut Node, face: u32, segment: u64, queues: (u16, u16)) -> Vec<Sent> {
    let header = MarsHeader {
        interest_queue: Some(queues.0),
        data_queue: Some(queues.1),
        ..MarsHeader::default()
    };
    node.data(face, &name(segment), header)
}

fn dropped(node: &Node, reason: DropReason) -> usize {
    let is = |e: &&Event| matches!(e, Event::Dropped { reason: r, .. } if *r == reason);
    node.events.iter().filter(is).count()
}

fn in_flight(node: &Node) -> Vec<u32> {
    let name = dest();
    let view = node.forwarder.dest(name.as_name()).unwrap();
    view.valid_upstreams().map(|u| u.in_flight).collect()
}

#[test]
fn data_returns_to_all_who_asked_with_their_tokens_and_this_nodes_queues() {
    let mut node = ready(Config::new(1), &[2]);
    node.input(Input::FaceAdded {
        face: FaceId(7),
        kind: FaceKind::Mars,
    });
    node.input(Input::DataQueue {
        face: FaceId(7),
        packets: 12,
    });
    assert_eq!(only(&ask(&mut node, 0)).face, 1);
    let name = name(0);
    let token = PitToken::new(b"token");
    let interest = Interest {
        name: name.as_name(),
        nonce: Some(5),
        lifetime: Duration::from_secs(4),
        hop_limit: None,
        pit_token: token,
        must_be_fresh: false,
        header: MarsHeader::default(),
    };
    assert_eq!(
        node.input(Input::Interest {
            face: FaceId(7),
            interest,
            packet: 3
        }),
        [],
        "aggregated"
    );
    let mut sent = data(&mut node, 1, 0, (0, 0));
    sent.sort_by_key(|s| s.face);
    assert_eq!(
        sent.iter().map(|s| (s.face, s.packet)).collect::<Vec<_>>(),
        [(APP, 9), (7, 9)]
    );
    assert_eq!(
        sent[0].header().data_queue,
        None,
        "applications are not told"
    );
    assert_eq!(sent[1].header().data_queue, Some(12));
    assert!(matches!(sent[1].edit, Edit::Data { pit_token, .. } if pit_token == token));
    assert_eq!(data(&mut node, 1, 0, (0, 0)), [], "once");
    assert_eq!(
        (
            dropped(&node, DropReason::Unsolicited),
            node.forwarder.pending()
        ),
        (1, 0)
    );
}

#[test]
fn a_full_queue_refuses_and_says_so() {
    let mut node = ready(Config::new(1), &[2]);
    let mut sent = Vec::new();
    for segment in 0..200 {
        sent.extend(ask(&mut node, segment));
    }
    let released = sent.iter().filter(|s| s.is_interest()).count();
    let refused: Vec<_> = sent
        .iter()
        .filter(|s| s.detail() == Some(NackDetail::QueueFull))
        .collect();
    assert_eq!(refused.len(), 200 - released - 40);
    assert_eq!(refused[0].header().interest_queue, Some(40));
    assert_eq!(dropped(&node, DropReason::QueueFull), refused.len());
    assert_eq!(
        node.forwarder.pending(),
        u32::try_from(released + 40).unwrap()
    );
}

#[test]
fn slots_return_exactly_once_whatever_happens_to_an_interest() {
    let mut node = ready(Config::new(1), &[2, 2]);
    let mut face = [0; 3];
    for segment in 0..3 {
        face[usize::try_from(segment).unwrap()] = only(&ask(&mut node, segment)).face;
        node.pass(Duration::from_millis(1));
    }
    assert_eq!(in_flight(&node).iter().sum::<u32>(), 3);
    data(&mut node, face[0], 0, (0, 0));
    assert_eq!(in_flight(&node).iter().sum::<u32>(), 2);
    // A Nack: over to the other face, one slot for one.
    let other = only(&node.nack(face[1], &name(1), NackDetail::NoRoute, None)).face;
    assert_ne!(other, face[1]);
    assert_eq!(in_flight(&node).iter().sum::<u32>(), 2);
    // Refused there too: down it goes.
    let down = node.nack(other, &name(1), NackDetail::NoRoute, None);
    assert_eq!(only(&down).detail(), Some(NackDetail::NoRoute));
    assert_eq!(in_flight(&node).iter().sum::<u32>(), 1);
    // Silence: the slot returns, the Interest stays pending, a late Data is still delivered.
    let sent = node.pass(Duration::from_millis(1_500));
    assert_eq!(sent, [], "a forwarder does not retransmit on silence");
    assert_eq!(in_flight(&node).iter().sum::<u32>(), 0);
    assert!(only(&data(&mut node, face[2], 2, (0, 0))).is_data());
    assert_eq!(
        (in_flight(&node), node.forwarder.pending()),
        (vec![0, 0], 0)
    );
}

#[test]
fn a_face_that_goes_down_hands_its_interests_over_at_once_and_returns_later() {
    let mut node = ready(Config::new(1), &[2, 2]);
    let face = only(&ask(&mut node, 0)).face;
    let sent = node.input(Input::FaceDown { face: FaceId(face) });
    assert_eq!(only(&sent).face, 3 - face);
    assert_eq!(node.valid(), [3 - face]);
    node.input(Input::FaceUp { face: FaceId(face) });
    assert_eq!(node.valid(), [1, 2]);
    let sent = node.input(Input::FaceDown { face: FaceId(1) });
    let also = node.input(Input::FaceDown { face: FaceId(2) });
    let all = [sent, also].concat();
    assert_eq!(
        all.last().and_then(Sent::detail),
        Some(NackDetail::NoRoute),
        "nothing is left"
    );
    assert_eq!(node.forwarder.pending(), 0);
}

#[test]
fn a_retransmission_goes_out_once_the_answer_was_due_and_over_another_face() {
    let mut node = ready(Config::new(1), &[2, 2]);
    let first = only(&ask(&mut node, 0)).clone();
    assert_eq!(ask(&mut node, 0), [], "too soon");
    assert_eq!(dropped(&node, DropReason::Suppressed), 1);
    node.pass(Duration::from_millis(100));
    let again = ask(&mut node, 0);
    assert_eq!(only(&again).face, 3 - first.face);
    assert_ne!(only(&again).nonce(), first.nonce());
    assert!(
        only(&data(&mut node, first.face, 0, (0, 0))).is_data(),
        "the first answer counts too"
    );
    assert_eq!(
        in_flight(&node).iter().sum::<u32>(),
        1,
        "the other may still answer"
    );
    node.pass(Duration::from_secs(1));
    assert_eq!(
        (in_flight(&node), node.forwarder.pending()),
        (vec![0, 0], 0)
    );
}

#[test]
fn hop_limits_end() {
    let mut node = ready(Config::new(1), &[2]);
    let send = |node: &mut Node, segment, hop_limit| {
        let name = name(segment);
        let interest = Interest {
            name: name.as_name(),
            nonce: None,
            lifetime: Duration::from_secs(4),
            hop_limit,
            pit_token: None,
            must_be_fresh: false,
            header: MarsHeader::default(),
        };
        node.input(Input::Interest {
            face: FaceId(APP),
            interest,
            packet: 3,
        })
    };
    assert_eq!(send(&mut node, 0, Some(0)), []);
    assert_eq!(send(&mut node, 1, Some(1)), []);
    let passed = send(&mut node, 2, Some(2));
    assert!(matches!(
        only(&passed).edit,
        Edit::Interest {
            hop_limit: Some(1),
            ..
        }
    ));
    assert!(matches!(
        only(&send(&mut node, 3, None)).edit,
        Edit::Interest {
            hop_limit: None,
            ..
        }
    ));
    assert_eq!(dropped(&node, DropReason::HopLimit), 2);
}

#[test]
fn a_longer_tier_carries_only_what_the_shorter_cannot() {
    let mut node = ready(Config::new(1), &[2, 3]);
    let mut by_face = [0; 3];
    for segment in 0..40 {
        for sent in ask(&mut node, segment) {
            by_face[sent.face as usize] += 1;
            data(&mut node, sent.face, segment, (0, 0));
        }
        node.pass(Duration::from_millis(20));
    }
    assert_eq!(by_face, [0, 40, 0]);
    let sent: Vec<_> = (100..140)
        .flat_map(|segment| ask(&mut node, segment))
        .collect();
    assert!(
        sent.iter().any(|s| s.face == 2),
        "a backlog opens the longer tier"
    );
}

#[test]
fn congestion_upstream_moves_the_interest_and_shrinks_the_window() {
    let mut node = ready(Config::new(1), &[2, 2]);
    let face = only(&ask(&mut node, 0)).face;
    let moved = node.plain_nack(face, &name(0), NackReason::Congestion);
    assert_eq!(only(&moved).face, 3 - face);
    let down = node.plain_nack(3 - face, &name(0), NackReason::Congestion);
    assert_eq!(
        only(&down).detail(),
        Some(NackDetail::QueueFull),
        "the consumer is to slow down"
    );
    assert_eq!(
        node.valid(),
        [1, 2],
        "congestion is no reason to distrust a path"
    );
}

#[test]
fn plain_upstreams_need_no_discovery() {
    let mut node = Node::new(Config::new(1), &[]);
    node.input(Input::FaceAdded {
        face: FaceId(1),
        kind: FaceKind::Plain,
    });
    let routes = [Route {
        face: FaceId(1),
        hops: 3,
    }];
    node.input(Input::Routes {
        prefix: dest().as_name(),
        routes: &routes,
    });
    assert_eq!(only(&ask(&mut node, 0)).face, 1);
    assert!(
        node.events
            .iter()
            .any(|e| matches!(e, Event::PathFound { rank: None, .. }))
    );
    let name = dest().generic(b"any").generic(b"other");
    assert_eq!(
        only(&node.interest(APP, &name, Ask::open(0))).face,
        1,
        "other names go that way too"
    );
    let sent = node.data(1, &name, MarsHeader::default());
    assert!(only(&sent).is_data());
}
