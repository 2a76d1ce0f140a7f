//! Fragmenter and reassembler of `mars-wire` under the contract.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::ops::Range;
use core::time::Duration;
use std::sync::Arc;

use mars_contract::{Machine, Step, contract_suite, reach};
use mars_time::Instant;
use mars_wire::fragmenter::{self, Fragmenter};
use mars_wire::reassembler::{self, DropReason, Event, Reassembler};
use mars_wire::{LinkHeader, LpPacket, NackReason, PitToken};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;

/// A handle that can only be cloned.
type Packet = Arc<u64>;

/// Fragments of one packet.
const FRAGMENTS: u8 = 12;

#[derive(Clone, Debug)]
struct Sender(Fragmenter<Packet>);

#[derive(Clone, Debug)]
enum Send {
    Timeout,
    Packet {
        header: Box<LinkHeader<'static>>,
        nack: Option<NackReason>,
        len: usize,
        packet: Packet,
    },
}

/// A link packet to send.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    head: Vec<u8>,
    packet: Packet,
    range: Range<usize>,
}

impl Machine for Sender {
    type Input = Send;
    type Output = Sent;

    const MAX_OUTPUTS: usize = FRAGMENTS as usize;

    fn new(seed: u64) -> Self {
        let mut config = fragmenter::Config::new(100);
        config.max_fragments = FRAGMENTS;
        config.first_sequence = seed.wrapping_sub(u64::MAX / 2);
        config.number_all = seed.is_multiple_of(2);
        Self(Fragmenter::new(config).expect("the configuration is valid"))
    }

    fn apply(&mut self, now: Instant, input: &Send) -> Result<(), String> {
        let input = match input {
            Send::Timeout => fragmenter::Input::Timeout,
            Send::Packet {
                header,
                nack,
                len,
                packet,
            } => fragmenter::Input::Packet {
                header,
                nack: *nack,
                len: *len,
                packet: packet.clone(),
            },
        };
        let result = self.0.handle_input(now, input);
        result.map_err(|error| error.to_string())
    }

    fn poll(&mut self) -> Step<Sent> {
        match self.0.poll_output() {
            fragmenter::Output::Transmit {
                head,
                packet,
                range,
            } => Step::Output(Sent {
                head: head.to_vec(),
                packet,
                range,
            }),
            fragmenter::Output::Timeout(wake) => Step::Timeout(wake),
            _ => Step::Timeout(None),
        }
    }

    fn tick() -> Send {
        Send::Timeout
    }

    fn inputs() -> BoxedStrategy<Send> {
        let len = prop_oneof![
            1 => Just(0),
            10 => 1..300_usize,
            5 => 0..1_200_usize,
            1 => any::<u16>().prop_map(usize::from),
        ];
        prop_oneof![
            1 => Just(Send::Timeout),
            20 => (header(), nack(), len, any::<u64>()).prop_map(|(header, nack, len, packet)| {
                Send::Packet {
                    header: header.into(),
                    nack,
                    len,
                    packet: packet.into(),
                }
            }),
        ]
        .boxed()
    }
}

contract_suite!(sender, Sender);

#[derive(Clone, Debug)]
struct Receiver(Reassembler);

/// Messages in progress.
const MESSAGES: u16 = 3;

#[derive(Clone, Debug)]
enum Receive {
    Timeout,
    Packet {
        header: Box<LinkHeader<'static>>,
        nack: Option<NackReason>,
        fragment: Vec<u8>,
    },
}

#[derive(Clone, Debug, PartialEq)]
enum Received {
    Packet {
        header: String,
        nack: Option<NackReason>,
        fragment: Vec<u8>,
    },
    Event(Event),
}

impl Machine for Receiver {
    type Input = Receive;
    type Output = Received;

    const MAX_OUTPUTS: usize = MESSAGES as usize + 1;

    fn new(_: u64) -> Self {
        let mut config = reassembler::Config::default();
        config.max_messages = MESSAGES;
        config.max_fragments = 4;
        config.max_octets = 256 * 42;
        config.lifetime = Duration::from_millis(40);
        let machine = Reassembler::new(config, Instant::ZERO);
        Self(machine.expect("the configuration is valid"))
    }

