//! Neither decoding nor encoding allocates, whatever the packet.

use std::hint::black_box;

use mars_fuzz_bodies::counting::{Counting, allocations};
use mars_wire::sample::{NearlyValidPacket, ValidPacket};
use mars_wire::{InterestEdit, LinkPacket, LpPacket, MAX_PACKET, MarsName};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn the_allocator_counts() {
    assert_ne!(allocations(|| drop(black_box(vec![7]))), 0);
}

/// Random tapes, the same every time.
fn tapes(count: usize) -> Vec<Vec<u8>> {
    let mut state = 7_u64;
    let mut octet = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..count)
        .map(|_| (0..300).map(|_| octet()).collect())
        .collect()
}

#[test]
fn valid_packets() {
    let packets: Vec<_> = tapes(2000)
        .iter()
        .map(|tape| ValidPacket::from_tape(tape).octets)
        .collect();
    let mut out = vec![0; MAX_PACKET];
    let mut kinds = [0; 2];
    let made = allocations(|| {
        for octets in &packets {
            let packet = LinkPacket::decode(octets).unwrap();
            packet.encode(&mut out).unwrap();
            LpPacket::decode(octets).unwrap().encode(&mut out).unwrap();
            match packet.body {
                mars_wire::Body::Interest(interest) => {
                    kinds[0] += 1;
                    let _ = MarsName::parse(interest.name).map(|name| name.encode(&mut out));
                    let fragment = LpPacket::decode(octets).unwrap().fragment;
                    let edit = InterestEdit {
                        nonce: Some(1),
                        ..InterestEdit::default()
                    };
                    edit.encode(fragment, &mut out).unwrap();
                }
                mars_wire::Body::Data(data) => {
                    kinds[1] += 1;
                    data.encode_with(&mut out, |_, _| ()).unwrap();
                }
                _ => {}
            }
        }
    });
    assert_eq!(made, 0);
    assert!(kinds.iter().all(|kind| *kind > 100), "{kinds:?}");
}

#[test]
fn refused_packets() {
    let packets: Vec<_> = tapes(4000)
        .iter()
        .map(|tape| NearlyValidPacket::from_tape(tape).octets)
        .collect();
    let mut refused = 0;
    let made = allocations(|| {
        for octets in &packets {
            refused += u64::from(LinkPacket::decode(octets).is_err());
        }
    });
    assert_eq!(made, 0);
    assert!(refused > 1000, "{refused}");
}
