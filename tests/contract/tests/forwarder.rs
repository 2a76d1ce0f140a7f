//! `mars-forwarder-core` under the contract: every kind of face, routes that change, producers
//! that come and go, discovery and data for a few dests, honest and forged answers.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::time::Duration;
use std::sync::Arc;

use mars_contract::{Machine, Step, contract_suite, reach};
use mars_forwarder_core::{
    Config, Data, Edit, Event, FaceId, FaceKind, Forwarder, Input, Interest, Nack, Output, Route,
};
use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, NackDetail, NackReason, NameBuf, PitToken};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

/// The host's packet: a handle that can only be cloned.
type Packet = Arc<u32>;

/// Pending Interests at most: few enough that scripts reach the cap.
const PENDING: u32 = 10;

#[derive(Clone, Debug)]
struct Host(Forwarder<Packet>);

/// [`Input`] with owned names.
#[derive(Clone, Debug)]
enum Told {
    Timeout,
    FaceAdded(FaceId, FaceKind),
    FaceRemoved(FaceId),
    FaceUp(FaceId),
    FaceDown(FaceId),
    Routes(NameBuf, Vec<Route>),
    ProducerRegistered(NameBuf, FaceId),
    ProducerWithdrawn(NameBuf, FaceId),
    DataQueue(FaceId, u32),
    Interest {
        face: FaceId,
        name: NameBuf,
        nonce: Option<u32>,
        lifetime: Duration,
        hop_limit: Option<u8>,
        pit_token: Option<PitToken>,
        must_be_fresh: bool,
        header: MarsHeader,
        packet: Packet,
    },
    Data {
        face: FaceId,
        name: NameBuf,
        freshness: Option<Duration>,
        header: MarsHeader,
        packet: Packet,
    },
    Nack {
        face: FaceId,
        name: NameBuf,
        nonce: Option<u32>,
        reason: NackReason,
        header: MarsHeader,
    },
    /// Becomes the answer to one of the latest Interests sent, see [`Machine::aim`].
    Answer {
        /// How many open Interests back; 8 and more: and leave it open.
        back: usize,
        reply: Reply,
        header: MarsHeader,
    },
}

#[derive(Clone, Copy, Debug)]
enum Reply {
    Data(Option<Duration>),
    Nack(NackReason),
}

impl Machine for Host {
    type Input = Told;
    type Output = Output<Packet>;

    /// One input can expire, re-send or refuse every pending Interest, each towards every face,
    /// with an event beside it; and make or lose every path of every dest.
    const MAX_OUTPUTS: usize =
        PENDING as usize * 2 * (FACES as usize + 1) + DESTS * (FACES as usize + 1) * 2;

    fn new(seed: u64) -> Self {
        let mut config = Config::new(seed);
        config.max_pending = PENDING;
        config.max_dests = 3;
        config.max_prefixes = 3;
        config.max_faces = u32::from(FACES) - 1;
        config.max_dead_nonces = 16;
        config.interest_queue = 2;
        config.max_cached = 2;
        config.max_cached_octets = 400;
        Self(Forwarder::new(config, Instant::ZERO).expect("the configuration is valid"))
    }

