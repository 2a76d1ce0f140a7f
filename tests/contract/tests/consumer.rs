//! `mars-consumer-core` under the contract: objects of known and unknown length, discovery first
//! or not, readers fast, slow and fickle.
#![expect(clippy::expect_used, reason = "a test may fail")]

use std::sync::Arc;

use mars_consumer_core::{
    Config, Consumer, Data, Event, Input, InterestSpec, Nack, Object, Output, SpecName, Start,
};
use mars_contract::{Machine, Step, contract_suite, reach};
use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, NackDetail, NackReason, NameBuf};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

/// The host's packet: a handle that can only be cloned.
type Packet = Arc<u64>;

/// Segments in flight or held at most.
const REASSEMBLY: u32 = 12;

#[derive(Clone, Debug)]
struct Host(Consumer<Packet>);

/// [`Input`] with owned names.
#[derive(Clone, Debug)]
enum Told {
    Timeout,
    Data {
        name: NameBuf,
        final_segment: Option<u64>,
        content_len: usize,
        header: MarsHeader,
        packet: Packet,
    },
    Nack {
        name: NameBuf,
        nonce: Option<u32>,
        reason: NackReason,
        header: MarsHeader,
    },
    Credit(u64),
    Accept(u64),
    Reject(u64),
    Rediscover,
    Pause,
    Resume,
    Cancel,
    /// Becomes the answer to one of the latest Interests sent, see [`Machine::aim`].
    Answer {
        /// How many open Interests back, see [`take`].
        back: usize,
        reply: Reply,
        header: MarsHeader,
    },
    /// Becomes the verdict on one of the latest segments delivered.
    Verdict {
        back: usize,
        good: bool,
    },
}

#[derive(Clone, Copy, Debug)]
enum Reply {
    Data { final_segment: Option<u64> },
    Nack(NackReason),
}

impl Machine for Host {
    type Input = Told;
    type Output = Output<Packet>;

    /// Every segment within reach asked for and delivered, the probes in flight, and events.
    const MAX_OUTPUTS: usize = 2 * REASSEMBLY as usize + 16;

    fn new(seed: u64) -> Self {
        let object = match seed % 4 {
            0 => Object::Nothing,
            1 => Object::UntilFinal,
            _ => Object::Segments(seed / 4 % 24),
        };
        let mut config = Config::new(dest(), b"c".to_vec(), seed, object);
        config.start = match (object, seed / 64 % 2) {
            (Object::Nothing, _) | (_, 0) => Start::Discover,
            _ => Start::Data,
        };
        config.verify = seed / 128 % 2 == 1;
        config.reassembly = REASSEMBLY;
        config.credit = if seed / 256 % 2 == 1 { 3 } else { u64::MAX };
        config.max_tries = 4;
        Self(Consumer::new(config, Instant::ZERO).expect("the configuration is valid"))
    }

    fn apply(&mut self, now: Instant, input: &Told) -> Result<(), String> {
        let input = match input {
            Told::Timeout | Told::Answer { .. } | Told::Verdict { .. } => Input::Timeout,
            Told::Data {
                name,
                final_segment,
                content_len,
                header,
                packet,
            } => Input::Data {
                data: Data {
                    name: name.as_name(),
                    final_segment: *final_segment,
                    content_len: *content_len,
                    header: *header,
                },
                packet: packet.clone(),
            },
            Told::Nack {
                name,
                nonce,
                reason,
                header,
            } => Input::Nack {
                nack: Nack {
                    name: name.as_name(),
                    nonce: *nonce,
                    reason: *reason,
                    header: *header,
                },
            },
            Told::Credit(segments) => Input::Credit {
                segments: *segments,
            },
            Told::Accept(segment) => Input::Accept { segment: *segment },
            Told::Reject(segment) => Input::Reject { segment: *segment },
            Told::Rediscover => Input::Rediscover,
            Told::Pause => Input::Pause,
            Told::Resume => Input::Resume,
            Told::Cancel => Input::Cancel,
        };
        let result = self.0.handle_input(now, input);
        result.map_err(|error| error.to_string())
    }

