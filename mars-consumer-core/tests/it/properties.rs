//! Whatever the network does.

use std::time::Duration;

use mars_consumer_core::{Config, Consumer, Data, Event, Input, Nack, Object, Output, Start};
use mars_time::Instant;
use mars_wire::{Label, MarsHeader, MarsName, NackDetail, NackReason, NameBuf};
use proptest::option;
use proptest::prelude::*;

use crate::host::{Host, at, config, data_only, dest, ms};
use crate::world::{Finals, World};

fn networks() -> impl Strategy<Value = World> {
    let paths = prop::collection::vec(1_u64..200, 1..6);
    let finals = prop_oneof![
        Just(Finals::Nowhere),
        Just(Finals::InLast),
        Just(Finals::Everywhere)
    ];
    (
        any::<u64>(),
        0_u64..200,
        paths,
        0_u64..600,
        0_u64..300,
        0_u64..30,
        0_u64..2_000,
        finals,
    )
        .prop_map(
            |(seed, segments, paths, loss, copies, jitter, service, finals)| {
                let mut world = World::new(segments).seeded(seed);
                world.paths = paths.into_iter().map(ms).collect();
                world.loss = loss;
                world.duplication = copies;
                world.jitter = ms(jitter);
                world.service = Duration::from_micros(service);
                world.finals = finals;
                world
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Complete, in order and each segment once; or a reason. Never neither.
    #[test]
    fn any_loss_completes_or_gives_up(
        world in networks(),
        discover: bool,
        reassembly in 1_u32..100,
    ) {
        let segments = world.segments;
        let object = match world.finals {
            Finals::Nowhere => Object::Segments(segments),
            Finals::InLast | Finals::Everywhere if segments > 0 => Object::UntilFinal,
            Finals::InLast | Finals::Everywhere => Object::Segments(0),
        };
        let mut settings = if discover { config(object) } else { data_only(object) };
        settings.reassembly = reassembly;
        let lossless = world.loss == 0;
        let mut host = Host::new(settings, world);
        host.run(at(36_000_000));
        prop_assert!(host.consumer.has_ended());
        prop_assert!(host.delivered.iter().copied().eq(0..host.delivered.len() as u64));
        match host.facts().last() {
            Some(Event::Completed { segments: n, .. }) => {
                prop_assert_eq!(*n, segments);
                prop_assert_eq!(host.delivered.len() as u64, segments);
            }
            Some(Event::GaveUp { .. }) => prop_assert!(!lossless),
            other => prop_assert!(false, "{:?}", other),
        }
        let ends = host.facts().iter().filter(|event| {
            matches!(event, Event::Completed { .. } | Event::GaveUp { .. })
        }).count();
        prop_assert_eq!(ends, 1);
        prop_assert_eq!(host.wake, None);
    }

    /// No answer makes it fail, misdeliver, burst or exceed its memory.
    #[test]
    fn hostile_answers_are_harmless(
        seed: u64,
        inputs in prop::collection::vec((0_u64..200, hostile()), 0..300),
    ) {
        let mut consumer = Consumer::new(victim(seed), Instant::ZERO).unwrap();
        let dest = dest();
        let mut now = Instant::ZERO;
        let mut next = 0;
        for (wait, input) in inputs {
            now += ms(wait);
            let name = input.name.build(&dest);
            let told = match input.nack {
                None => Input::Data {
                    data: Data {
                        name: name.as_name(),
                        final_segment: input.number,
                        content_len: 0,
                        header: input.header,
                    },
                    packet: [0_u8; 3],
                },
                Some(reason) => Input::Nack {
                    nack: Nack { name: name.as_name(), nonce: None, reason, header: input.header },
                },
            };
            prop_assert_eq!(consumer.handle_input(now, told), Ok(()));
            let mut outputs = 0;
            loop {
                match consumer.poll_output() {
                    Output::Timeout(wake) => {
                        prop_assert!(wake.is_none_or(|wake| wake > now));
                        break;
                    }
                    Output::Deliver { segment, .. } => {
                        prop_assert_eq!(segment, next);
                        next += 1;
                    }
                    _ => {}
                }
                outputs += 1;
            }
            prop_assert!(outputs <= 2 * 16 + 8, "{}", outputs);
            prop_assert!(consumer.in_flight() <= 16);
        }
    }
}

fn victim(seed: u64) -> Config {
    let object = if seed.is_multiple_of(2) {
        Object::UntilFinal
    } else {
        Object::Segments(50)
    };
    let mut config = Config::new(dest(), b"server1".to_vec(), seed, object);
    config.start = if seed.is_multiple_of(3) {
        Start::Data
    } else {
        Start::Discover
    };
    config.reassembly = 16;
    config
}

#[derive(Clone, Debug)]
struct Hostile {
    name: HostileName,
    number: Option<u64>,
    nack: Option<NackReason>,
    header: MarsHeader,
}

#[derive(Clone, Debug)]
enum HostileName {
    Data(u64),
    Probe(u64, u64),
    Other(Vec<u8>),
}

impl HostileName {
    fn build(&self, dest: &NameBuf) -> NameBuf {
        let dest = dest.as_name();
        match self {
            Self::Data(segment) => MarsName::Data {
                dest,
                segment: *segment,
            }
            .to_name_buf(),
            Self::Probe(probe_idx, seq) => MarsName::Discovery {
                dest,
                src: mars_wire::Component::generic(b"server1"),
                probe_idx: *probe_idx,
                seq: *seq,
            }
            .to_name_buf(),
            Self::Other(value) => NameBuf::from(dest).generic(value),
        }
    }
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0_u64..24, 1 => any::<u64>()]
}

fn hostile() -> impl Strategy<Value = Hostile> {
    let name = prop_oneof![
        4 => number().prop_map(HostileName::Data),
        4 => (0_u64..3, number()).prop_map(|(i, s)| HostileName::Probe(i, s)),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(HostileName::Other),
    ];
    let reason = prop::sample::select(vec![
        NackReason::None,
        NackReason::Congestion,
        NackReason::Duplicate,
        NackReason::NoRoute,
        NackReason::Other(9),
    ]);
    let detail = prop::sample::select(vec![
        NackDetail::Order,
        NackDetail::NoRoute,
        NackDetail::Duplicate,
        NackDetail::Stale,
        NackDetail::QueueFull,
    ]);
    let generation = prop_oneof![4 => 0_u32..40, 1 => any::<u32>()];
    let header = (
        option::of(any::<u16>()),
        any::<(bool, bool)>(),
        option::of(generation),
        option::of(any::<u64>()),
        option::of(detail),
    );
    let header = header.prop_map(
        |(interest_queue, (tier_conv, node_conv), generation, label, nack_detail)| MarsHeader {
            interest_queue,
            data_queue: None,
            tier_conv,
            node_conv,
            generation,
            label: label.map(Label::from_bits),
            nack_detail,
        },
    );
    (
        name,
        option::of(number()),
        option::weighted(0.4, reason),
        header,
    )
        .prop_map(|(name, number, nack, header)| Hostile {
            name,
            number,
            nack,
            header,
        })
}
