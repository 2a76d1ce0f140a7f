//! Test only: what must be true of all tables after any input, checked against any sequence of
//! inputs, honest or not.

mod op;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use mars_time::Instant;
use proptest::prelude::*;

use crate::pit::{Kind, PitIx};
use crate::release::LOOK_AHEAD;
use crate::upstream::Upstream;
use crate::{Config, FaceId, FaceKind, Forwarder, Input, Output, RankRule, Route};
use op::{FACES, Op, apply, dest_name, op};

impl<P: Clone> Forwarder<P> {
    /// Panics if the tables contradict one another.
    fn audit(&self) {
        let entries: Vec<_> = self.pit.entries().collect();
        for (_, dest) in self.dests.iter() {
            assert!(
                dest.rank.is_none_or(|r| r.generation <= dest.generation),
                "rank of the future"
            );
            for upstream in &dest.upstreams {
                if let (Some(own), Some(learnt)) = (dest.rank, upstream.learnt()) {
                    let enforced = self.config.rank_rule == RankRule::Enforced;
                    assert!(
                        !enforced || learnt.closer_than(own),
                        "{learnt:?} serves {own:?}"
                    );
                }
                assert!(
                    upstream.up || !upstream.pending,
                    "a down face is waited for"
                );
            }
        }
        for (ix, dest) in self.dests.iter() {
            let mine = || entries.iter().filter(|(_, e)| e.dest == ix);
            assert_eq!(dest.pending as usize, mine().count(), "entries of a dest");
            assert_eq!(
                dest.queue.len(),
                mine().filter(|(_, e)| e.queued).count(),
                "queue of a dest"
            );
            for upstream in &dest.upstreams {
                let held = |kind: fn(Kind) -> bool| {
                    mine()
                        .filter(|(_, e)| kind(e.kind))
                        .flat_map(|(at, _)| self.pit.outs(*at))
                        .filter(|(_, r)| r.is_waiting() && r.metered && r.face == upstream.face)
                        .count()
                };
                let data = held(|kind| kind == Kind::Data);
                assert_eq!(
                    upstream.cc.in_flight() as usize,
                    data,
                    "slots of a dest over a face"
                );
                let probes = held(|kind| matches!(kind, Kind::Probe { .. }));
                assert_eq!(
                    usize::from(upstream.probes),
                    probes,
                    "probes of a dest over a face"
                );
            }
        }
        for (ix, face) in self.faces.iter() {
            let of = |u: &&Upstream| u.face == ix;
            let slots: u32 = self
                .dests
                .iter()
                .flat_map(|(_, d)| d.upstreams.iter().filter(of))
                .map(|u| u.cc.in_flight())
                .sum();
            assert_eq!(face.cc.in_flight(), slots, "slots of a face");
            for waiting in &face.waiting {
                let upstream = self.dests.get(*waiting).and_then(|d| d.upstream(ix));
                assert!(
                    upstream.is_some_and(|u| u.waiting),
                    "a dest waits twice or for nothing"
                );
            }
        }
        assert_eq!(
            self.idle(),
            None,
            "(dest, face): an Interest waits though it could go"
        );
        for (ix, entry) in &entries {
            assert!(
                self.dests.get(entry.dest).is_some(),
                "an entry without its dest"
            );
            assert!(self.pit.deadline(*ix).is_some(), "an entry that never ends");
        }
        self.audit_lists();
        self.cache.audit();
    }

    /// What is counted or listed beside the tables.
    fn audit_lists(&self) {
        let lingering = self.pit.entries().filter(|(_, e)| e.linger.is_some());
        assert_eq!(lingering.count(), self.lingering as usize, "lingering");
        let mut opened = BTreeMap::new();
        for (ix, dest) in self.dests.iter() {
            *opened.entry(dest.opened_by).or_insert(0) += 1;
            let listed = self.unrouted.iter().filter(|unrouted| **unrouted == ix);
            assert_eq!(listed.count(), usize::from(dest.fib.is_none()), "unrouted");
        }
        for (ix, face) in self.faces.iter() {
            let count = opened.get(&ix).copied().unwrap_or(0);
            assert_eq!(face.dests, count, "dests that a face opened");
        }
        for (ix, entry) in self.pit.entries() {
            let has_asker = self.pit.ins(ix).next().is_some();
            assert!(has_asker || entry.linger.is_some(), "an entry for nobody");
            let idle = !entry.queued && self.pit.waiting_out(ix).is_none();
            if entry.kind == Kind::Data && has_asker && idle {
                let tickets = self.dests.get(entry.dest).unwrap().parked.tickets();
                let parked = tickets
                    .iter()
                    .any(|t| (t.entry, t.stamp) == (ix, entry.stamp));
                assert!(parked, "an Interest that no new path would revive");
            }
        }
    }
}

impl<P: Clone> Forwarder<P> {
    /// A dest whose first Interest waits, and a face that would take it.
    fn idle(&self) -> Option<(u32, FaceId)> {
        self.dests.iter().find_map(|(ix, dest)| {
            let is_live = |ticket| crate::data::is_live(&self.pit, ticket);
            let mut queue = dest.queue.clone();
            let heads = (0..LOOK_AHEAD).map_while(|n| queue.candidate(n, is_live));
            let heads: Vec<_> = heads.map(|(_, ticket)| ticket.entry).collect();
            let face = heads.into_iter().find_map(|head| self.face_for(dest, head));
            face.map(|face| (ix, face))
        })
    }

