//! Finding paths: convergence, silence, refusals, generations, rediscovery.

use std::time::Duration;

use mars_consumer_core::{
    Counters, Data, Event, GiveUp, Input, InterestSpec, Nack, Object, SpecName,
};
use mars_wire::{Label, MarsHeader, NackReason};

use crate::host::{Host, at, config, ms, unanswered};
use crate::world::{NackKind, Probing, World};

fn ranked(generation: u32) -> MarsHeader {
    MarsHeader {
        generation: Some(generation),
        label: Some(Label::ONE),
        ..MarsHeader::default()
    }
}

fn answer(host: &mut Host, probe: usize, header: MarsHeader) {
    let (_, spec) = host.sent[probe];
    let name = host.consumer.name(&spec).to_name_buf();
    let data = Data {
        name: name.as_name(),
        final_segment: None,
        content_len: 0,
        header,
    };
    host.input(Input::Data { data, packet: 0 });
}

fn refuse(host: &mut Host, probe: usize, kind: NackKind, generation: Option<u32>) {
    let (_, spec) = host.sent[probe];
    let name = host.consumer.name(&spec).to_name_buf();
    let nack = Nack {
        name: name.as_name(),
        nonce: Some(spec.nonce),
        reason: kind.detail().reason(),
        header: MarsHeader {
            generation,
            nack_detail: Some(kind.detail()),
            ..MarsHeader::default()
        },
    };
    host.input(Input::Nack { nack });
}

fn last_probe(host: &Host) -> (u64, u64, u32) {
    let (_, index, seq, generation) = *host.probes().last().unwrap();
    (index, seq, generation)
}

#[test]
fn the_first_probes_are_ready_at_once_and_carry_no_label() {
    let host = unanswered(config(Object::Nothing));
    let names: Vec<SpecName> = host.sent.iter().map(|(_, spec)| spec.name).collect();
    let expected = (0..4).map(|seq| SpecName::Discovery { probe_idx: 0, seq });
    assert!(names.into_iter().eq(expected));
    for (
        at,
        InterestSpec {
            header, lifetime, ..
        },
    ) in &host.sent
    {
        assert_eq!(*at, host.now);
        assert_eq!((header.generation, header.label), (Some(0), None));
        assert_eq!(*lifetime, Duration::from_secs(2));
    }
    let mut nonces: Vec<u32> = host.sent.iter().map(|(_, spec)| spec.nonce).collect();
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), 4);
}

#[test]
fn tier_conv_raises_the_index_once_per_index() {
    let mut host = unanswered(config(Object::Nothing));
    let converged = MarsHeader {
        tier_conv: true,
        ..ranked(0)
    };
    for probe in 0..4 {
        answer(&mut host, probe, converged);
    }
    assert_eq!(last_probe(&host).0, 1, "four answers to index 0, one step");
    answer(&mut host, 4, converged);
    assert_eq!(last_probe(&host).0, 2);
}

#[test]
fn data_flow_one_round_trip_after_the_start_and_discovery_goes_on_beside() {
    let mut world = World::new(500);
    world.probing = Probing::Converging {
        answers: 30,
        tiers: 3,
    };
    let mut host = Host::new(config(Object::Segments(500)), world);
    let start = host.now;
    host.run(at(60_000));
    host.assert_complete(500);
    let is_data = |spec: &InterestSpec| matches!(spec.name, SpecName::Data { .. });
    let first = host.sent.iter().find(|(_, spec)| is_data(spec)).unwrap().0;
    assert_eq!(first, start + ms(20));
    assert_eq!(
        host.events.first(),
        Some(&(first, Event::PathFound { after: ms(20) }))
    );
    assert!(host.probes().iter().any(|(at, ..)| *at > first));
}

#[test]
fn node_conv_ends_it() {
    let mut host = Host::new(config(Object::Nothing), World::new(0));
    host.run(at(60_000));
    let probes = host.sent.len() as u64;
    let [
        Event::PathFound { .. },
        Event::Discovered { probes: told, .. },
    ] = host.facts()[..]
    else {
        panic!("{:?}", host.facts());
    };
    assert_eq!(told, probes);
    assert_eq!(host.wake, None, "nothing more to do");
    assert!(!host.consumer.has_ended(), "a rediscovery may come");
}

#[test]
fn a_rediscovery_stays_in_the_generation_with_a_new_index() {
    let mut host = Host::new(config(Object::Nothing), World::new(0));
    host.run(at(60_000));
    let (index, seq, _) = last_probe(&host);
    host.input(Input::Rediscover);
    let first = host.probes()[seq as usize + 1];
    assert_eq!(first, (host.now, index + 1, seq + 1, 0));
    let sent = host.sent.len();
    host.input(Input::Rediscover);
    assert_eq!(host.sent.len(), sent, "one at a time");
    host.run(at(120_000));
    let converged = |event: &&Event| matches!(event, Event::Discovered { .. });
    assert_eq!(host.facts().iter().filter(converged).count(), 2);
}

