//! Decoding and encoding of the packets that MARS sends most: a discovery Interest, and a Data of
//! 1200 octets of content with `DigestSha256` fields; each bare, and in an `LpPacket` with a PIT
//! token and a MARS header.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use core::hint::black_box;
use core::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mars_wire::{
    Body, Component, Data, Interest, Label, LinkHeader, LinkPacket, LpPacket, MarsHeader, MarsName,
    Name, NameBuf, Number, PitToken,
};

fn encoded(packet: &LinkPacket<'_>) -> Vec<u8> {
    let mut out = vec![0; packet.encoded_len()];
    packet.encode(&mut out).unwrap();
    out
}

fn header() -> LinkHeader<'static> {
    let mars = MarsHeader {
        interest_queue: Some(3),
        generation: Some(1),
        label: Some(Label::ONE),
        ..MarsHeader::default()
    };
    LinkHeader::new(PitToken::new(&[1, 2, 3, 4, 5, 6, 7, 8]), mars)
}

fn benches(c: &mut Criterion) {
    let dest = NameBuf::new().generic(b"client1");
    let discovery = MarsName::Discovery {
        dest: dest.as_name(),
        src: Component::generic(b"server1"),
        probe_idx: 3,
        seq: 42,
    };
    let discovery_name = discovery.to_name_buf();
    let data_name = NameBuf::from(dest.as_name()).generic(b"data").segment(1000);
    let last = Number::new(29_999);
    let content = [0x5A; 1200];
    let interest = Interest::new(discovery_name.as_name())
        .with_nonce(0xA1A2_A3A4)
        .with_lifetime(Duration::from_secs(2))
        .with_hop_limit(32);
    let data = Data::new(data_name.as_name(), &content)
        .with_freshness(Duration::from_secs(10))
        .with_final_block_id(last.segment());

    let mut group = c.benchmark_group("decode");
    for (name, body) in [
        ("interest", Body::Interest(interest)),
        ("data", Body::Data(data)),
    ] {
        let bare = encoded(&LinkPacket {
            header: LinkHeader::default(),
            body,
        });
        let linked = encoded(&LinkPacket {
            header: header(),
            body,
        });
        group.throughput(Throughput::Elements(1));
        if matches!(body, Body::Interest(_)) {
            group.bench_function(format!("{name}, {} octets", bare.len()), |b| {
                b.iter(|| Interest::decode(black_box(&bare)).unwrap());
            });
        } else {
            group.bench_function(format!("{name}, {} octets", bare.len()), |b| {
                b.iter(|| Data::decode(black_box(&bare)).unwrap());
            });
        }
        group.bench_function(format!("{name} on a link, {} octets", linked.len()), |b| {
            b.iter(|| LinkPacket::decode(black_box(&linked)).unwrap());
        });
        group.bench_function(format!("{name} on a link, header fields only"), |b| {
            b.iter(|| LpPacket::decode(black_box(&linked)).unwrap());
        });
    }
    group.finish();

    let mut out = vec![0; 2000];
    let mut group = c.benchmark_group("encode");
    group.bench_function("interest", |b| {
        b.iter(|| black_box(&interest).encode(black_box(&mut out)).unwrap());
    });
    group.bench_function("interest from components", |b| {
        b.iter(|| {
            let mut name = [0; 64];
            let name = black_box(&discovery).name(&mut name).unwrap();
            let interest = Interest { name, ..interest };
            interest.encode(black_box(&mut out)).unwrap()
        });
    });
    group.bench_function("data", |b| {
        b.iter(|| black_box(&data).encode(black_box(&mut out)).unwrap());
    });
    let packet = LpPacket {
        header: header(),
        nack: None,
        fragment: &content,
    };
    group.bench_function("link header beside a fragment", |b| {
        b.iter(|| black_box(&packet).encode_head(black_box(&mut out)).unwrap());
    });
    group.finish();

    let mut group = c.benchmark_group("name");
    let octets = discovery_name.as_name().as_value();
    group.bench_function("check", |b| {
        b.iter(|| Name::from_value(black_box(octets)).unwrap());
    });
    group.bench_function("parse as MARS name", |b| {
        b.iter(|| MarsName::parse(black_box(discovery_name.as_name())).unwrap());
    });
    let uri = discovery_name.to_string();
    group.bench_function("parse URI", |b| {
        b.iter(|| black_box(&uri).parse::<NameBuf>().unwrap());
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
