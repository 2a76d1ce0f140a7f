//! Routes, producers and paths that come, go, fail and differ in kind.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{APP, Ask, Node, Sent, data_name, dest, only, probe_name, rank, ready};
use mars_forwarder_core::{
    Config, DropReason, Edit, Event, FaceId, FaceKind, Input, Interest, Refusal, Route,
};
use mars_wire::{MarsHeader, NackDetail, NackReason, Name, NameBuf};

const MS: Duration = Duration::from_millis(1);

fn name(n: u64) -> NameBuf {
    data_name(dest().as_name(), n)
}

fn ask(node: &mut Node, n: u64) -> Vec<Sent> {
    node.interest(APP, &name(n), Ask::open(0))
}

fn add(node: &mut Node, face: u32, kind: FaceKind) {
    let face = FaceId(face);
    node.input(Input::FaceAdded { face, kind });
}

fn routes(node: &mut Node, prefix: Name<'_>, routes: &[(u32, u32)]) -> Vec<Sent> {
    let routes: Vec<_> = routes
        .iter()
        .map(|(face, hops)| Route {
            face: FaceId(*face),
            hops: *hops,
        })
        .collect();
    let routes = &routes;
    node.input(Input::Routes { prefix, routes })
}

fn produce(node: &mut Node, face: u32) -> Vec<Sent> {
    let (dest, face) = (dest(), FaceId(face));
    let prefix = dest.as_name();
    node.input(Input::ProducerRegistered { prefix, face })
}

fn withdraw(node: &mut Node, face: u32) -> Vec<Sent> {
    let (dest, face) = (dest(), FaceId(face));
    let prefix = dest.as_name();
    node.input(Input::ProducerWithdrawn { prefix, face })
}

fn with_hops(node: &mut Node, face: u32, n: u64, hop_limit: Option<u8>) -> Vec<Sent> {
    let name = name(n);
    let interest = Interest {
        name: name.as_name(),
        nonce: None,
        lifetime: Duration::from_secs(4),
        hop_limit,
        pit_token: None,
        must_be_fresh: false,
        header: MarsHeader::default(),
    };
    let face = FaceId(face);
    node.input(Input::Interest {
        face,
        interest,
        packet: 3,
    })
}

// ---- prefixes and producers

/// The longest prefix decides, by whole components, and a longer one that appears takes over.
#[test]
fn a_dest_follows_its_longest_prefix() {
    let mut node = Node::new(Config::new(1), &[]);
    for face in 1..4 {
        add(&mut node, face, FaceKind::Plain);
    }
    let (a, ab, abc) = (
        NameBuf::new().generic(b"a"),
        NameBuf::new().generic(b"a").generic(b"b"),
        NameBuf::new().generic(b"a").generic(b"b").generic(b"c"),
    );
    routes(&mut node, a.as_name(), &[(1, 2)]);
    routes(&mut node, abc.as_name(), &[(3, 2)]);
    let via = |node: &mut Node, dest: &NameBuf, n| {
        only(&node.interest(APP, &data_name(dest.as_name(), n), Ask::open(0))).face
    };
    assert_eq!(
        [
            via(&mut node, &a, 0),
            via(&mut node, &ab, 0),
            via(&mut node, &abc, 0)
        ],
        [1, 1, 3]
    );
    routes(&mut node, ab.as_name(), &[(2, 2)]);
    assert_eq!(
        [
            via(&mut node, &a, 1),
            via(&mut node, &ab, 1),
            via(&mut node, &abc, 1)
        ],
        [1, 2, 3]
    );
    // Whose prefix goes falls back to the shorter one, and its pending Interests with it.
    let sent = routes(&mut node, abc.as_name(), &[]);
    assert_eq!(sent.iter().map(|s| s.face).collect::<Vec<_>>(), [2, 2]);
}