    fn poll(&mut self) -> Step<Output<Packet>> {
        match self.0.poll_output() {
            Output::Timeout(wake) => Step::Timeout(wake),
            output => Step::Output(output),
        }
    }

    fn tick() -> Told {
        Told::Timeout
    }

    fn inputs() -> BoxedStrategy<Told> {
        let final_segment =
            || option::weighted(0.3, prop_oneof![5 => 8..20_u64, 1 => any::<u64>()]);
        let name = || prop_oneof![data_number(), probe_number()].prop_map(name);
        prop_oneof![
            1 => Just(Told::Timeout),
            3 => (name(), final_segment(), any::<u16>(), header(), any::<u64>()).prop_map(
                |(name, final_segment, content_len, header, packet)| Told::Data {
                    name,
                    final_segment,
                    content_len: content_len.into(),
                    header,
                    packet: packet.into(),
                }
            ),
            1 => (name(), option::of(any::<u32>()), reason(), header()).prop_map(
                |(name, nonce, reason, header)| Told::Nack {
                    name,
                    nonce,
                    reason,
                    header,
                }
            ),
            2 => prop_oneof![5 => 0..8_u64, 1 => any::<u64>()].prop_map(Told::Credit),
            1 => (0..24_u64).prop_map(Told::Accept),
            1 => (0..24_u64).prop_map(Told::Reject),
            1 => Just(Told::Rediscover),
            1 => Just(Told::Pause),
            2 => Just(Told::Resume),
            60 => (back(), final_segment(), header()).prop_map(
                |(back, final_segment, header)| Told::Answer {
                    back,
                    reply: Reply::Data { final_segment },
                    header,
                }
            ),
            4 => (back(), reason(), header()).prop_map(|(back, reason, header)| {
                Told::Answer {
                    back,
                    reply: Reply::Nack(reason),
                    header,
                }
            }),
            16 => (back(), proptest::bool::weighted(0.8))
                .prop_map(|(back, good)| Told::Verdict { back, good }),
            // Rare: nothing comes after it.
            1 => prop_oneof![9 => Just(Told::Resume), 1 => Just(Told::Cancel)],
        ]
        .boxed()
    }

    fn aim(input: Told, open: &mut Vec<Output<Packet>>) -> Told {
        match input {
            Told::Answer {
                back,
                reply,
                header,
            } => {
                let sent = |output: &Output<Packet>| match output {
                    Output::Transmit { spec } => Some(*spec),
                    _ => None,
                };
                let spec = take(open, back, sent);
                spec.map_or(Told::Timeout, |spec| answer(spec, reply, header))
            }
            Told::Verdict { back, good } => {
                let delivered = |output: &Output<Packet>| match output {
                    Output::Deliver { segment, .. } => Some(*segment),
                    _ => None,
                };
                match take(open, back, delivered) {
                    None => Told::Timeout,
                    Some(segment) if good => Told::Accept(segment),
                    Some(segment) => Told::Reject(segment),
                }
            }
            input => input,
        }
    }
}

contract_suite!(consumer, Host);

/// The scripts reach discovery, delivery, both kinds of end, and the fault of the caller.
#[test]
fn scripts_reach_what_matters() {
    let reach = reach::<Host>();
    let count = |kind: fn(&Output<Packet>) -> bool| {
        let outputs = reach.outputs.iter();
        outputs.filter(|output| kind(output)).count()
    };
    let counts = [
        count(
            |o| matches!(o, Output::Transmit { spec } if matches!(spec.name, SpecName::Discovery { .. })),
        ),
        count(
            |o| matches!(o, Output::Transmit { spec } if matches!(spec.name, SpecName::Data { .. })),
        ),
        count(|o| matches!(o, Output::Deliver { .. })),
    ];
    let events = [
        count(|o| matches!(o, Output::Event(Event::PathFound { .. }))),
        count(|o| matches!(o, Output::Event(Event::Discovered { .. }))),
        count(|o| matches!(o, Output::Event(Event::Completed { .. }))),
        count(|o| matches!(o, Output::Event(Event::GaveUp { .. }))),
    ];
    assert!(counts.iter().all(|n| *n >= 100), "{counts:?}");
    assert!(events.iter().all(|n| *n >= 5), "{events:?}");
    assert!(!reach.refusals.is_empty());
}

