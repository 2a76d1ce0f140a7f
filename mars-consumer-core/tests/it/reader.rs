//! The reader's side: credit, verification, bounded memory.

use std::time::Duration;

use mars_consumer_core::{Error, Event, GiveUp, Input, Object, SpecName};

use crate::host::{Host, at, data_only, unanswered};
use crate::world::{Finals, World};

#[test]
fn a_slow_reader_is_waited_for_within_the_bound() {
    let mut settings = data_only(Object::Segments(2_000));
    settings.reassembly = 64;
    settings.credit = 0;
    let mut world = World::new(2_000);
    world.loss = 20;
    let mut host = Host::new(settings, world);
    host.run(at(600_000));
    assert_eq!(host.delivered, []);
    let asked = |host: &Host| {
        let segment = |spec: &SpecName| match spec {
            SpecName::Data { segment } => *segment,
            SpecName::Discovery { .. } => 0,
        };
        host.sent.iter().map(|(_, spec)| segment(&spec.name)).max()
    };
    assert_eq!(asked(&host), Some(63), "64 segments and not one more");
    assert_eq!(host.wake, None, "nothing to do until the reader reads");
    while !host.consumer.has_ended() {
        host.input(Input::Credit { segments: 10 });
        let delivered = host.delivered.len() as u64;
        assert!(asked(&host).unwrap() < delivered + 64);
        let limit = host.now + Duration::from_millis(500);
        host.run(limit);
        host.now = limit;
    }
    host.assert_complete(2_000);
}

#[test]
fn a_tiny_window_of_memory_still_completes() {
    let mut settings = data_only(Object::Segments(300));
    settings.reassembly = 1;
    let mut world = World::new(300);
    world.loss = 100;
    let mut host = Host::new(settings, world);
    host.run(at(600_000));
    host.assert_complete(300);
}

fn verifying(object: Object, world: World) -> Host {
    let mut settings = data_only(object);
    settings.verify = true;
    settings.reassembly = 32;
    Host::new(settings, world)
}

/// Runs with verdicts: `bad` says which delivery of which segment is refused.
fn judge(host: &mut Host, bad: impl Fn(u64, usize) -> bool) -> Vec<u64> {
    let mut accepted = Vec::new();
    let mut judged = 0;
    while !host.consumer.has_ended() && host.now < at(600_000) {
        if let Some(&segment) = host.delivered.get(judged) {
            judged += 1;
            let seen = &host.delivered[..judged];
            let times = seen.iter().filter(|s| **s == segment).count();
            if bad(segment, times) {
                host.input(Input::Reject { segment });
            } else {
                accepted.push(segment);
                host.input(Input::Accept { segment });
            }
        } else if !host.step() {
            break;
        }
    }
    accepted
}

#[test]
fn refused_segments_are_fetched_again_and_completion_waits_for_all() {
    let mut world = World::new(500);
    world.loss = 50;
    let mut host = verifying(Object::Segments(500), world);
    let mut accepted = judge(&mut host, |segment, times| segment % 7 == 0 && times < 3);
    accepted.sort_unstable();
    assert!(accepted.into_iter().eq(0..500), "each once");
    assert_eq!(host.completed().map(|(n, _)| n), Some(500));
    assert_eq!(host.consumer.counters().rejected, 72 * 2);
}

#[test]
fn completion_waits_for_the_last_verdict() {
    let mut host = verifying(Object::Segments(3), World::new(3));
    host.run(at(10_000));
    assert_eq!(host.delivered, [0, 1, 2]);
    for segment in [2, 0] {
        host.input(Input::Accept { segment });
        assert_eq!(host.completed(), None);
    }
    host.input(Input::Accept { segment: 1 });
    assert_eq!(host.completed().map(|(n, _)| n), Some(3));
}

