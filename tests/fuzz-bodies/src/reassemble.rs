//! Body for the fragmenter and reassembler of `mars-wire`.

use std::collections::BTreeMap;
use std::time::Duration;

use mars_time::Instant;
use mars_wire::fragmenter::{self, Fragmenter};
use mars_wire::reassembler::{Config, DropReason, Event, Input, Output, Reassembler, RefuseReason};
use mars_wire::sample::ValidPacket;
use mars_wire::{LinkHeader, LpPacket, MAX_PACKET, NackReason, PitToken};

/// What was cut comes out whole, in whatever order it arrives and however often; and any fragments
/// at any times do what a model says, within the caps.
pub fn reassemble(tape: &[u8]) {
    let (order, packet) = tape.split_at(tape.len() / 2);
    identity(order, packet);
    against_a_model(tape);
}

/// The two octets of a tape that come next; zeros behind its end.
fn pair(tape: &mut impl Iterator<Item = u8>) -> usize {
    let high = tape.next().unwrap_or(0);
    usize::from(u16::from_be_bytes([high, tape.next().unwrap_or(0)]))
}

fn identity(order: &[u8], packet: &[u8]) {
    let valid = ValidPacket::from_tape(packet).octets;
    let packet = LpPacket::decode(&valid).expect("valid");
    let mut order = order.iter().copied();
    let mut config = fragmenter::Config::new(64 + pair(&mut order) % 1_500);
    config.first_sequence = (pair(&mut order) as u64).wrapping_sub(1 << 15);
    let mut fragmenter = Fragmenter::new(config).unwrap();
    let input = fragmenter::Input::Packet {
        header: &packet.header,
        nack: packet.nack,
        len: packet.fragment.len(),
        packet: (),
    };
    match fragmenter.handle_input(Instant::ZERO, input) {
        Ok(()) => {}
        Err(fragmenter::Error::Fragment) if packet.header.is_fragmented() => return,
        Err(fragmenter::Error::HeaderTooLong) if packet.head_len() + 33 > config.mtu => return,
        Err(error) => panic!("{error}"),
    }
    let mut datagrams = Vec::new();
    while let fragmenter::Output::Transmit { head, range, .. } = fragmenter.poll_output() {
        datagrams.push([head, &packet.fragment[range]].concat());
        assert!(datagrams.last().unwrap().len() <= config.mtu);
    }
    for at in 0..datagrams.len() {
        let other = pair(&mut order) % datagrams.len();
        datagrams.swap(at, other);
    }

    let mut config = Config::default();
    config.max_fragments = 8_800;
    config.max_octets = 256 * 8_838;
    let mut reassembler = Reassembler::new(config, Instant::ZERO).unwrap();
    let expected = LpPacket {
        header: LinkHeader {
            sequence: None,
            frag_index: None,
            frag_count: None,
            ..packet.header
        },
        ..packet
    };
    for (nth, datagram) in datagrams.iter().enumerate() {
        let last = nth + 1 == datagrams.len();
        let copies = if last { 1 } else { 1 + pair(&mut order) % 3 };
        for _ in 0..copies {
            let packet = LpPacket::decode(datagram).expect("a fragment is a packet");
            let input = Input::Packet(&packet);
            reassembler.handle_input(Instant::ZERO, input).unwrap();
        }
        match reassembler.poll_output() {
            Output::Packet(packet) if last => assert_eq!(packet, expected),
            Output::Timeout(Some(_)) if !last => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((reassembler.messages(), reassembler.octets()), (0, 0));
}

const LIFETIME: Duration = Duration::from_millis(100);
const MESSAGES: usize = 4;
const BLOCKS: usize = 45;
const FRAGMENTS: u64 = 6;

/// One packet, or a fact, as the model says.
#[derive(Debug, PartialEq)]
enum Seen {
    Packet(Box<LinkHeader<'static>>, Option<NackReason>, Vec<u8>),
    Event(Event),
}

/// A message in progress.
struct Message {
    id: u64,
    count: u64,
    deadline: Instant,
    head: LpPacket<'static>,
    parts: BTreeMap<u64, Vec<u8>>,
}

impl Message {
    fn blocks(&self) -> usize {
        let head = match &self.head {
            head if *head == LpPacket::default() => 0,
            head => head.encoded_len(),
        };
        let parts = self.parts.values().map(|part| part.len().div_ceil(248));
        head.div_ceil(248) + parts.sum::<usize>()
    }

    /// Octets of the whole packet with its header.
    fn encoded_len(&self) -> usize {
        let fragment = vec![0; self.parts.values().map(Vec::len).sum()];
        let packet = LpPacket {
            fragment: &fragment,
            ..self.head
        };
        packet.encoded_len()
    }
}

/// Messages, the stalest first.
#[derive(Default)]
struct Model {
    now: Instant,
    messages: Vec<Message>,
    seen: Vec<Seen>,
}

impl Model {
    fn tick(&mut self, now: Instant) {
        self.now = now;
        while self.messages.first().is_some_and(|m| m.deadline <= now) {
            self.drop_stalest(DropReason::Expired);
        }
    }

    fn drop_stalest(&mut self, reason: DropReason) {
        let message = self.messages.remove(0);
        self.seen.push(Seen::Event(Event::Dropped {
            message: message.id,
            received: message.parts.len().try_into().unwrap(),
            count: message.count.try_into().unwrap(),
            reason,
        }));
    }

    fn fragment(&mut self, id: u64, index: u64, count: u64, packet: LpPacket<'_>) {
        let place = self.messages.iter().position(|message| message.id == id);
        let mut message = match place {
            Some(place) => self.messages.remove(place),
            None => Message {
                id,
                count,
                deadline: Instant::ZERO,
                head: LpPacket::default(),
                parts: BTreeMap::new(),
            },
        };
        let duplicate = message.parts.contains_key(&index) && message.count == count;
        let (head, deadline) = (message.head, message.deadline);
        let mut refusal = None;
        if count > FRAGMENTS {
            refusal = Some(RefuseReason::TooManyFragments);
        } else if packet.fragment.is_empty() {
            refusal = Some(RefuseReason::Empty);
        } else if message.count != count {
            refusal = Some(RefuseReason::CountDiffers);
        } else if !duplicate {
            if index == 0 {
                message.head = kept(&packet);
            }
            message.parts.insert(index, packet.fragment.to_vec());
            if message.encoded_len() > MAX_PACKET {
                message.parts.remove(&index);
                message.head = head;
                refusal = Some(RefuseReason::TooLong);
            }
        }
        if let Some(reason) = refusal {
            let message = id;
            self.seen
                .push(Seen::Event(Event::Refused { message, reason }));
        }
        if refusal.is_some() || duplicate {
            if let Some(place) = place {
                assert_eq!(message.deadline, deadline);
                self.messages.insert(place, message);
            }
            return;
        }
        if message.parts.len() as u64 == count {
            let octets: Vec<_> = message.parts.into_values().collect();
            let head = message.head;
            self.seen
                .push(Seen::Packet(head.header.into(), head.nack, octets.concat()));
            return;
        }
        if place.is_none() && self.messages.len() == MESSAGES {
            self.drop_stalest(DropReason::MessageCap);
        }
        let blocks = |messages: &[Message]| messages.iter().map(Message::blocks).sum::<usize>();
        while blocks(&self.messages) + message.blocks() > BLOCKS {
            self.drop_stalest(DropReason::OctetCap);
        }
        message.deadline = self.now + LIFETIME;
        self.messages.push(message);
    }
}

/// What the whole packet keeps of its first fragment.
fn kept(packet: &LpPacket<'_>) -> LpPacket<'static> {
    LpPacket {
        header: LinkHeader {
            pit_token: packet.header.pit_token,
            ..LinkHeader::default()
        },
        nack: packet.nack,
        fragment: &[],
    }
}

fn against_a_model(tape: &[u8]) {
    let mut config = Config::default();
    config.max_messages = MESSAGES as u16;
    config.max_octets = BLOCKS * 256;
    config.max_fragments = FRAGMENTS as u16;
    config.lifetime = LIFETIME;
    let mut reassembler = Reassembler::new(config, Instant::ZERO).unwrap();
    let mut model = Model::default();
    let mut octets = Vec::new();
    for (nth, op) in tape.chunks(4).enumerate() {
        let mut tape = op.iter().copied();
        let mut octet = || u64::from(tape.next().unwrap_or(0));
        let (time, numbers, len, flags) = (octet(), octet(), octet(), octet());
        // Mostly no time passes; now and then enough for something to expire, to the nanosecond.
        let span = match time {
            0..128 => Duration::ZERO,
            128..250 => Duration::from_millis(time - 127),
            _ => LIFETIME - Duration::from_nanos(time - 250),
        };
        let (index, count) = (numbers % 8, numbers / 8 % 8);
        let id = (flags % 8).wrapping_sub(4);
        let len = match len {
            0..128 => len,
            128..192 => 240 + len - 128,
            _ => 8_800 - (len - 192) * 139,
        };
        octets.clear();
        octets.resize(len as usize, nth as u8);
        let token = (flags >= 128).then(|| PitToken::new(&[flags as u8; 30]));
        let packet = LpPacket {
            header: LinkHeader {
                sequence: Some(id.wrapping_add(index)),
                frag_index: Some(index),
                frag_count: Some(count),
                pit_token: token.flatten(),
                ..LinkHeader::default()
            },
            nack: (flags & 64 != 0).then_some(NackReason::Congestion),
            fragment: &octets,
        };
        let now = model.now + span;
        model.tick(now);
        let result = reassembler.handle_input(now, Input::Packet(&packet));
        assert_eq!(
            result.is_err(),
            index >= count || packet.encoded_len() > MAX_PACKET
        );
        match (result, count) {
            (Err(_), _) => {}
            (Ok(()), 1) => model.seen.push(Seen::Packet(
                packet_header(&packet).into(),
                packet.nack,
                octets.clone(),
            )),
            (Ok(()), _) => model.fragment(id, index, count, packet),
        }
        agree(&mut reassembler, &mut model);
    }
    let later = model.now + LIFETIME;
    model.tick(later);
    reassembler.handle_input(later, Input::Timeout).unwrap();
    agree(&mut reassembler, &mut model);
    assert_eq!((reassembler.messages(), reassembler.octets()), (0, 0));
}

/// The header, which borrows nothing.
fn packet_header(packet: &LpPacket<'_>) -> LinkHeader<'static> {
    LinkHeader {
        sequence: packet.header.sequence,
        frag_index: packet.header.frag_index,
        frag_count: packet.header.frag_count,
        ..kept(packet).header
    }
}

fn agree(reassembler: &mut Reassembler, model: &mut Model) {
    let mut expected = model.seen.drain(..);
    loop {
        match (reassembler.poll_output(), expected.next()) {
            (Output::Packet(packet), Some(Seen::Packet(header, nack, octets))) => {
                assert_eq!((packet.header, packet.nack), (*header, nack));
                assert_eq!(packet.fragment, octets);
            }
            (Output::Event(event), Some(Seen::Event(expected))) => assert_eq!(event, expected),
            (Output::Timeout(wake), None) => {
                let first = model.messages.first();
                assert_eq!(wake, first.map(|message| message.deadline));
                break;
            }
            (output, expected) => panic!("{output:?}, not {expected:?}"),
        }
    }
    drop(expected);
    let blocks: usize = model.messages.iter().map(Message::blocks).sum();
    assert_eq!(reassembler.messages(), model.messages.len());
    assert_eq!(reassembler.octets(), blocks * 256);
    assert!(model.messages.len() <= MESSAGES && blocks <= BLOCKS);
}
