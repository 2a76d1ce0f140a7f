//! A gigabyte of mutated packets through the decoders, in release, without a panic:
//!
//! ```text
//! cargo test --release -p mars-fuzz-bodies --test gigabyte -- --ignored --nocapture
//! ```

use std::time::Instant;

use mars_fuzz_bodies::decode;
use mars_wire::LinkPacket;
use mars_wire::sample::{NearlyValidPacket, ValidPacket};

/// Octets to go through.
const GIGABYTE: usize = 1_000_000_000;

/// Octets that mean something to a decoder: types, and the starts of longer forms.
const MEANINGFUL: [u8; 24] = [
    0, 1, 2, 5, 6, 7, 8, 10, 12, 20, 21, 22, 23, 26, 30, 34, 36, 44, 80, 98, 100, 253, 254, 255,
];

/// The same numbers at every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % limit
    }

    fn octet(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }
}

/// A packet from a tape, then changed in up to three places.
fn packet(random: &mut Random) -> Vec<u8> {
    let tape: Vec<u8> = (0..random.below(400)).map(|_| random.octet()).collect();
    let mut octets = match random.below(2) {
        0 => ValidPacket::from_tape(&tape).octets,
        _ => NearlyValidPacket::from_tape(&tape).octets,
    };
    for _ in 0..random.below(4) {
        if octets.is_empty() {
            break;
        }
        let at = random.below(octets.len());
        let octet = MEANINGFUL[random.below(MEANINGFUL.len())];
        match random.below(5) {
            0 => octets[at] = octet,
            1 => octets[at] ^= 1 << random.below(8),
            2 => octets.insert(at, octet),
            3 => drop(octets.remove(at)),
            _ => {
                let end = (at + random.below(40)).min(octets.len());
                octets.extend_from_within(at..end);
            }
        }
    }
    octets
}

#[test]
#[ignore = "takes minutes, and a release build"]
fn a_gigabyte_without_a_panic() {
    let mut random = Random(0x4D41_5253);
    let (mut octets, mut packets, mut accepted) = (0, 0_u64, 0_u64);
    #[allow(clippy::disallowed_methods)]
    let start = Instant::now();
    while octets < GIGABYTE {
        let packet = packet(&mut random);
        decode(&packet);
        octets += packet.len();
        packets += 1;
        accepted += u64::from(LinkPacket::decode(&packet).is_ok());
    }
    println!(
        "{octets} octets in {packets} packets, {}.{} % of them accepted, {} s",
        accepted * 100 / packets,
        accepted * 1000 / packets % 10,
        start.elapsed().as_secs(),
    );
    assert!(
        accepted > packets / 20,
        "mutations that leave nothing whole find nothing"
    );
}