/// Of several producers the first serves; when it leaves or its face fails, the next one gets what
/// it had not answered.
#[test]
fn another_producer_takes_over_what_is_pending() {
    for leaves in [true, false] {
        let mut node = Node::new(Config::new(1), &[]);
        add(&mut node, 1, FaceKind::Mars);
        add(&mut node, 11, FaceKind::Local);
        add(&mut node, 12, FaceKind::Local);
        produce(&mut node, 11);
        produce(&mut node, 12);
        assert_eq!(only(&with_hops(&mut node, 1, 0, Some(1))).face, 11);
        let sent = if leaves {
            withdraw(&mut node, 11)
        } else {
            node.input(Input::FaceDown { face: FaceId(11) })
        };
        assert_eq!(only(&sent).face, 12);
        assert_eq!(only(&with_hops(&mut node, 1, 1, Some(1))).face, 12);
        // The first comes back: nothing is taken from the second.
        let sent = if leaves {
            produce(&mut node, 11)
        } else {
            node.input(Input::FaceUp { face: FaceId(11) })
        };
        assert_eq!(sent, []);
        let sent = node.data(12, &name(0), MarsHeader::default());
        assert_eq!((only(&sent).face, only(&sent).is_data()), (1, true));
    }
}

/// The last hop may be spent on an application here: when that leaves, the Interest goes no
/// farther, while one with hops left does.
#[test]
fn an_interest_without_hops_left_does_not_leave_the_node() {
    let mut node = Node::new(Config::new(1), &[]);
    add(&mut node, 1, FaceKind::Plain);
    add(&mut node, 2, FaceKind::Mars);
    routes(&mut node, dest().as_name(), &[(1, 2)]);
    produce(&mut node, APP);
    with_hops(&mut node, 2, 0, Some(1));
    with_hops(&mut node, 2, 1, Some(2));
    let sent = withdraw(&mut node, APP);
    let to = |face| sent.iter().filter(move |s| s.face == face);
    let nack = only(&to(2).cloned().collect::<Vec<_>>()).detail();
    assert_eq!(nack, Some(NackDetail::NoRoute));
    let gone = to(1).cloned().collect::<Vec<_>>();
    let hop_limit = Some(1);
    assert!(matches!(only(&gone).edit, Edit::Interest { hop_limit: h, .. } if h == hop_limit));
}

/// A producer that registers late is given what is pending in vain.
#[test]
fn a_producer_that_comes_late_gets_what_is_pending() {
    let mut config = Config::new(1);
    config.hold_without_route = true;
    let mut node = Node::new(config, &[]);
    add(&mut node, 1, FaceKind::Mars);
    assert_eq!(with_hops(&mut node, 1, 0, None), []);
    node.pass(100 * MS);
    assert_eq!(only(&produce(&mut node, APP)).face, APP);
}

/// What is held for want of a route is bounded by the queue, and ends with its lifetime.
#[test]
fn held_interests_are_bounded_and_expire() {
    let mut config = Config::new(1);
    config.hold_without_route = true;
    let mut node = Node::new(config, &[]);
    let refused: Vec<_> = (0..50).flat_map(|n| ask(&mut node, n)).collect();
    assert_eq!(refused.len(), 10);
    assert!(
        refused
            .iter()
            .all(|s| s.detail() == Some(NackDetail::QueueFull))
    );
    assert_eq!(node.pass(Duration::from_secs(2)), []);
    assert_eq!(node.forwarder.pending(), 0);
    assert_eq!(node.forwarder.counters().expired, 40);
}

// ---- kinds of upstreams

/// Mixed upstreams: a plain one in the shortest tier carries data beside MARS ones that discovery
/// found; one that is farther is never used.
#[test]
fn plain_and_mars_upstreams_carry_data_together() {
    let mut node = Node::new(Config::new(1), &[2, 3]);
    add(&mut node, 11, FaceKind::Plain);
    add(&mut node, 12, FaceKind::Plain);
    routes(
        &mut node,
        dest().as_name(),
        &[(1, 2), (2, 3), (11, 2), (12, 3)],
    );
    for seq in 0..8 {
        for probe in node.probe(APP, seq, seq, Ask::open(0)) {
            node.answer(probe.face, APP, seq, seq, rank(0, 1), (true, true));
        }
    }
    assert_eq!(node.valid(), [1, 11, 2]);
    let mut by_face = [0; 13];
    for n in 0..200 {
        for sent in ask(&mut node, n) {
            by_face[sent.face as usize] += 1;
            node.data(sent.face, &name(n), MarsHeader::default());
        }
        node.pass(10 * MS);
    }
    assert!(by_face[1] >= 80 && by_face[11] >= 80, "{by_face:?}");
    assert_eq!(
        by_face[2] + by_face[12],
        0,
        "not while the shorter tier can"
    );
}

