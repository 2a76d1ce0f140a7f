//! Fetching: loss, reordering, queues, outages, length.

use std::time::Duration;

use mars_consumer_core::{Data, Event, GiveUp, Input, InterestSpec, Object, SpecName};
use mars_time::Instant;
use mars_wire::{MarsHeader, MarsName, NameBuf};

use crate::host::{Host, at, config, data_only, ms, unanswered};
use crate::world::{Finals, NackKind, World};

fn fetch(segments: u64, world: World) -> Host {
    let mut host = Host::new(data_only(Object::Segments(segments)), world);
    host.run(at(3_600_000));
    host
}

#[test]
fn an_object_of_nothing_completes_at_once() {
    let host = Host::new(config(Object::Segments(0)), World::new(0));
    host.assert_complete(0);
    assert_eq!((host.sent.len(), host.wake), (0, None));
}

#[test]
fn one_segment_takes_one_round_trip_after_the_path() {
    let mut host = Host::new(config(Object::Segments(1)), World::new(1));
    host.run(at(60_000));
    host.assert_complete(1);
    assert_eq!(host.completed(), Some((1, ms(40))));
    let host = fetch(1, World::new(1));
    assert_eq!(host.completed(), Some((1, ms(20))));
}

#[test]
fn every_segment_is_asked_for_once_without_loss() {
    let mut world = World::new(20_000);
    world.paths = vec![ms(10), ms(25), ms(60), ms(90)];
    world.service = Duration::from_micros(100);
    let host = fetch(20_000, world);
    host.assert_complete(20_000);
    let counters = host.consumer.counters();
    assert_eq!(
        (counters.timeouts, counters.duplicate_data),
        (0, 0),
        "{counters:?}"
    );
    assert_eq!(
        counters.retransmissions, counters.congestion_nacks,
        "{counters:?}"
    );
    // At 100 us each, 2 s; the start takes a few round trips.
    assert!(
        host.completed().unwrap().1 < ms(2_600),
        "{:?}",
        host.completed()
    );
}

#[test]
fn a_rare_slow_path_makes_no_needless_storm() {
    let mut world = World::new(20_000);
    world.paths = vec![ms(15); 39];
    world.paths.push(ms(250));
    world.service = Duration::from_micros(200);
    let mut host = Host::new(data_only(Object::Segments(20_000)), world);
    host.run(at(1_500));
    let early = host.consumer.counters().timeouts;
    host.run(at(60_000));
    host.assert_complete(20_000);
    // One in forty is slow. Some are asked for twice until the first slow answer is in, then none.
    assert!(early < 63, "{early}: half of what is slow by then");
    assert_eq!(host.consumer.counters().timeouts, early);
}

#[test]
fn ten_thousand_segments_at_ten_percent_loss() {
    let mut world = World::new(10_000);
    world.loss = 100;
    world.service = Duration::from_micros(300);
    let host = fetch(10_000, world);
    host.assert_complete(10_000);
    let counters = host.consumer.counters();
    // A tenth of all transmissions are lost; hardly any other is repeated.
    assert!(counters.interests < 11_400, "{counters:?}");
    assert!(
        host.completed().unwrap().1 < ms(4_500),
        "{:?}",
        host.completed()
    );
}

#[test]
fn loss_is_mended_soon_at_the_tail() {
    // Ten unequal paths, and the first Interest for the last segment is lost.
    let mut world = World::new(8_000);
    world.paths = (0..10).map(|n| ms(35 + 2 * n)).collect();
    world.service = Duration::from_micros(300);
    world.drop_once = Some(7_999);
    let host = fetch(8_000, world);
    host.assert_complete(8_000);
    let last = |(at, spec): &(Instant, InterestSpec)| {
        (spec.name == SpecName::Data { segment: 7_999 }).then_some(*at)
    };
    let times: Vec<Instant> = host.sent.iter().filter_map(last).collect();
    let wait = times[1].saturating_duration_since(times[0]);
    assert!((ms(53)..ms(120)).contains(&wait), "{wait:?}");
}

#[test]
fn a_full_queue_slows_it_down_and_stops_nothing() {
    let mut world = World::new(100_000);
    world.service = Duration::from_micros(100);
    let host = fetch(100_000, world);
    host.assert_complete(100_000);
    let counters = host.consumer.counters();
    assert!(counters.congestion_nacks < 1_000, "{counters:?}");
    assert_eq!(counters.timeouts, 0, "{counters:?}");
}

