//! The content store: what is kept, for whom, and what never is.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{APP, Ask, Node, Sent, data_name, dest, only, probe_name, rank, ready};
use mars_forwarder_core::{Config, Data, FaceId, Input, Interest};
use mars_wire::{MarsHeader, NameBuf, PitToken};

fn caching() -> Config {
    let mut config = Config::new(1);
    config.max_cached = 4;
    config.max_cached_octets = 4_000;
    config
}

fn name(n: u64) -> NameBuf {
    data_name(dest().as_name(), n)
}

fn ask(node: &mut Node, n: u64, must_be_fresh: bool) -> Vec<Sent> {
    let name = name(n);
    let interest = Interest {
        name: name.as_name(),
        nonce: None,
        lifetime: Duration::from_secs(4),
        hop_limit: None,
        pit_token: PitToken::new(b"token"),
        must_be_fresh,
        header: MarsHeader::default(),
    };
    let face = FaceId(APP);
    node.input(Input::Interest {
        face,
        interest,
        packet: 3,
    })
}

fn data(node: &mut Node, n: u64, freshness: Option<Duration>, octets: u32) -> Vec<Sent> {
    let name = name(n);
    let data = Data {
        name: name.as_name(),
        freshness,
        octets,
        header: MarsHeader::default(),
    };
    node.input(Input::Data {
        face: FaceId(1),
        data,
        packet: 100 + n,
    })
}

fn fetch(node: &mut Node, n: u64, freshness: Option<Duration>, octets: u32) {
    assert!(only(&ask(node, n, false)).is_interest());
    data(node, n, freshness, octets);
}

#[test]
fn it_is_off_unless_asked_for() {
    let mut node = ready(Config::new(1), &[2]);
    fetch(&mut node, 0, None, 10);
    assert_eq!(node.forwarder.cached(), 0);
    assert!(only(&ask(&mut node, 0, false)).is_interest());
}

#[test]
fn data_is_served_again_with_the_token_of_who_asks() {
    let mut node = ready(caching(), &[2]);
    fetch(&mut node, 0, None, 10);
    let sent = ask(&mut node, 0, false);
    let hit = only(&sent);
    assert_eq!((hit.face, hit.packet, hit.is_data()), (APP, 100, true));
    let token = PitToken::new(b"token");
    assert!(
        matches!(hit.edit, mars_forwarder_core::Edit::Data { pit_token, .. } if pit_token == token)
    );
    let counters = node.forwarder.counters();
    assert_eq!((counters.cache_hits, counters.cached), (1, 1));
    assert_eq!(node.forwarder.pending(), 0);
}

#[test]
fn must_be_fresh_is_honoured_to_the_instant() {
    let mut node = ready(caching(), &[2]);
    fetch(&mut node, 0, Some(Duration::from_millis(500)), 10);
    node.pass(Duration::from_micros(499_999));
    assert!(only(&ask(&mut node, 0, true)).is_data());
    node.pass(Duration::from_micros(1));
    assert!(only(&ask(&mut node, 0, true)).is_interest());
    assert!(
        only(&ask(&mut node, 0, false)).is_data(),
        "others do not mind"
    );
    // Without a period it is never fresh.
    fetch(&mut node, 1, None, 10);
    assert!(only(&ask(&mut node, 1, true)).is_interest());
}

#[test]
fn entries_and_octets_are_bounded() {
    let mut node = ready(caching(), &[2]);
    for n in 0..10 {
        fetch(&mut node, n, None, 10);
    }
    assert_eq!(node.forwarder.cached(), 4);
    assert_eq!(node.forwarder.counters().cache_evictions, 6);
    assert!(only(&ask(&mut node, 9, false)).is_data());
    assert!(only(&ask(&mut node, 5, false)).is_interest());
    for n in 20..24 {
        fetch(&mut node, n, None, 1_900);
    }
    assert_eq!(node.forwarder.cached(), 2);
}

/// What answers a probe says how things stand now; a copy would not.
#[test]
fn answers_to_probes_are_never_kept() {
    let mut node = Node::new(caching(), &[2]);
    let probe = probe_name(dest().as_name(), "s0", 0, 0);
    node.interest(APP, &probe, Ask::open(0));
    node.answer_named(1, &probe, Some(rank(0, 1)), (true, true));
    assert_eq!(node.forwarder.cached(), 0);
    // For a moment the node itself repeats it to who lost it, with a header of that moment.
    node.pass(Duration::from_secs(1));
    assert!(only(&node.interest(APP, &probe, Ask::open(0))).is_interest());
}

/// Nobody can put Data here that nobody asked for.
#[test]
fn unsolicited_data_is_not_kept() {
    let mut node = ready(caching(), &[2]);
    assert_eq!(data(&mut node, 0, None, 10), []);
    assert_eq!(node.forwarder.cached(), 0);
}

/// A hit says nothing of the path: no window hears of it.
#[test]
fn hits_do_not_reach_the_windows() {
    let mut node = ready(caching(), &[2]);
    ask(&mut node, 0, false);
    node.pass(Duration::from_millis(80));
    data(&mut node, 0, None, 10);
    let state = |node: &Node| {
        let dest = dest();
        let view = node.forwarder.dest(dest.as_name()).unwrap();
        let upstream = view.valid_upstreams().next().unwrap();
        (upstream.srtt, upstream.window, upstream.in_flight)
    };
    let before = state(&node);
    for _ in 0..100 {
        assert!(only(&ask(&mut node, 0, false)).is_data());
    }
    assert_eq!(state(&node), before);
}

/// Whoever gets a Data out of the store takes it for a sign of life and goes on to believe in the rank
/// that it was told. So a node that answers keeps its rank, whether it asks anybody or not.
#[test]
fn data_out_of_the_store_keeps_the_rank_alive() {
    let lifetime = caching().path_lifetime;
    let mut node = ready(caching(), &[2]);
    fetch(&mut node, 0, None, 10);
    let label = node.label();
    assert!(label.is_some());
    for _ in 0..6 {
        node.pass(lifetime);
        assert!(only(&ask(&mut node, 0, false)).is_data());
        assert_eq!(node.label(), label);
    }
    node.pass(2 * lifetime);
    assert_eq!(node.label(), None, "forgotten when nobody asks");
}