/// Endpoint deployment: no upstream reports a queue. The window grows while the path is fast and
/// is held back when round trips show that a queue builds up.
#[test]
fn without_feedback_round_trips_tell_of_the_queue() {
    let mut node = Node::new(Config::new(1), &[]);
    add(&mut node, 1, FaceKind::Plain);
    routes(&mut node, dest().as_name(), &[(1, 2)]);
    // A link of one Data per 2 ms behind 20 ms of delay; what is sent faster waits.
    let (mut free, mut due, mut n) = (node.now, Vec::new(), 0);
    let mut longest = Duration::ZERO;
    let mut delivered = 0;
    for tick in 0..8_000 {
        let mut sent = node.pass(Duration::from_micros(500));
        due.retain(|(at, name): &(mars_time::Instant, NameBuf)| {
            let here = *at <= node.now;
            if here {
                sent.extend(node.data(1, name, MarsHeader::default()));
                delivered += u64::from(tick >= 4_000);
            }
            !here
        });
        let pending = node
            .forwarder
            .dest(dest().as_name())
            .map_or(0, |d| d.queue_len());
        if pending < 30 {
            n += 1;
            sent.extend(node.interest_numbered(APP, &name(n), Ask::open(0), n));
        }
        for sent in sent.iter().filter(|s| s.is_interest()) {
            free = free.max(node.now + 20 * MS) + 2 * MS;
            due.push((free, name(sent.packet)));
            if tick >= 4_000 {
                longest = longest.max(free.saturating_duration_since(node.now));
            }
        }
    }
    // 500 Data per second for 2 s.
    assert!(delivered >= 950, "{delivered} of 1000 delivered");
    assert!(
        longest <= 90 * MS,
        "round trips of {longest:?}: the queue is not seen"
    );
}

// ---- suspension

#[test]
fn a_suspended_face_is_tried_with_one_interest_and_resumes_with_data() {
    let mut node = ready(Config::new(1), &[2]);
    for n in 0..3 {
        ask(&mut node, n);
        node.plain_nack(1, &name(n), NackReason::NoRoute);
    }
    let suspended = |node: &Node| {
        let mut events = node.events.iter().rev();
        events.find_map(|e| match e {
            Event::PathSuspended { until, .. } => Some(until.saturating_duration_since(node.now)),
            _ => None,
        })
    };
    assert_eq!(suspended(&node), Some(100 * MS));
    assert_eq!(only(&ask(&mut node, 3)).detail(), Some(NackDetail::NoRoute));
    node.pass(100 * MS);
    assert_eq!(only(&ask(&mut node, 4)).face, 1, "one finds out");
    assert_eq!(ask(&mut node, 5), [], "others wait");
    let sent = node.plain_nack(1, &name(4), NackReason::NoRoute);
    assert!(sent.iter().all(|s| s.detail() == Some(NackDetail::NoRoute)));
    assert_eq!(suspended(&node), Some(200 * MS), "twice as long");
    node.pass(200 * MS);
    ask(&mut node, 6);
    assert_eq!(ask(&mut node, 7), []);
    let sent = node.data(1, &name(6), MarsHeader::default());
    assert!(sent.iter().any(Sent::is_interest), "in full use again");
    assert!(
        node.events
            .iter()
            .any(|e| matches!(e, Event::PathResumed { .. }))
    );
    assert_eq!(node.forwarder.counters().suspensions, 2);
    assert_eq!(node.valid(), [1], "discovery was not touched");
}