#[test]
fn while_an_object_is_fetched_paths_are_looked_for_again_and_again() {
    let mut settings = config(Object::Segments(1));
    settings.credit = 0;
    let rest = settings.rediscovery;
    let mut host = Host::new(settings, World::new(0));
    host.run(at(1_000) + rest);
    let converged = host
        .events
        .iter()
        .find(|(_, e)| matches!(e, Event::Discovered { .. }));
    let (converged, _) = *converged.unwrap();
    let (index, seq, generation) = last_probe(&host);
    host.run(converged + rest);
    let again = host.probes()[seq as usize + 1];
    assert_eq!(again, (converged + rest, index + 1, seq + 1, generation));
    host.input(Input::Credit { segments: 1 });
    host.run(at(60_000));
    assert_eq!(host.wake, None, "the object is there, and so is the end");
}

#[test]
fn silence_everywhere_is_reported_after_a_bounded_number_of_probes() {
    let mut world = World::new(10);
    world.probing = Probing::Silent;
    let mut host = Host::new(config(Object::Segments(10)), world);
    host.run(at(600_000));
    assert_eq!(
        host.facts(),
        [
            Event::GenerationStarted { generation: 1 },
            Event::GenerationStarted { generation: 2 },
            Event::GenerationStarted { generation: 3 },
            Event::GaveUp {
                reason: GiveUp::Unreachable
            },
        ]
    );
    let per_generation = |g: u32| host.probes().iter().filter(|p| p.3 == g).count();
    for generation in 0..=3 {
        // Twelve silent in a row, and those in flight beside the twelfth.
        assert!((12..=15).contains(&per_generation(generation)));
    }
    assert_eq!(host.wake, None);
    assert!(host.now < at(61_000), "{:?}", host.now);
}

#[test]
fn no_route_everywhere_is_reported_after_a_bounded_number_of_probes() {
    for kind in [NackKind::NoRoute, NackKind::Order, NackKind::Duplicate] {
        let mut world = World::new(10);
        world.probing = Probing::Refused(kind);
        let mut host = Host::new(config(Object::Segments(10)), world);
        host.run(at(600_000));
        let unreachable = Event::GaveUp {
            reason: GiveUp::Unreachable,
        };
        assert_eq!(host.facts().last(), Some(&unreachable), "{kind:?}");
        assert!(host.sent.len() <= 4 * (16 + 3), "{}", host.sent.len());
    }
}

#[test]
fn refused_probes_are_not_repeated_in_a_storm() {
    let mut world = World::new(10);
    world.probing = Probing::Refused(NackKind::QueueFull);
    let mut host = Host::new(config(Object::Nothing), world);
    host.run(at(11_000));
    // Ten seconds at up to four per second once the rest has grown to a second.
    assert!(host.sent.len() < 100, "{}", host.sent.len());
    host.world.probing = Probing::Converging {
        answers: 1,
        tiers: 1,
    };
    host.run(at(20_000));
    assert!(matches!(host.facts()[0], Event::PathFound { .. }));
}

#[test]
fn a_new_generation_finds_what_the_old_one_could_not() {
    let mut world = World::new(50);
    world.route_from_generation = 2;
    let mut host = Host::new(config(Object::Segments(50)), world);
    host.run(at(60_000));
    host.assert_complete(50);
    let rises = host.probes().windows(2).all(|w| w[0].3 <= w[1].3);
    assert!(rises);
    assert_eq!(last_probe(&host).2, 2);
    let (_, _, seq, _) = host.probes().into_iter().find(|p| p.3 == 2).unwrap();
    assert!(seq > 0, "sequence numbers are never used twice");
}

#[test]
fn a_newer_generation_is_adopted_in_bounded_jumps() {
    let mut world = World::new(50);
    world.generation = 100;
    let mut host = Host::new(config(Object::Segments(50)), world);
    host.run(at(60_000));
    host.assert_complete(50);
    let mut seen: Vec<u32> = host.probes().iter().map(|p| p.3).collect();
    seen.dedup();
    assert_eq!(seen, [0, 16, 32, 48, 64, 80, 96, 100]);
    assert!(host.consumer.counters().adopted_generations == 7);
}

#[test]
fn generations_that_grow_for_ever_do_not_keep_it_busy_for_ever() {
    let mut world = World::new(50);
    world.generation = u32::MAX;
    let mut host = Host::new(config(Object::Segments(50)), world);
    host.run(at(600_000));
    let unreachable = Event::GaveUp {
        reason: GiveUp::Unreachable,
    };
    assert_eq!(host.facts().last(), Some(&unreachable));
    assert!(host.sent.len() < 8_000, "{}", host.sent.len());
}

#[test]
fn an_answer_out_of_an_older_generation_is_no_path() {
    let mut host = unanswered(config(Object::Nothing));
    for probe in 0..4 {
        refuse(&mut host, probe, NackKind::Stale, Some(5));
    }
    assert_eq!(last_probe(&host).2, 5);
    let next = host.sent.len() - 1;
    answer(&mut host, next, ranked(4));
    assert_eq!(host.facts(), []);
    let next = host.sent.len() - 1;
    answer(&mut host, next, ranked(5));
    assert!(matches!(host.facts()[..], [Event::PathFound { .. }]));
}