#[test]
fn a_refused_segment_rests_before_it_is_asked_for_again() {
    let mut world = World::new(100);
    world.refuse_data = Some(NackKind::QueueFull);
    let mut host = Host::new(data_only(Object::Segments(100)), world);
    host.run(at(31_000));
    assert!(!host.consumer.has_ended(), "congestion is no failure");
    let first = |(at, spec): &(Instant, InterestSpec)| {
        (spec.name == SpecName::Data { segment: 0 }).then_some(*at)
    };
    let times: Vec<Instant> = host.sent.iter().filter_map(first).collect();
    let waits = times
        .windows(2)
        .map(|w| w[1].saturating_duration_since(w[0]));
    let waits: Vec<Duration> = waits.collect();
    assert!(waits.len() > 16, "more often than max_tries");
    for (n, wait) in waits.iter().enumerate() {
        assert!(*wait >= ms((10 << n.min(10)).min(1_000)), "{waits:?}");
    }
    host.world.refuse_data = None;
    host.run(at(60_000));
    host.assert_complete(100);
}

#[test]
fn refusal_for_ever_ends() {
    for kind in [
        NackKind::QueueFull,
        NackKind::NoRoute,
        NackKind::Duplicate,
        NackKind::Stale,
    ] {
        let mut world = World::new(100);
        world.refuse_data = Some(kind);
        let host = fetch(100, world);
        assert!(
            matches!(
                host.facts()[..],
                [Event::GaveUp {
                    reason: GiveUp::Retries { .. }
                }]
            ),
            "{kind:?} {:?}",
            host.facts()
        );
        assert_eq!(host.wake, None);
    }
}

#[test]
fn retransmissions_carry_a_fresh_nonce_and_go_first() {
    let mut world = World::new(5_000);
    world.loss = 50;
    world.service = Duration::from_micros(300);
    let host = fetch(5_000, world);
    host.assert_complete(5_000);
    let mut nonces: Vec<u32> = host.sent.iter().map(|(_, spec)| spec.nonce).collect();
    let all = nonces.len();
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), all);
}

#[test]
fn silence_backs_off_and_gives_up_with_the_segment() {
    let mut host = unanswered(data_only(Object::Segments(1)));
    host.run(at(3_600_000));
    let times: Vec<Instant> = host.sent.iter().map(|(at, _)| *at).collect();
    let waits = times
        .windows(2)
        .map(|w| w[1].saturating_duration_since(w[0]));
    let waits: Vec<u128> = waits.map(|wait| wait.as_millis()).collect();
    assert_eq!(waits, [[1_000].as_slice(), &[2_000; 14]].concat());
    assert_eq!(
        host.facts(),
        [Event::GaveUp {
            reason: GiveUp::Retries { segment: 0 }
        }]
    );
    assert_eq!(host.wake, None);
}

/// Lets time pass, waking the consumer as it wants.
fn pass(host: &mut Host, time: Duration) {
    let until = host.now + time;
    while host.wake.is_some_and(|wake| wake <= until) {
        assert!(host.step());
    }
    host.now = until;
}

#[test]
fn an_answer_that_may_be_to_either_transmission_is_no_sample() {
    let mut host = unanswered(data_only(Object::Segments(2)));
    pass(&mut host, ms(1_500));
    assert_eq!(host.consumer.counters().retransmissions, 2);
    host.inject(0, None);
    assert_eq!(host.consumer.srtt(), None);
}

#[test]
fn an_answer_too_soon_after_the_second_transmission_is_a_sample_of_the_first() {
    let mut host = unanswered(data_only(Object::Segments(3)));
    pass(&mut host, ms(100));
    host.inject(0, None);
    assert_eq!(host.consumer.srtt(), Some(ms(100)));
    // The others were sent with the initial timeout of a second.
    pass(&mut host, ms(910));
    assert_eq!(host.consumer.counters().retransmissions, 2);
    host.inject(1, None);
    assert_eq!(host.consumer.counters().needless_timeouts, 1);
    assert_eq!(host.consumer.srtt(), Some((7 * ms(100) + ms(1_010)) / 8));
    // 100 ms later it could be either.
    pass(&mut host, ms(90));
    host.inject(2, None);
    assert_eq!(host.consumer.counters().needless_timeouts, 1);
    host.assert_complete(3);
}

#[test]
fn every_input_is_first_of_all_a_tick() {
    let mut host = unanswered(data_only(Object::Segments(1)));
    let wake = host.wake.unwrap();
    host.now = wake;
    // The Interest is lost and sent again before its late answer is looked at.
    host.inject(0, None);
    assert_eq!(host.consumer.counters().retransmissions, 1);
    host.assert_complete(1);
}

#[test]
fn a_producer_that_vanishes_and_returns_is_waited_for() {
    let mut world = World::new(20_000);
    world.service = Duration::from_micros(100);
    world.outage = Some((at(1_500), at(4_500)));
    let host = fetch(20_000, world);
    host.assert_complete(20_000);
    assert!(
        host.completed().unwrap().1 < ms(8_000),
        "{:?}",
        host.completed()
    );
}