    fn apply(&mut self, now: Instant, input: &Told) -> Result<(), String> {
        let input = match input {
            Told::Timeout | Told::Answer { .. } => Input::Timeout,
            Told::FaceAdded(face, kind) => Input::FaceAdded {
                face: *face,
                kind: *kind,
            },
            Told::FaceRemoved(face) => Input::FaceRemoved { face: *face },
            Told::FaceUp(face) => Input::FaceUp { face: *face },
            Told::FaceDown(face) => Input::FaceDown { face: *face },
            Told::Routes(prefix, routes) => Input::Routes {
                prefix: prefix.as_name(),
                routes,
            },
            Told::ProducerRegistered(prefix, face) => Input::ProducerRegistered {
                prefix: prefix.as_name(),
                face: *face,
            },
            Told::ProducerWithdrawn(prefix, face) => Input::ProducerWithdrawn {
                prefix: prefix.as_name(),
                face: *face,
            },
            Told::DataQueue(face, packets) => Input::DataQueue {
                face: *face,
                packets: *packets,
            },
            Told::Interest {
                face,
                name,
                nonce,
                lifetime,
                hop_limit,
                pit_token,
                must_be_fresh,
                header,
                packet,
            } => Input::Interest {
                face: *face,
                interest: Interest {
                    name: name.as_name(),
                    nonce: *nonce,
                    lifetime: *lifetime,
                    hop_limit: *hop_limit,
                    pit_token: *pit_token,
                    must_be_fresh: *must_be_fresh,
                    header: *header,
                },
                packet: packet.clone(),
            },
            Told::Data {
                face,
                name,
                freshness,
                header,
                packet,
            } => Input::Data {
                face: *face,
                data: Data {
                    name: name.as_name(),
                    freshness: *freshness,
                    octets: 100 + **packet % 100,
                    header: *header,
                },
                packet: packet.clone(),
            },
            Told::Nack {
                face,
                name,
                nonce,
                reason,
                header,
            } => Input::Nack {
                face: *face,
                nack: Nack {
                    name: name.as_name(),
                    nonce: *nonce,
                    reason: *reason,
                    header: *header,
                },
            },
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

    fn prelude() -> Vec<Told> {
        let kinds = [
            FaceKind::Local,
            FaceKind::Local,
            FaceKind::Mars,
            FaceKind::Mars,
            FaceKind::Mars,
            FaceKind::Plain,
        ];
        let faces = (0..).zip(kinds);
        let mut prelude: Vec<_> = faces
            .map(|(face, kind)| Told::FaceAdded(FaceId(face), kind))
            .collect();
        let routes = |hops: &[(u32, u32)]| -> Vec<Route> {
            let hops = hops.iter();
            hops.map(|(face, hops)| Route {
                face: FaceId(*face),
                hops: *hops,
            })
            .collect()
        };
        prelude.push(Told::Routes(
            dest(0),
            routes(&[(2, 2), (3, 2), (4, 3), (5, 3)]),
        ));
        prelude.push(Told::Routes(dest(1), routes(&[(3, 1), (5, 1)])));
        prelude.push(Told::ProducerRegistered(dest(2), FaceId(1)));
        prelude
    }

    fn inputs() -> BoxedStrategy<Told> {
        prop_oneof![
            1 => Just(Told::Timeout),
            1 => (face(), select(&[FaceKind::Local, FaceKind::Mars, FaceKind::Plain][..]))
                .prop_map(|(face, kind)| Told::FaceAdded(face, kind)),
            1 => face().prop_map(Told::FaceRemoved),
            3 => face().prop_map(Told::FaceUp),
            2 => face().prop_map(Told::FaceDown),
            2 => (name_of_dest(), prop_oneof![1 => vec(route(), 0..2), 4 => vec(route(), 2..5)])
                .prop_map(|(prefix, routes)| Told::Routes(prefix, routes)),
            1 => (name_of_dest(), face())
                .prop_map(|(prefix, face)| Told::ProducerRegistered(prefix, face)),
            1 => (name_of_dest(), face())
                .prop_map(|(prefix, face)| Told::ProducerWithdrawn(prefix, face)),
            2 => (face(), prop_oneof![0..30_u32, any::<u32>()])
                .prop_map(|(face, packets)| Told::DataQueue(face, packets)),
            80 => interest(),
            2 => (face(), name(), freshness(), header(), any::<u32>()).prop_map(
                |(face, name, freshness, header, packet)| Told::Data {
                    face,
                    name,
                    freshness,
                    header,
                    packet: packet.into(),
                }
            ),
            2 => (face(), name(), nonce(), reason(), header()).prop_map(
                |(face, name, nonce, reason, header)| Told::Nack {
                    face,
                    name,
                    nonce,
                    reason,
                    header,
                }
            ),
            60 => (back(), freshness(), header()).prop_map(|(back, freshness, header)| Told::Answer {
                back,
                reply: Reply::Data(freshness),
                header,
            }),
            8 => (back(), reason(), header()).prop_map(|(back, reason, header)| {
                Told::Answer {
                    back,
                    reply: Reply::Nack(reason),
                    header,
                }
            }),
        ]
        .boxed()
    }

    fn aim(input: Told, open: &mut Vec<Output<Packet>>) -> Told {
        let Told::Answer {
            back,
            reply,
            header,
        } = input
        else {
            return input;
        };
        let interest = |output: &Output<Packet>| match output {
            Output::Transmit {
                face,
                edit: Edit::Interest { nonce, .. },
                packet,
            } => Some((*face, *nonce, **packet)),
            _ => None,
        };
        let outputs = open.iter().enumerate().rev();
        let mut interests = outputs.filter_map(|(at, output)| Some((at, interest(output)?)));
        let Some((at, (face, nonce, packet))) = interests.nth(back % 8) else {
            return Told::Timeout;
        };
        // Now and then it stays open, to be answered once more.
        if back < 8 {
            let _ = open.remove(at);
        }
        // The handle of an Interest is the number of its name.
        let name = numbered_name(packet);
        match reply {
            Reply::Data(freshness) => Told::Data {
                face,
                name,
                freshness,
                header,
                packet: packet.into(),
            },
            Reply::Nack(reason) => Told::Nack {
                face,
                name,
                nonce: Some(nonce),
                reason,
                header,
            },
        }
    }

    fn view(&self) -> String {
        let dests = (0..DESTS).filter_map(|number| {
            let name = dest(number);
            let dest = self.0.dest(name.as_name())?;
            let upstreams: Vec<_> = dest.valid_upstreams().collect();
            Some(format!(
                "dest {number}: {:?}, generation {}, queue {}, converged {}, {upstreams:?}; ",
                dest.rank(),
                dest.generation(),
                dest.queue_len(),
                dest.converged()
            ))
        });
        dests.collect()
    }
}

contract_suite!(forwarder, Host);

/// The scripts reach discovery, data, failures, and every fault of the caller.
#[test]
fn scripts_reach_what_matters() {
    let reach = reach::<Host>();
    let count = |kind: fn(&Output<Packet>) -> bool| {
        let outputs = reach.outputs.iter();
        outputs.filter(|output| kind(output)).count()
    };
    let sent = [
        count(|o| {
            matches!(
                o,
                Output::Transmit {
                    edit: Edit::Interest { .. },
                    ..
                }
            )
        }),
        count(|o| {
            matches!(
                o,
                Output::Transmit {
                    edit: Edit::Data { .. },
                    ..
                }
            )
        }),
        count(|o| {
            matches!(
                o,
                Output::Transmit {
                    edit: Edit::Nack { .. },
                    ..
                }
            )
        }),
    ];
    let events = [
        count(|o| matches!(o, Output::Event(Event::PathFound { .. }))),
        count(|o| matches!(o, Output::Event(Event::PathLost { .. }))),
        count(|o| matches!(o, Output::Event(Event::Converged { .. }))),
        count(|o| matches!(o, Output::Event(Event::Dropped { .. }))),
    ];
    assert!(sent.iter().all(|n| *n >= 300), "{sent:?}");
    assert!(events.iter().all(|n| *n >= 20), "{events:?}");
    for fault in [
        "unknown",
        "duplicate",
        "not local",
        "twice",
        "0 hops",
        "full",
    ] {
        let met = reach.refusals.iter().any(|refusal| refusal.contains(fault));
        assert!(met, "{fault}");
    }
}

/// Faces that inputs speak of; one more than the forwarder takes, and the last never exists.
const FACES: u8 = 8;
/// Dests that inputs speak of.
const DESTS: usize = 4;

/// `/0`, `/1`, `/2`, and `/0/0`, which shares the routes of `/0`.
fn dest(number: usize) -> NameBuf {
    match number {
        0 => NameBuf::new().generic(b"0"),
        1 => NameBuf::new().generic(b"1"),
        2 => NameBuf::new().generic(b"2"),
        _ => dest(0).generic(b"0"),
    }
}

/// A `NonNegativeInteger` of one octet.
fn number(typ: u16, value: &[u8; 1]) -> Component<'_> {
    Component::new(typ, value).expect("the type is not 0")
}

/// All names that occur, by number: for each dest data, probes, and one name of neither format.
fn numbered_name(n: u32) -> NameBuf {
    let [dest_n, kind, a, b] = n.to_le_bytes();
    // Two of three names are of the first dest: its queue is to fill.
    let dest = dest(usize::from(dest_n % 12).saturating_sub(8));
    match kind % 8 {
        0..=4 => dest
            .generic(b"data")
            .with(number(Component::SEGMENT, &[a % 6])),
        5..=6 => dest
            .generic(if b % 16 < 8 { b"c" } else { b"d" })
            .generic(b"pd")
            .with(number(Component::SEQUENCE, &[a % 4]))
            .with(number(Component::SEQUENCE, &[b % 8])),
        _ => dest,
    }
}

fn name() -> impl Strategy<Value = NameBuf> {
    any::<u32>().prop_map(numbered_name)
}

fn name_of_dest() -> impl Strategy<Value = NameBuf> {
    (0..DESTS).prop_map(dest)
}

fn face() -> impl Strategy<Value = FaceId> {
    let added = 0..u32::from(FACES) - 2;
    prop_oneof![12 => added, 1 => 0..u32::from(FACES)].prop_map(FaceId)
}

/// Now and then over 0 hops, which is refused.
fn route() -> impl Strategy<Value = Route> {
    (
        face(),
        prop_oneof![1 => Just(0), 20 => 1..5_u32, 1 => Just(u32::MAX)],
    )
        .prop_map(|(face, hops)| Route { face, hops })
}

/// Mostly the latest Interest or one soon before it.
fn back() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 0..3_usize, 1 => 3..9_usize]
}