/// The `back`-th latest open output of a kind, which is then no longer open; 8 and more: it stays
/// so, and can be answered once more.
fn take<T>(
    open: &mut Vec<Output<Packet>>,
    back: usize,
    kind: impl Fn(&Output<Packet>) -> Option<T>,
) -> Option<T> {
    let outputs = open.iter().enumerate();
    let of_kind = outputs.filter_map(|(at, output)| Some((at, kind(output)?)));
    let (at, found) = of_kind.rev().nth(back % 8)?;
    if back < 8 {
        let _ = open.remove(at);
    }
    Some(found)
}

/// Mostly the latest or one soon before it.
fn back() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 0..3_usize, 1 => 3..9_usize]
}

fn dest() -> NameBuf {
    NameBuf::new().generic(b"p")
}

/// What comes back for an Interest.
fn answer(spec: InterestSpec, reply: Reply, header: MarsHeader) -> Told {
    let name = name(spec.name);
    match reply {
        Reply::Data { final_segment } => Told::Data {
            name,
            final_segment,
            content_len: 1_000,
            header,
            packet: match spec.name {
                SpecName::Discovery { seq, .. } => seq.into(),
                SpecName::Data { segment } => segment.into(),
            },
        },
        Reply::Nack(reason) => Told::Nack {
            name,
            nonce: Some(spec.nonce),
            reason,
            header,
        },
    }
}

fn name(spec: SpecName) -> NameBuf {
    match spec {
        SpecName::Discovery { probe_idx, seq } => {
            let name = dest().generic(b"c").generic(b"pd");
            let name = with_number(name, Component::SEQUENCE, probe_idx);
            with_number(name, Component::SEQUENCE, seq)
        }
        SpecName::Data { segment } => {
            with_number(dest().generic(b"data"), Component::SEGMENT, segment)
        }
    }
}

/// Appends a `NonNegativeInteger` in its shortest form.
fn with_number(name: NameBuf, typ: u16, value: u64) -> NameBuf {
    let octets = value.to_be_bytes();
    let len = match value {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    };
    let value = octets.get(8 - len..).unwrap_or_default();
    name.with(Component::new(typ, value).expect("the type is not 0"))
}

fn data_number() -> impl Strategy<Value = SpecName> {
    prop_oneof![9 => 0..24_u64, 1 => any::<u64>()].prop_map(|segment| SpecName::Data { segment })
}

fn probe_number() -> impl Strategy<Value = SpecName> {
    (prop_oneof![9 => 0..4_u64, 1 => any::<u64>()], 0..20_u64)
        .prop_map(|(probe_idx, seq)| SpecName::Discovery { probe_idx, seq })
}

fn reason() -> impl Strategy<Value = NackReason> {
    select(
        &[
            NackReason::None,
            NackReason::Congestion,
            NackReason::Duplicate,
            NackReason::NoRoute,
        ][..],
    )
}

/// What the local forwarder writes: queues, convergence, rank, detail of a refusal.
fn header() -> impl Strategy<Value = MarsHeader> {
    let detail = select(
        &[
            NackDetail::Order,
            NackDetail::NoRoute,
            NackDetail::Duplicate,
            NackDetail::Stale,
            NackDetail::QueueFull,
        ][..],
    );
    let generation = prop_oneof![6 => Just(0), 3 => 0..4_u32, 1 => Just(u32::MAX)];
    (
        option::of(prop_oneof![4 => 0..50_u16, 1 => Just(u16::MAX)]),
        any::<bool>(),
        proptest::bool::weighted(0.2),
        option::weighted(0.9, generation),
        option::weighted(0.9, 0..9_u64),
        option::weighted(0.2, detail),
    )
        .prop_map(|fields| MarsHeader {
            interest_queue: fields.0,
            tier_conv: fields.1,
            node_conv: fields.2,
            generation: fields.3,
            label: fields.4.map(|hops| Label::from_bits(hops << 32)),
            nack_detail: fields.5,
            data_queue: None,
        })
}