/// Suspension is per dest and face: another dest goes on over it.
#[test]
fn a_suspension_concerns_one_dest() {
    let mut node = ready(Config::new(1), &[2]);
    let other = dest().generic(b"other");
    let probe = probe_name(other.as_name(), "s", 0, 0);
    node.interest(APP, &probe, Ask::open(0));
    node.answer_named(1, &probe, Some(rank(0, 1)), (true, true));
    for n in 0..3 {
        ask(&mut node, n);
        node.plain_nack(1, &name(n), NackReason::Duplicate);
    }
    assert_eq!(only(&ask(&mut node, 3)).detail(), Some(NackDetail::NoRoute));
    let sent = node.interest(APP, &data_name(other.as_name(), 0), Ask::open(0));
    assert_eq!(only(&sent).face, 1);
}

// ---- discovery beside data

/// Rediscovery probes all faces again within the generation: labels and paths stay, data flows.
#[test]
fn rediscovery_keeps_labels_and_paths_while_data_flows() {
    let mut node = ready(Config::new(1), &[2, 2, 3]);
    let (label, generation) = (node.label(), node.generation());
    let mut probed = Vec::new();
    for n in 0..100 {
        assert!(only(&ask(&mut node, n)).is_interest());
        node.pass(100 * MS);
        if n >= 60 {
            for probe in node.probe(APP, 20 + n / 4, 1_000 + n, Ask::open(0)) {
                probed.push(probe.face);
                let seq = 1_000 + n;
                node.answer(probe.face, APP, 20 + n / 4, seq, rank(0, 1), (true, true));
            }
        }
        for face in [1, 2, 3] {
            node.data(face, &name(n), MarsHeader::default());
        }
        assert_eq!(node.valid(), [1, 2, 3]);
    }
    probed.sort_unstable();
    probed.dedup();
    assert_eq!(probed, [1, 2, 3], "all were asked again");
    assert_eq!((node.label(), node.generation()), (label, generation));
}

/// The paper's tier-skipping: paths are there, and no face of the next tier may be probed.
#[test]
fn a_tier_without_eligible_faces_converges_at_once() {
    let mut node = Node::new(Config::new(1), &[2, 3, 3]);
    node.probe(2, 0, 0, Ask::open(0));
    node.answer(1, 2, 0, 0, rank(0, 1), (true, true));
    node.probe(3, 0, 0, Ask::open(0));
    node.answer(1, 3, 0, 0, rank(0, 1), (true, true));
    // Faces 2 and 3 asked before: they are downstream.
    let probe = node.probe(APP, 1, 1, Ask::open(0));
    assert_eq!(only(&probe).face, 1);
    let sent = node.answer(1, APP, 1, 1, rank(0, 1), (true, true));
    let header = only(&sent).header();
    assert!(header.tier_conv && header.node_conv);
}