#[test]
fn the_end_is_found_wherever_it_is_named() {
    for finals in [Finals::InLast, Finals::Everywhere] {
        for segments in [1, 2, 40, 3_000] {
            for loss in [0, 100] {
                let mut world = World::new(segments).seeded(segments);
                world.finals = finals;
                world.loss = loss;
                world.paths = vec![ms(5), ms(40)];
                world.service = Duration::from_micros(200);
                let mut host = Host::new(data_only(Object::UntilFinal), world);
                host.run(at(3_600_000));
                host.assert_complete(segments);
                assert_eq!(host.consumer.counters().contradictory_finals, 0);
            }
        }
    }
}

#[test]
fn an_end_that_shrinks_the_range_cancels_what_lies_beyond() {
    let mut host = unanswered(data_only(Object::UntilFinal));
    let asked = u64::from(host.consumer.in_flight());
    assert!(asked > 4);
    host.inject(1, Some(2));
    assert_eq!(host.consumer.in_flight(), 2, "segments 0 and 2 are left");
    host.inject(4, None);
    assert_eq!(host.consumer.counters().unsolicited_data, 1);
    host.inject(2, Some(2));
    host.inject(0, Some(2));
    host.assert_complete(3);
}

#[test]
fn the_first_end_that_agrees_with_what_is_here_wins() {
    let mut host = unanswered(data_only(Object::UntilFinal));
    host.inject(3, Some(1));
    assert_eq!(
        host.consumer.counters().contradictory_finals,
        1,
        "before itself"
    );
    host.inject(2, Some(3));
    host.inject(1, Some(9));
    assert_eq!(host.consumer.counters().contradictory_finals, 2);
    host.inject(0, None);
    host.assert_complete(4);
}

#[test]
fn a_given_length_is_not_argued_with() {
    let mut host = unanswered(data_only(Object::Segments(3)));
    host.inject(0, Some(0));
    host.inject(1, Some(7));
    host.inject(2, Some(2));
    host.assert_complete(3);
    assert_eq!(host.consumer.counters().contradictory_finals, 2);
}

#[test]
fn copies_strangers_and_the_uninvited_are_ignored_and_counted() {
    let mut host = unanswered(data_only(Object::Segments(100)));
    host.inject(1, None);
    host.inject(1, None);
    host.inject(99, None);
    host.inject(100, None);
    let other = NameBuf::new().generic(b"net").generic(b"client2");
    let foreign = [
        MarsName::Data {
            dest: other.as_name(),
            segment: 0,
        }
        .to_name_buf(),
        other,
        NameBuf::new(),
    ];
    for name in &foreign {
        let data = Data {
            name: name.as_name(),
            final_segment: None,
            content_len: 0,
            header: MarsHeader::default(),
        };
        host.input(Input::Data { data, packet: 0 });
    }
    let counters = host.consumer.counters();
    assert_eq!(
        (
            counters.duplicate_data,
            counters.unsolicited_data,
            counters.foreign
        ),
        (1, 2, 3)
    );
    assert_eq!(host.delivered, []);
}

#[test]
fn cancel_ends_once_and_everything_after_is_harmless() {
    let mut host = Host::new(config(Object::Segments(100_000)), World::new(100_000));
    host.run(at(1_100));
    let delivered = host.delivered.len();
    for _ in 0..2 {
        host.input(Input::Cancel);
        host.input(Input::Accept { segment: 0 });
        host.input(Input::Reject { segment: 7 });
        host.input(Input::Credit { segments: 1 });
        host.input(Input::Rediscover);
        host.input(Input::Resume);
        while host.step() {}
    }
    let cancelled = Event::GaveUp {
        reason: GiveUp::Cancelled,
    };
    let ends = host.facts().iter().filter(|e| **e == cancelled).count();
    assert_eq!(
        (ends, host.delivered.len(), host.wake),
        (1, delivered, None)
    );
}

#[test]
fn a_pause_stops_new_interests_and_loses_nothing() {
    let mut world = World::new(5_000);
    world.service = Duration::from_micros(200);
    let mut host = Host::new(data_only(Object::Segments(5_000)), world);
    host.run(at(1_200));
    host.input(Input::Pause);
    let sent = host.sent.len();
    host.run(at(600_000));
    assert_eq!((host.sent.len(), host.wake), (sent, None));
    let refused = host.consumer.counters().congestion_nacks as usize;
    assert_eq!(
        host.delivered.len(),
        sent - refused,
        "what was in flight arrived"
    );
    host.input(Input::Resume);
    host.run(at(900_000));
    host.assert_complete(5_000);
}
