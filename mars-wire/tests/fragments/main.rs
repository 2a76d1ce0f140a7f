//! Fragmenter and reassembler, apart and together.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod receiver;
mod sender;

use core::time::Duration;
use std::rc::Rc;

use mars_time::Instant;
use mars_wire::fragmenter::{self, Fragmenter};
use mars_wire::reassembler::{self, Counters, DropReason, Event, Reassembler, RefuseReason};
use mars_wire::sample::ValidPacket;
use mars_wire::{
    Acks, ErrorKind, LinkHeader, LpPacket, MAX_PACKET, MarsHeader, NackReason, PitToken,
};
use proptest::prelude::*;

const NOW: Instant = Instant::ZERO;
const LIFETIME: Duration = Duration::from_millis(500);

/// Octets that tell one place from another.
fn octets(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}

fn header() -> LinkHeader<'static> {
    let mars = MarsHeader {
        interest_queue: Some(3),
        ..MarsHeader::default()
    };
    LinkHeader {
        congestion_mark: Some(1),
        ..LinkHeader::new(PitToken::new(&[1, 2, 3, 4]), mars)
    }
}

fn fragmenter(config: fragmenter::Config) -> Fragmenter<Rc<Vec<u8>>> {
    Fragmenter::new(config).unwrap()
}

fn send(
    fragmenter: &mut Fragmenter<Rc<Vec<u8>>>,
    packet: &LpPacket<'_>,
) -> Result<(), fragmenter::Error> {
    let input = fragmenter::Input::Packet {
        header: &packet.header,
        nack: packet.nack,
        len: packet.fragment.len(),
        packet: Rc::new(packet.fragment.to_vec()),
    };
    fragmenter.handle_input(NOW, input)
}

/// The datagrams, head and range put together.
fn drain(fragmenter: &mut Fragmenter<Rc<Vec<u8>>>) -> Vec<Vec<u8>> {
    let mut datagrams = Vec::new();
    loop {
        match fragmenter.poll_output() {
            fragmenter::Output::Transmit {
                head,
                packet,
                range,
            } => datagrams.push([head, &packet[range]].concat()),
            fragmenter::Output::Timeout(wake) => {
                assert_eq!(wake, None);
                return datagrams;
            }
            other => panic!("{other:?}"),
        }
    }
}

fn cut(config: fragmenter::Config, packet: &LpPacket<'_>) -> Vec<Vec<u8>> {
    let mut fragmenter = fragmenter(config);
    send(&mut fragmenter, packet).unwrap();
    drain(&mut fragmenter)
}

fn with_header(fragment: &[u8]) -> LpPacket<'_> {
    LpPacket {
        header: header(),
        nack: Some(NackReason::NoRoute),
        fragment,
    }
}

/// A packet: its header as an IDLE packet, and its octets.
type Whole = (Vec<u8>, Vec<u8>);

/// A host of a reassembler.
struct Receiver {
    machine: Reassembler,
    packets: Vec<Whole>,
    events: Vec<Event>,
    wake: Option<Instant>,
}

impl Receiver {
    fn new(config: reassembler::Config) -> Self {
        Self {
            machine: Reassembler::new(config, NOW).unwrap(),
            packets: Vec::new(),
            events: Vec::new(),
            wake: None,
        }
    }

    fn input(&mut self, now: Instant, input: reassembler::Input<'_>) {
        self.machine.handle_input(now, input).unwrap();
        loop {
            match self.machine.poll_output() {
                reassembler::Output::Packet(packet) => self.packets.push(whole(&packet)),
                reassembler::Output::Event(event) => self.events.push(event),
                reassembler::Output::Timeout(wake) => break self.wake = wake,
                other => panic!("{other:?}"),
            }
        }
    }

    fn datagram(&mut self, now: Instant, datagram: &[u8]) {
        let packet = LpPacket::decode(datagram).unwrap();
        self.input(now, reassembler::Input::Packet(&packet));
    }

    fn piece(&mut self, now: Instant, piece: Piece) {
        self.input(now, reassembler::Input::Packet(&piece.packet(&[7; 300])));
    }

    fn counters(&self) -> Counters {
        self.machine.counters()
    }
}

fn whole(packet: &LpPacket<'_>) -> Whole {
    let head = LpPacket {
        fragment: &[],
        ..*packet
    };
    let mut octets = vec![0; head.encoded_len()];
    head.encode(&mut octets).unwrap();
    (octets, packet.fragment.to_vec())
}

/// A fragment: message, index, count.
#[derive(Clone, Copy)]
struct Piece(u64, u64, u64);

impl Piece {
    fn packet(self, fragment: &[u8]) -> LpPacket<'_> {
        let Self(message, index, count) = self;
        LpPacket {
            header: LinkHeader {
                sequence: Some(message.wrapping_add(index)),
                frag_index: Some(index),
                frag_count: Some(count),
                ..LinkHeader::default()
            },
            nack: None,
            fragment,
        }
    }
}

fn refused(message: u64, reason: RefuseReason) -> Event {
    Event::Refused { message, reason }
}

fn dropped(message: u64, received: u16, count: u16, reason: DropReason) -> Event {
    Event::Dropped {
        message,
        received,
        count,
        reason,
    }
}

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

proptest! {
    /// Packets cut, shuffled within a window and repeated come out as they went in.
    #[test]
    fn what_was_cut_comes_out_whole(
        packets in prop::collection::vec(any::<ValidPacket>(), 1..6),
        mtu in prop_oneof![64..200_usize, 200..2_000_usize],
        first_sequence: u64,
        order in prop::collection::vec(any::<u32>(), 0..400),
    ) {
        let mut config = fragmenter::Config::new(mtu);
        config.first_sequence = first_sequence;
        let mut fragmenter = fragmenter(config);
        let mut sent = Vec::new();
        for packet in &packets {
            let packet = LpPacket::decode(&packet.octets).unwrap();
            if packet.header.is_fragmented() {
                continue;
            }
            match send(&mut fragmenter, &packet) {
                Ok(()) => sent.push(whole(&LpPacket {
                    header: LinkHeader { sequence: None, frag_index: None, frag_count: None, ..packet.header },
                    ..packet
                })),
                Err(error) => prop_assert_eq!(error, fragmenter::Error::HeaderTooLong),
            }
        }
        let mut datagrams = drain(&mut fragmenter);
        prop_assert!(datagrams.iter().all(|datagram| datagram.len() <= mtu));
        for (at, other) in order.iter().enumerate() {
            let (len, other) = (datagrams.len().max(1), *other as usize);
            if at < datagrams.len() {
                datagrams.swap(at, other % len);
            }
        }
        let mut config = reassembler::Config::default();
        config.max_fragments = 8_800;
        config.max_octets = 1 << 24;
        let mut receiver = Receiver::new(config);
        for (nth, datagram) in datagrams.iter().enumerate() {
            let before = receiver.packets.len();
            receiver.datagram(NOW, datagram);
            // A copy of one that was cut, unless it was the last: that would begin a message.
            let cut = LpPacket::decode(datagram).unwrap().header.is_fragmented();
            if cut && nth % 3 == 0 && receiver.packets.len() == before {
                receiver.datagram(NOW, datagram);
            }
        }
        sent.sort();
        receiver.packets.sort();
        prop_assert_eq!(receiver.packets, sent);
        prop_assert_eq!(receiver.events, vec![]);
        prop_assert_eq!(receiver.machine.octets(), 0);
    }
}