#[test]
fn a_segment_that_is_always_refused_ends_it() {
    let mut host = verifying(Object::Segments(10), World::new(10));
    judge(&mut host, |segment, _| segment == 4);
    assert_eq!(
        host.facts(),
        [Event::GaveUp {
            reason: GiveUp::Retries { segment: 4 }
        }]
    );
    assert_eq!(host.delivered.iter().filter(|s| **s == 4).count(), 16);
}

#[test]
fn unjudged_segments_count_against_the_bound() {
    let mut host = verifying(Object::Segments(500), World::new(500));
    host.run(at(60_000));
    assert_eq!(host.delivered.len(), 32);
    assert_eq!(host.sent.len(), 32);
}

#[test]
fn a_verdict_that_nobody_asked_for_is_the_callers_fault() {
    let mut host = verifying(Object::Segments(500), World::new(500));
    let now = host.now;
    let early = host
        .consumer
        .handle_input(now, Input::Accept { segment: 0 });
    assert_eq!(early, Err(Error::NotDelivered(0)));
    host.run(at(1_500));
    host.input(Input::Accept { segment: 0 });
    for segment in [0, 400, u64::MAX] {
        let now = host.now;
        let again = host.consumer.handle_input(now, Input::Reject { segment });
        assert_eq!(again, Err(Error::NotDelivered(segment)));
    }
}

#[test]
fn a_forged_end_falls_with_its_segment() {
    let mut world = World::new(400);
    world.finals = Finals::InLast;
    // The first Data of segment 3 says that it is the last.
    world.forge = Some((3, 3));
    let mut host = verifying(Object::UntilFinal, world);
    let mut accepted = judge(&mut host, |segment, times| segment == 3 && times == 1);
    accepted.sort_unstable();
    assert!(accepted.into_iter().eq(0..400));
    assert_eq!(host.completed().map(|(n, _)| n), Some(400));
}

#[test]
fn a_forged_end_gives_way_to_one_that_is_here_or_vouched_for() {
    for (finals, forge) in [(Finals::InLast, (5, 30)), (Finals::Everywhere, (0, 9))] {
        let mut world = World::new(20);
        world.finals = finals;
        world.forge = Some(forge);
        let mut host = verifying(Object::UntilFinal, world);
        let mut accepted = judge(&mut host, |segment, times| segment == forge.0 && times == 1);
        accepted.sort_unstable();
        assert!(accepted.into_iter().eq(0..20), "{finals:?}");
        assert_eq!(host.completed().map(|(n, _)| n), Some(20));
    }
}

#[test]
fn an_accepted_end_overrules_one_that_awaits_its_verdict() {
    let mut world = World::new(20);
    world.finals = Finals::Everywhere;
    world.forge = Some((0, 25));
    let mut host = verifying(Object::UntilFinal, world);
    host.run(at(1_030));
    assert_eq!(host.delivered.len(), 20);
    for segment in (1..20).chain([0]) {
        host.input(Input::Accept { segment });
    }
    assert_eq!(host.completed().map(|(n, _)| n), Some(20));
}

#[test]
fn a_refused_segment_comes_again_for_no_further_credit() {
    let mut settings = data_only(Object::Segments(10));
    settings.verify = true;
    settings.credit = 3;
    let mut host = Host::new(settings, World::new(10));
    host.run(at(2_000));
    assert_eq!(host.delivered, [0, 1, 2]);
    host.input(Input::Reject { segment: 1 });
    host.run(at(3_000));
    assert_eq!(host.delivered, [0, 1, 2, 1]);
    host.input(Input::Credit { segments: 1 });
    assert_eq!(host.delivered, [0, 1, 2, 1, 3]);
}

#[test]
fn when_an_end_falls_another_that_is_here_takes_its_place() {
    let mut settings = data_only(Object::UntilFinal);
    settings.verify = true;
    let mut host = unanswered(settings);
    host.inject(0, Some(9));
    host.inject(3, Some(5));
    assert_eq!(host.consumer.counters().contradictory_finals, 1);
    host.input(Input::Reject { segment: 0 });
    assert_eq!(host.consumer.in_flight(), 5, "segments 0, 1, 2, 4 and 5");
}
