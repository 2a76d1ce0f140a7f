//! Fragments both ways with `NDNts`. No other of the stacks reads or writes them.

use mars_interop::fields::{hex, unhex};
use mars_interop::{Ours, Script, Stack, fields};
use mars_time::Instant;
use mars_wire::fragmenter::{self, Fragmenter};
use mars_wire::reassembler::{self, Reassembler};
use mars_wire::{LinkHeader, LpPacket, MarsHeader, NackReason, PitToken};
use serde_json::{Value, json};

const NOW: Instant = Instant::ZERO;

/// A Data of about 3,000 octets.
fn data() -> Vec<u8> {
    let content: Vec<u8> = (0..251).cycle().take(3_000).collect();
    let fields = fields! {
        "kind": "data", "name": ["8=636c69656e7431", "8=64617461", "50=07"],
        "content": hex(&content), "sig_type": "0",
    };
    Ours.encode(&fields).unwrap()
}

/// An Interest with long parameters.
fn interest() -> Vec<u8> {
    let fields = fields! {
        "kind": "interest", "name": ["8=41"], "nonce": "7", "parameters": hex(&[0xB7; 1_500]),
    };
    Ours.encode(&fields).unwrap()
}

/// What is sent over the link: a packet behind these header fields.
fn cases<'a>(data: &'a [u8], interest: &'a [u8]) -> Vec<LpPacket<'a>> {
    let mars = MarsHeader {
        interest_queue: Some(3),
        tier_conv: true,
        ..MarsHeader::default()
    };
    let token = PitToken::new(&[1, 2, 3, 4]);
    let plain = LinkHeader::default();
    let marked = LinkHeader {
        congestion_mark: Some(1),
        ..LinkHeader::new(token, MarsHeader::default())
    };
    let headed = LinkHeader::new(token, mars);
    let nack = Some(NackReason::Congestion);
    let packet = |header, nack, fragment| LpPacket {
        header,
        nack,
        fragment,
    };
    vec![
        packet(plain, None, data),
        packet(marked, None, data),
        packet(headed, None, data),
        packet(headed, None, interest),
        packet(headed, nack, interest),
    ]
}

fn encoded(packet: &LpPacket<'_>) -> Vec<u8> {
    let mut out = vec![0; packet.encoded_len()];
    packet.encode(&mut out).unwrap();
    out
}

/// As it is without the header that `NDNts` does not know.
fn without_mars<'a>(packet: &LpPacket<'a>) -> LpPacket<'a> {
    LpPacket {
        header: LinkHeader {
            mars: MarsHeader::default(),
            ..packet.header
        },
        ..*packet
    }
}

/// The link packets that our fragmenter cuts it into.
fn cut(packet: &LpPacket<'_>, mtu: usize, first_sequence: u64) -> Vec<Vec<u8>> {
    let mut config = fragmenter::Config::new(mtu);
    config.first_sequence = first_sequence;
    let mut fragmenter = Fragmenter::new(config).unwrap();
    let input = fragmenter::Input::Packet {
        header: &packet.header,
        nack: packet.nack,
        len: packet.fragment.len(),
        packet: (),
    };
    fragmenter.handle_input(NOW, input).unwrap();
    let mut datagrams = Vec::new();
    loop {
        match fragmenter.poll_output() {
            fragmenter::Output::Transmit { head, range, .. } => {
                datagrams.push([head, &packet.fragment[range]].concat());
            }
            fragmenter::Output::Timeout(_) => return datagrams,
            other => panic!("{other:?}"),
        }
    }
}

/// The link packets that our reassembler makes of these.
fn joined(datagrams: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut reassembler = Reassembler::new(reassembler::Config::default(), NOW).unwrap();
    let mut whole = Vec::new();
    for datagram in datagrams {
        let packet = LpPacket::decode(datagram).unwrap();
        let input = reassembler::Input::Packet(&packet);
        reassembler.handle_input(NOW, input).unwrap();
        loop {
            match reassembler.poll_output() {
                reassembler::Output::Packet(packet) => whole.push(encoded(&packet)),
                reassembler::Output::Timeout(_) => break,
                other => panic!("{other:?}"),
            }
        }
    }
    whole
}

fn octet_strings(value: &Value) -> Vec<Vec<u8>> {
    let texts = value.as_array().unwrap().iter();
    texts.map(|text| unhex(text.as_str().unwrap())).collect()
}

/// Sent in order, from the end, and every other one first.
fn orders(datagrams: &[Vec<u8>]) -> [Vec<Vec<u8>>; 3] {
    let (even, odd): (Vec<_>, Vec<_>) = datagrams.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let mixed = even
        .into_iter()
        .chain(odd)
        .map(|(_, octets)| octets.clone());
    [
        datagrams.to_vec(),
        datagrams.iter().rev().cloned().collect(),
        mixed.collect(),
    ]
}

#[test]
fn they_join_what_we_cut() {
    let Some(mut ndnts) = Script::ndnts() else {
        return;
    };
    let mut fragments = 0;
    for packet in cases(&data(), &interest()) {
        // The second Sequence wraps around.
        for (mtu, first) in [(1_200, 7), (400, u64::MAX - 1)] {
            let datagrams = cut(&packet, mtu, first);
            assert!(datagrams.len() > 1);
            assert!(datagrams.iter().all(|datagram| datagram.len() <= mtu));
            fragments += datagrams.len();
            for order in orders(&datagrams) {
                let pieces: Vec<_> = order.iter().map(|octets| hex(octets)).collect();
                let answer = ndnts.ask(&json!({ "do": "reassemble", "fragments": pieces }));
                let whole = octet_strings(&answer.unwrap()["whole"]);
                assert_eq!(whole, [encoded(&without_mars(&packet))]);
            }
        }
    }
    println!("{} joins what we cut: {fragments} fragments", ndnts.name());
}

#[test]
fn we_join_what_they_cut() {
    let Some(mut ndnts) = Script::ndnts() else {
        return;
    };
    let mut fragments = 0;
    for packet in cases(&data(), &interest()) {
        for mtu in [1_200, 400] {
            let request = json!({ "do": "fragment", "hex": hex(&encoded(&packet)), "mtu": mtu });
            let datagrams = octet_strings(&ndnts.ask(&request).unwrap()["fragments"]);
            assert!(datagrams.len() > 1);
            fragments += datagrams.len();
            for order in orders(&datagrams) {
                assert_eq!(joined(&order), [encoded(&without_mars(&packet))]);
            }
        }
    }
    println!("we join what {} cuts: {fragments} fragments", ndnts.name());
}