    fn face_for(&self, dest: &crate::dest::Dest, head: PitIx) -> Option<FaceId> {
        let untaken = |u: &&Upstream| self.may_take(head, u.face);
        let usable = dest
            .upstreams
            .iter()
            .filter(|u| u.is_usable(self.now))
            .filter(untaken);
        let spills = dest.queue.len() > usize::from(self.config.tier_spill);
        let first = usable.clone().next()?.hops;
        usable.filter(|u| spills || u.hops == first).find_map(|u| {
            let face = self.faces.get(u.face)?;
            let open = face.cc.can_send(self.now) && u.can_send(self.now);
            open.then_some(face.id)
        })
    }
}

fn config(rank_rule: RankRule) -> Config {
    let mut config = Config::new(3);
    config.rank_rule = rank_rule;
    config.interest_queue = 12;
    config.max_pending = 48;
    // Small windows, so that queues form.
    config.face_law.initial_window = 3;
    config.dest_law.initial_window = 2;
    config.path_lifetime = Duration::from_secs(3);
    config.max_dests = 3;
    config
}

fn start(config: Config) -> (Forwarder<u8>, Instant) {
    let now = Instant::from_secs(1);
    let mut forwarder = Forwarder::new(config, now).unwrap();
    for face in 0..FACES {
        let kind = if face == 0 {
            FaceKind::Local
        } else if face == 4 {
            FaceKind::Plain
        } else {
            FaceKind::Mars
        };
        forwarder
            .handle_input(
                now,
                Input::FaceAdded {
                    face: FaceId(face.into()),
                    kind,
                },
            )
            .unwrap();
    }
    let routes: Vec<Route> = (1..FACES)
        .map(|f| Route {
            face: FaceId(f.into()),
            hops: 2 + u32::from(f) / 3,
        })
        .collect();
    forwarder
        .handle_input(
            now,
            Input::Routes {
                prefix: dest_name(0).as_name(),
                routes: &routes,
            },
        )
        .unwrap();
    (forwarder, now)
}

fn drain(forwarder: &mut Forwarder<u8>, now: Instant) -> Option<Instant> {
    loop {
        if let Output::Timeout(at) = forwarder.poll_output() {
            assert!(at.is_none_or(|at| at > now), "{at:?} is not after {now:?}");
            return at;
        }
    }
}

fn run(config: Config, ops: &[Op]) {
    let (mut forwarder, mut now) = start(config);
    for op in ops {
        apply(&mut forwarder, &mut now, op);
        drain(&mut forwarder, now);
        forwarder.audit();
    }
    // Left alone, everything that is pending ends.
    for _ in 0..10_000 {
        let Some(at) = drain(&mut forwarder, now) else {
            break;
        };
        now = at;
        forwarder.handle_input(now, Input::Timeout).unwrap();
        forwarder.audit();
        if forwarder.pending() == 0 {
            break;
        }
    }
    assert_eq!(forwarder.pending(), 0, "something stays pending for ever");
    assert!(forwarder.dests().all(|d| d.queue_len() == 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn tables_agree_after_any_input(ops in proptest::collection::vec(op(), 1..80)) {
        run(config(RankRule::Enforced), &ops);
    }

    #[test]
    fn tables_agree_without_ranks(ops in proptest::collection::vec(op(), 1..60)) {
        run(config(RankRule::Off), &ops);
    }

    #[test]
    fn tables_agree_while_interests_are_held_and_data_is_kept(ops in proptest::collection::vec(op(), 1..80)) {
        let mut config = config(RankRule::Enforced);
        config.hold_without_route = true;
        config.max_cached = 4;
        config.max_cached_octets = 40;
        run(config, &ops);
    }
}

/// Applications come and go; nothing of them stays with a dest that lives on.
#[test]
fn faces_that_come_and_go_leave_nothing_behind() {
    let (mut forwarder, mut now) = start(config(RankRule::Enforced));
    for count in 0..1_000_u16 {
        let [nonce, seq] = count.to_be_bytes();
        let probe = Op::Probe {
            face: 1,
            dest: 0,
            idx: 0,
            seq,
            nonce,
            generation: 0,
            bound: None,
            lifetime: 1,
        };
        for op in [probe, Op::Pass(50), Op::Remove(1)] {
            apply(&mut forwarder, &mut now, &op);
            drain(&mut forwarder, now);
        }
    }
    let downstreams = |(_, dest): (u32, &crate::dest::Dest)| dest.downstreams.len();
    assert_eq!(forwarder.dests.iter().map(downstreams).max(), Some(0));
}

/// What the crate's documentation says of sizes.
#[test]
fn records_are_as_small_as_documented() {
    assert!(size_of::<crate::pit::Entry<u64>>() <= 96);
    assert!(size_of::<crate::pit::InRecord>() <= 80);
    assert!(size_of::<crate::pit::OutRecord>() <= 80);
    assert!(size_of::<crate::dest::Dest>() <= 360);
    assert!(size_of::<Upstream>() <= 570);
    assert!(size_of::<crate::dest::Downstream>() <= 40);
    assert!(size_of::<crate::queue::Ticket>() <= 8);
    assert!(size_of::<crate::fib::FibEntry>() <= 150);
    assert!(size_of::<crate::face::Face>() <= 570);
    assert!(size_of::<crate::cache::Cached<u64>>() <= 80);
}

/// Whoever finds names that share a bucket under one key finds them apart under another.
#[test]
fn names_that_collide_under_one_key_do_not_under_another() {
    use crate::hash::NameHash;
    let bucket = |hash: &NameHash, n: u32| hash.of(&n.to_be_bytes()) % 4_096;
    let (known, secret) = (NameHash::new(1), NameHash::new(2));
    let colliding: Vec<u32> = (0..400_000).filter(|n| bucket(&known, *n) == 0).collect();
    assert!(colliding.len() > 50);
    let mut load = BTreeMap::new();
    for n in &colliding {
        *load.entry(bucket(&secret, *n)).or_insert(0) += 1;
    }
    assert!(load.values().max() <= Some(&4), "{load:?}");
}
