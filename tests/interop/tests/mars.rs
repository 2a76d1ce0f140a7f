//! Packets with the MARS link header: every stack passes over it, and reads the rest as if it were
//! not there.

use std::time::Duration;

use mars_interop::fields::{flag, hex, text};
use mars_interop::{Ours, Peer, Stack, fields};
use mars_wire::{
    Body, Component, Data, Interest, Label, LinkHeader, LinkPacket, LpPacket, MarsHeader, MarsName,
    NackDetail, NameBuf, PitToken,
};

mod common;
use common::{Tally, they_read};

/// `/client1/server1/pd/3/42`.
fn discovery_name() -> NameBuf {
    MarsName::Discovery {
        dest: NameBuf::new().generic(b"client1").as_name(),
        src: Component::generic(b"server1"),
        probe_idx: 3,
        seq: 42,
    }
    .to_name_buf()
}

fn interest(name: &NameBuf) -> Interest<'_> {
    Interest::new(name.as_name())
        .with_nonce(0xA1A2_A3A4)
        .with_lifetime(Duration::from_secs(2))
        .with_hop_limit(32)
}

/// With every field, as it stands before an Interest, a Data or a Nack.
fn mars_header(nack_detail: Option<NackDetail>) -> MarsHeader {
    MarsHeader {
        interest_queue: Some(40),
        data_queue: Some(u16::MAX),
        tier_conv: true,
        node_conv: true,
        generation: Some(1),
        label: Some(Label::from_bits(0x2_8000_0000)),
        nack_detail,
    }
}

fn octets(header: LinkHeader<'_>, body: Body<'_>) -> Vec<u8> {
    let packet = LinkPacket { header, body };
    let mut out = vec![0; packet.encoded_len()];
    packet.encode(&mut out).unwrap();
    out
}

/// The answer of a producer, signed.
fn signed_answer(name: &NameBuf) -> Vec<u8> {
    let data = Data::discovery_answer(name.as_name());
    let mut out = vec![0; data.encoded_len()];
    data.encode_digest_signed(&mut out).unwrap();
    out
}

/// Discovery Interest, Data and Nacks behind this PIT token, each with and without a MARS header.
fn discovery_packets(token: Option<PitToken>) -> Vec<(bool, Vec<u8>)> {
    let name = discovery_name();
    let answer = signed_answer(&name);
    let mut packets = Vec::new();
    for mars in [false, true] {
        let header = |detail| {
            let header = if mars {
                mars_header(detail)
            } else {
                MarsHeader::default()
            };
            LinkHeader::new(token, header)
        };
        let mut push = |header, body| packets.push((mars, octets(header, body)));
        push(header(None), Body::Interest(interest(&name)));
        push(header(None), Body::Data(Data::decode(&answer).unwrap()));
        for detail in [
            NackDetail::Order,
            NackDetail::NoRoute,
            NackDetail::Duplicate,
            NackDetail::Stale,
            NackDetail::QueueFull,
        ] {
            let nack = Body::Nack(detail.reason(), interest(&name));
            push(header(Some(detail)), nack);
        }
    }
    packets
}

#[test]
fn every_stack_reads_discovery_with_and_without_the_header() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let mut tally = Tally::new();
        for token in [None, PitToken::new(&[1, 2, 3, 4]), PitToken::new(&[7; 32])] {
            for (mars, octets) in discovery_packets(token) {
                let ours = Ours.decode(&octets).unwrap();
                assert_eq!(ours.contains_key("mars"), mars);
                // The header is in nobody's way.
                assert!(!mars || peer.trouble(&ours).is_none(), "{peer:?}: {ours:?}");
                they_read(peer, stack.as_mut(), &octets, &mut tally);
            }
        }
        println!("{} reads discovery packets: {tally:?}", stack.name());
    }
}

/// What a foreign producer signed passes a MARS forwarder, which puts its header before it, and
/// still verifies at a foreign consumer.
#[test]
fn foreign_data_behind_our_header_verifies_everywhere() {
    let name = discovery_name();
    let name: Vec<String> = name
        .as_name()
        .components()
        .map(|part| format!("{}={}", part.typ(), hex(part.value())))
        .collect();
    let answer = fields! {
        "kind": "data", "name": name, "freshness": "0", "content": "aa", "sig_type": "0",
    };
    for producer in Peer::ALL {
        let Some(mut producer_stack) = producer.open() else {
            continue;
        };
        let data = producer_stack.encode(&answer).unwrap();
        let forwarded = LpPacket {
            header: LinkHeader::new(PitToken::new(&[9; 4]), mars_header(None)),
            nack: None,
            fragment: &data,
        };
        let mut octets = vec![0; forwarded.encoded_len()];
        forwarded.encode(&mut octets).unwrap();
        for consumer in Peer::ALL {
            let Some(mut stack) = consumer.open() else {
                continue;
            };
            // It has no link layer.
            let arrived = match consumer {
                Peer::NdnProtocol => &data,
                Peer::Ndnts | Peer::PythonNdn | Peer::NdnNdnlp => &octets,
            };
            let read = stack.decode(arrived).unwrap();
            assert_eq!(text(&read, "content"), Some("aa"));
            assert!(flag(&read, "verified"), "{producer:?} to {consumer:?}");
        }
    }
}
