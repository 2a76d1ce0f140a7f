//! Times of `mars-wire`, of its peers, and of the floor, with the same packets in the same run; at the
//! end, as one line each, how many times the floor ours takes, and how many times ours a peer.

#![allow(missing_docs, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use criterion::{Criterion, criterion_group};
use mars_instructions::wire::{floor, packets, peers};
use mars_instructions::{groups, keep, worst};
use mars_wire::{Data, Interest, LinkPacket};

/// Every case of `mars-wire` that instructions are counted of, peers and floor included.
fn times(c: &mut Criterion) {
    let wire = groups().into_iter().find(|group| group.name == "wire");
    for case in wire.into_iter().flat_map(|group| group.cases) {
        let mut work = case.start();
        let per = case.per;
        c.bench_function(&case.name, |b| {
            b.iter_custom(|rounds| {
                let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
                let start = Instant::now();
                work(rounds);
                start.elapsed() / u32::try_from(per).unwrap_or(1)
            });
        });
    }
}

/// Picoseconds of one call of `work`: the least of many batches, which is what an idle machine takes.
fn least(mut work: impl FnMut()) -> u128 {
    const CALLS: u128 = 2_000;
    let mut least = Duration::MAX;
    for _ in 0..200 {
        let start = Instant::now();
        for _ in 0..CALLS {
            work();
        }
        least = least.min(start.elapsed());
    }
    least.as_nanos() * 1_000 / CALLS
}

/// As in `1.5`.
fn ratio(a: u128, b: u128) -> String {
    let tenths = a * 10 / b.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Prints one line for ours, the floor's and a peer's time of the same work.
fn compare(what: &str, ours: u128, floor: u128, peer: u128) {
    println!(
        "{what}: ours {} ns, {} times the floor; ndn-protocol {} ns, {} times ours",
        ratio(ours, 1_000),
        ratio(ours, floor),
        ratio(peer, 1_000),
        ratio(peer, ours),
    );
}

fn ratios() {
    let octets = packets::bare_interest();
    let shared = Bytes::from(octets.clone());
    compare(
        "decode Interest",
        least(|| keep(&Interest::decode(black_box(&octets)))),
        least(|| keep(&floor::interest(black_box(&octets)))),
        least(|| keep(&peers::interest(black_box(&shared)))),
    );
    let octets = packets::bare_data();
    let shared = Bytes::from(octets.clone());
    compare(
        "decode Data",
        least(|| keep(&Data::decode(black_box(&octets)))),
        least(|| keep(&floor::data(black_box(&octets)))),
        least(|| keep(&peers::data(black_box(&shared)))),
    );
    let octets = packets::linked_interest();
    let shared = Bytes::from(octets.clone());
    compare(
        "decode Interest on a link",
        least(|| keep(&LinkPacket::decode(black_box(&octets)))),
        least(|| keep(&floor::linked_interest(black_box(&octets)))),
        least(|| keep(&peers::packet(black_box(&shared)))),
    );
    let octets = packets::linked_data();
    let shared = Bytes::from(octets.clone());
    compare(
        "decode Data on a link",
        least(|| keep(&LinkPacket::decode(black_box(&octets)))),
        least(|| keep(&floor::linked_data(black_box(&octets)))),
        least(|| keep(&peers::packet(black_box(&shared)))),
    );
    let shapes = packets::ten_shapes();
    let each = least(|| {
        for octets in black_box(&shapes) {
            keep(&LinkPacket::decode(octets));
        }
    }) / 10;
    println!("ten shapes of packets: {} ns each", ratio(each, 1_000));
    println!("{}", dearest());
}

/// The kind of packet that takes longest per octet.
fn dearest() -> String {
    let mut most = (0, String::new());
    for case in worst::cases().into_iter().skip(1).step_by(2) {
        let mut work = case.start();
        let mut least = Duration::MAX;
        for _ in 0..200 {
            let start = Instant::now();
            work(1);
            least = least.min(start.elapsed());
        }
        most = most.max((least.as_nanos(), case.name));
    }
    let (nanos, name) = most;
    let octets = worst::LENGTHS[1] as u128;
    format!("the dearest: {} ns per octet: {name}", ratio(nanos, octets))
}

criterion_group! {
    name = all;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .sample_size(20);
    targets = times
}

fn main() {
    all();
    Criterion::default().configure_from_args().final_summary();
    ratios();
}