fn nonce() -> impl Strategy<Value = Option<u32>> {
    option::weighted(0.9, prop_oneof![1 => 0..3_u32, 4 => any::<u32>()])
}

fn freshness() -> impl Strategy<Value = Option<Duration>> {
    option::of((0..2_000_u64).prop_map(Duration::from_millis))
}

fn reason() -> impl Strategy<Value = NackReason> {
    select(
        &[
            NackReason::None,
            NackReason::Congestion,
            NackReason::Duplicate,
            NackReason::NoRoute,
            NackReason::Other(7),
        ][..],
    )
}

/// Mostly what an honest neighbour near the producer sends, sometimes anything.
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
    let queue = || option::of(prop_oneof![4 => 0..50_u16, 1 => Just(u16::MAX)]);
    let generation = prop_oneof![6 => Just(0), 2 => 0..4_u32, 1 => 0..40_u32, 1 => Just(u32::MAX)];
    let label = prop_oneof![
        6 => (0..6_u64).prop_map(|hops| hops << 32),
        1 => 0..4_u64,
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ];
    let fields = (
        queue(),
        queue(),
        any::<bool>(),
        any::<bool>(),
        option::weighted(0.8, generation),
        option::weighted(0.8, label),
        option::weighted(0.2, detail),
    );
    prop_oneof![
            1 => Just(MarsHeader::default()),
            5 => fields.prop_map(|fields| {
    MarsHeader {
                    interest_queue: fields.0,
                    data_queue: fields.1,
                    tier_conv: fields.2,
                    node_conv: fields.3,
                    generation: fields.4,
                    label: fields.5.map(Label::from_bits),
                    nack_detail: fields.6,
                }
            }),
        ]
}

fn interest() -> impl Strategy<Value = Told> {
    let lifetime = prop_oneof![
        1 => Just(Duration::ZERO),
        20 => (100..4_000_u64).prop_map(Duration::from_millis),
        1 => Just(Duration::MAX),
    ];
    let hop_limit = option::of(prop_oneof![1 => Just(0), 1 => Just(1), 18 => any::<u8>()]);
    let token = option::of(vec(any::<u8>(), 1..5));
    (
        face(),
        any::<u32>(),
        nonce(),
        lifetime,
        hop_limit,
        token,
        any::<bool>(),
        header(),
    )
        .prop_map(
            |(face, packet, nonce, lifetime, hop_limit, token, must_be_fresh, header)| {
                Told::Interest {
                    face,
                    name: numbered_name(packet),
                    nonce,
                    lifetime,
                    hop_limit,
                    pit_token: token.and_then(|token| PitToken::new(&token)),
                    must_be_fresh,
                    header,
                    packet: packet.into(),
                }
            },
        )
}