/// Why discovery gave a face up is told.
#[test]
fn refused_faces_are_reported_with_a_reason() {
    let mut node = Node::new(Config::new(1), &[2, 2, 2]);
    let probe = |n| probe_name(dest().as_name(), "s0", 0, n);
    node.probe(APP, 0, 0, Ask::open(0));
    node.nack(1, &probe(0), NackDetail::NoRoute, None);
    node.answer(2, APP, 0, 0, rank(0, 1), (false, false));
    node.probe(APP, 0, 1, Ask::open(0));
    node.answer(3, APP, 0, 1, rank(0, 9), (false, false));
    node.nack(3, &probe(1), NackDetail::Order, None);
    let reasons: Vec<_> = node
        .events
        .iter()
        .filter_map(|e| match e {
            Event::FaceRefused { face, reason, .. } => Some((face.0, *reason)),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, [(1, Refusal::NoRoute), (3, Refusal::Order)]);
}

// ---- shares

/// One face cannot fill the table of dests: it may open as many as are left free.
#[test]
fn one_face_leaves_room_in_the_table_of_dests() {
    let mut config = Config::new(1);
    config.max_dests = 64;
    let mut node = Node::new(config, &[2]);
    add(&mut node, 7, FaceKind::Mars);
    for n in 0..1_000_u32 {
        let name = dest().generic(&n.to_be_bytes());
        node.interest(7, &probe_name(name.as_name(), "s", 0, 0), Ask::open(0));
    }
    assert_eq!(node.forwarder.dests().count(), 32);
    assert!(node.events.contains(&Event::Dropped {
        face: FaceId(7),
        reason: DropReason::DestsFull
    }));
    assert_eq!(node.forwarder.counters().drops(DropReason::DestsFull), 968);
    assert!(only(&node.probe(APP, 0, 0, Ask::open(0))).is_interest());
    // What is forgotten makes room for the same face again.
    node.pass(Duration::from_secs(61));
    let name = dest().generic(b"again");
    let sent = node.interest(7, &probe_name(name.as_name(), "s", 0, 0), Ask::open(0));
    assert!(only(&sent).is_interest());
}

/// Entries that only linger are charged to nobody, so there are few of them.
#[test]
fn few_entries_linger() {
    let mut config = Config::new(1);
    config.max_pending = 80;
    let mut node = Node::new(config, &[2, 2]);
    let lifetime = Duration::from_secs(20);
    for seq in 0..200 {
        let ask = Ask {
            lifetime,
            ..Ask::open(0)
        };
        node.probe(APP, 0, seq, ask);
        if seq % 8 == 7 {
            // The first face is silent, the second refuses.
            node.pass(Duration::from_secs(5));
        }
    }
    node.pass(Duration::from_secs(15));
    assert!(
        node.forwarder.pending() <= 10,
        "{}",
        node.forwarder.pending()
    );
}

// ---- the queue

/// An Interest that came back and may take only a face that is full does not hold up those behind
/// it, and goes when that face opens.
#[test]
fn an_interest_that_must_wait_for_one_face_holds_nobody_up() {
    let mut config = Config::new(1);
    config.face_law.initial_window = 2;
    let mut node = ready(config, &[2, 2]);
    let mut on = [Vec::new(), Vec::new(), Vec::new()];
    for n in 0..4 {
        on[only(&ask(&mut node, n)).face as usize].push(n);
        node.pass(MS);
    }
    assert_eq!([on[1].len(), on[2].len()], [2, 2]);
    assert_eq!(ask(&mut node, 4), []);
    node.pass(5 * MS);
    // Face 1 refuses one: only face 2 is left for it, and that is full. Its slot goes to the next.
    let sent = node.plain_nack(1, &name(on[1][0]), NackReason::NoRoute);
    assert_eq!((only(&sent).face, only(&sent).is_interest()), (1, true));
    let dest = dest();
    let queued = |node: &Node| node.forwarder.dest(dest.as_name()).unwrap().queue_len();
    assert_eq!(queued(&node), 1);
    let mut sent = node.data(2, &name(on[2][0]), MarsHeader::default());
    sent.extend(node.pass(50 * MS));
    assert!(sent.iter().any(|s| s.is_interest() && s.face == 2));
    assert_eq!(queued(&node), 0);
}

/// A retransmission does not get around the cap of the queue.
#[test]
fn a_retransmission_into_a_full_queue_is_refused() {
    let mut config = Config::new(1);
    config.face_law.initial_window = 2;
    let mut node = ready(config, &[2]);
    ask(&mut node, 0);
    node.pass(2 * MS);
    ask(&mut node, 1);
    node.pass(1_990 * MS);
    assert_eq!(node.forwarder.counters().silences, 2);
    let patient = Ask {
        lifetime: Duration::from_secs(20),
        ..Ask::open(0)
    };
    let mut n = 10;
    while node.forwarder.dest(dest().as_name()).unwrap().queue_len() < 40 {
        node.interest(APP, &name(n), patient);
        n += 1;
    }
    let sent = ask(&mut node, 1);
    assert_eq!(only(&sent).detail(), Some(NackDetail::QueueFull));
    assert_eq!(
        node.forwarder.dest(dest().as_name()).unwrap().queue_len(),
        40
    );
}