    fn apply(&mut self, now: Instant, input: &Receive) -> Result<(), String> {
        let packet;
        let input = match input {
            Receive::Timeout => reassembler::Input::Timeout,
            Receive::Packet {
                header,
                nack,
                fragment,
            } => {
                packet = LpPacket {
                    header: **header,
                    nack: *nack,
                    fragment,
                };
                reassembler::Input::Packet(&packet)
            }
        };
        let result = self.0.handle_input(now, input);
        result.map_err(|error| error.to_string())
    }

    fn poll(&mut self) -> Step<Received> {
        match self.0.poll_output() {
            reassembler::Output::Packet(packet) => Step::Output(Received::Packet {
                header: format!("{:?}", packet.header),
                nack: packet.nack,
                fragment: packet.fragment.to_vec(),
            }),
            reassembler::Output::Event(event) => Step::Output(Received::Event(event)),
            reassembler::Output::Timeout(wake) => Step::Timeout(wake),
            _ => Step::Timeout(None),
        }
    }

    fn tick() -> Receive {
        Receive::Timeout
    }

    fn inputs() -> BoxedStrategy<Receive> {
        let fragment = prop_oneof![
            1 => Just(0),
            10 => 1..300_usize,
            8 => 2_000..5_000_usize,
            1 => Just(9_000),
        ];
        let fragment = (fragment, any::<u8>()).prop_map(|(len, octet)| vec![octet; len]);
        // The messages begin on both sides of the wrap-around and share Sequences.
        let numbers = (
            0..7_u64,
            0..3_u64,
            prop_oneof![20 => 2..4_u64, 1 => 1..6_u64],
        );
        let header = (header(), numbers).prop_map(|(header, (message, index, count))| LinkHeader {
            sequence: Some(message.wrapping_sub(3).wrapping_add(index)),
            frag_index: Some(index),
            frag_count: Some(count),
            ..header
        });
        let header = prop_oneof![20 => header, 1 => self::header()];
        prop_oneof![
            1 => Just(Receive::Timeout),
            20 => (header, nack(), fragment).prop_map(|(header, nack, fragment)| Receive::Packet {
                header: header.into(),
                nack,
                fragment,
            }),
        ]
        .boxed()
    }

    fn timer(output: &Received) -> Option<u64> {
        match output {
            Received::Event(Event::Dropped {
                message,
                reason: DropReason::Expired,
                ..
            }) => Some(*message),
            _ => None,
        }
    }

    fn view(&self) -> String {
        let (messages, octets) = (self.0.messages(), self.0.octets());
        format!("{messages} {octets} {:?}", self.0.counters())
    }
}

contract_suite!(receiver, Receiver);

#[test]
fn scripts_reach_what_matters() {
    let sender = reach::<Sender>();
    let cut = |sent: &&Sent| sent.range.start > 0;
    assert!(sender.outputs.iter().filter(cut).count() >= 500);
    assert!(sender.refusals.len() >= 20);

    let receiver = reach::<Receiver>();
    let count = |kind: fn(&Received) -> bool| {
        let outputs = receiver.outputs.iter();
        outputs.filter(|output| kind(output)).count()
    };
    let dropped = |reason| {
        let outputs = receiver.outputs.iter();
        let dropped = outputs.filter(|output| {
            matches!(output, Received::Event(Event::Dropped { reason: why, .. }) if *why == reason)
        });
        dropped.count()
    };
    let counts = [
        count(|o| matches!(o, Received::Packet { .. })),
        count(|o| matches!(o, Received::Event(Event::Refused { .. }))),
        dropped(DropReason::Expired),
        dropped(DropReason::MessageCap),
        dropped(DropReason::OctetCap),
        receiver.refusals.len(),
    ];
    assert!(counts.iter().all(|n| *n >= 20), "{counts:?}");
}

fn header() -> impl Strategy<Value = LinkHeader<'static>> {
    let token = option::of(vec(any::<u8>(), 1..33).prop_map(|octets| PitToken::new(&octets)));
    let mark = option::weighted(0.2, any::<u64>());
    (token, mark).prop_map(|(token, congestion_mark)| LinkHeader {
        pit_token: token.flatten(),
        congestion_mark,
        ..LinkHeader::default()
    })
}

fn nack() -> impl Strategy<Value = Option<NackReason>> {
    option::weighted(0.2, Just(NackReason::NoRoute))
}
