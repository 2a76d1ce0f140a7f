//! Sizes on the wire, link header included, of the name `/client1/server1/pd/3/42`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use core::time::Duration;

use mars_wire::{
    Body, Component, Data, Interest, Label, LinkHeader, LinkPacket, MarsHeader, MarsName,
    NackDetail, Name, NameBuf, PitToken,
};

fn name() -> NameBuf {
    let dest = NameBuf::new().generic(b"client1");
    MarsName::Discovery {
        dest: dest.as_name(),
        src: Component::generic(b"server1"),
        probe_idx: 3,
        seq: 42,
    }
    .to_name_buf()
}

fn rank() -> MarsHeader {
    MarsHeader {
        generation: Some(1),
        label: Some(Label::from_bits(0x2_8000_0000)),
        ..MarsHeader::default()
    }
}

fn interest(name: Name<'_>) -> Interest<'_> {
    Interest::new(name)
        .with_nonce(0xA1A2_A3A4)
        .with_lifetime(Duration::from_secs(2))
        .with_hop_limit(32)
}

fn wire_size(header: LinkHeader<'_>, body: Body<'_>) -> usize {
    let packet = LinkPacket { header, body };
    let mut out = [0; 256];
    let len = packet.encode(&mut out).unwrap();
    assert_eq!(len, packet.encoded_len());
    assert_eq!(LinkPacket::decode(&out[..len]), Ok(packet));
    len
}

#[test]
fn within_the_bars() {
    let name = name();
    let name = name.as_name();
    for token in [None, PitToken::new(&[7; 4])] {
        let interest = wire_size(
            LinkHeader::new(
                token,
                MarsHeader {
                    interest_queue: Some(40),
                    ..rank()
                },
            ),
            Body::Interest(Interest {
                must_be_fresh: true,
                ..interest(name)
            }),
        );
        let data = wire_size(
            LinkHeader::new(
                token,
                MarsHeader {
                    data_queue: Some(40),
                    tier_conv: true,
                    node_conv: true,
                    ..rank()
                },
            ),
            Body::Data(Data::discovery_answer(name)),
        );
        let detail = NackDetail::Stale;
        let nack = wire_size(
            LinkHeader::new(
                token,
                MarsHeader {
                    generation: Some(2),
                    nack_detail: Some(detail),
                    ..MarsHeader::default()
                },
            ),
            Body::Nack(detail.reason(), self::interest(name)),
        );
        let with = token.map_or("", |_| ", PIT token of 4 octets included");
        println!("discovery Interest {interest}, Data {data}, Nack {nack} octets{with}");
        assert!(interest <= 106, "{interest}");
        assert!(data <= 107, "{data}");
        assert!(nack <= 115, "{nack}");
    }
}