#[test]
fn a_newer_rank_in_data_is_a_path_and_adopted() {
    let mut host = unanswered(config(Object::Nothing));
    answer(&mut host, 0, ranked(7));
    assert!(matches!(host.facts()[..], [Event::PathFound { .. }]));
    assert_eq!(last_probe(&host).2, 7);
}

#[test]
fn an_answer_after_the_timeout_counts_all_the_same() {
    let mut host = unanswered(config(Object::Nothing));
    while host.consumer.counters().probe_timeouts < 4 {
        assert!(host.step());
    }
    answer(&mut host, 0, ranked(0));
    assert!(matches!(host.facts()[..], [Event::PathFound { .. }]));
    assert_eq!(host.consumer.counters().late_probes, 1);
}

#[test]
fn plain_ndn_upstreams_are_settled_for() {
    let mut world = World::new(50_000);
    world.probing = Probing::Plain;
    let mut host = Host::new(config(Object::Segments(50_000)), world);
    host.run(at(60_000));
    host.assert_complete(50_000);
    assert!(matches!(
        host.facts()[..],
        [
            Event::PathFound { .. },
            Event::DiscoveryStalled {
                probes: 16..=19,
                ..
            },
            Event::Completed { .. }
        ]
    ));
}

#[test]
fn discovery_that_never_converges_ends_at_the_bound() {
    let mut world = World::new(0);
    world.probing = Probing::NeverConverging;
    let mut settings = config(Object::Nothing);
    settings.max_probes_per_index = 100;
    let mut host = Host::new(settings, world);
    host.run(at(600_000));
    assert!(matches!(
        host.facts()[..],
        [
            Event::PathFound { .. },
            Event::DiscoveryStalled { probes: 100, .. }
        ]
    ));
    assert_eq!(host.wake, None);
}

#[test]
fn indices_that_rise_for_ever_end_at_the_total_bound() {
    let mut world = World::new(0);
    world.probing = Probing::Converging {
        answers: 1,
        tiers: u64::MAX,
    };
    let mut settings = config(Object::Nothing);
    settings.max_probes = 300;
    let mut host = Host::new(settings, world);
    host.run(at(600_000));
    assert_eq!(host.sent.len(), 300);
    assert_eq!(host.wake, None);
}

#[test]
fn a_dead_path_is_looked_for_again_within_the_generation_and_data_go_on() {
    let mut world = World::new(5_000);
    world.service = Duration::from_micros(200);
    let mut host = Host::new(config(Object::Segments(5_000)), world);
    host.run(at(1_200));
    host.world.refuse_data = Some(NackKind::NoRoute);
    while !host.facts().contains(&Event::PathLost) {
        assert!(host.step());
    }
    host.world.refuse_data = None;
    let found = |host: &Host| {
        let found = |event: &&Event| matches!(event, Event::PathFound { .. });
        host.facts().iter().filter(found).count()
    };
    while found(&host) < 2 {
        assert!(host.step());
    }
    let first_window = unanswered(config(Object::Segments(1))).consumer.window();
    assert_eq!(
        host.consumer.window(),
        first_window,
        "new paths, new window"
    );
    host.run(at(600_000));
    host.assert_complete(5_000);
    assert!(host.probes().iter().all(|p| p.3 == 0), "same generation");
    assert_eq!(found(&host), 2);
}

#[test]
fn a_path_that_never_carries_data_again_leads_to_new_generations_then_the_end() {
    let mut world = World::new(5_000);
    world.service = Duration::from_micros(200);
    let mut host = Host::new(config(Object::Segments(5_000)), world);
    host.run(at(1_200));
    host.world.refuse_data = Some(NackKind::NoRoute);
    host.run(at(600_000));
    assert!(
        host.facts()
            .contains(&Event::GenerationStarted { generation: 1 })
    );
    assert!(matches!(
        host.facts().last(),
        Some(Event::GaveUp {
            reason: GiveUp::Unreachable | GiveUp::Retries { .. }
        })
    ));
}

#[test]
fn a_nack_with_another_nonce_is_ignored() {
    let mut host = unanswered(config(Object::Nothing));
    let sent = host.sent.len();
    let (_, spec) = host.sent[0];
    let name = host.consumer.name(&spec).to_name_buf();
    let nack = Nack {
        name: name.as_name(),
        nonce: Some(spec.nonce ^ 1),
        reason: NackReason::NoRoute,
        header: MarsHeader::default(),
    };
    host.input(Input::Nack { nack });
    assert_eq!(host.sent.len(), sent);
    let Counters {
        stray_nacks,
        probe_nacks,
        ..
    } = *host.consumer.counters();
    assert_eq!((stray_nacks, probe_nacks), (1, 0));
}

#[test]
fn probes_stop_while_paused() {
    let mut host = Host::new(config(Object::Segments(5_000)), World::new(5_000));
    host.input(Input::Pause);
    let sent = host.sent.len();
    host.run(at(600_000));
    assert_eq!(host.sent.len(), sent);
    host.input(Input::Resume);
    host.run(at(900_000));
    host.assert_complete(5_000);
}
