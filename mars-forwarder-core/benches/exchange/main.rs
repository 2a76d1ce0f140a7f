//! One exchange through a forwarder: an Interest arrives, enters the PIT, is released over an
//! upstream face; the Data of the oldest returns, is matched, feeds the windows and goes down. With
//! more and more Interests pending and prefixes known, so that the growth shows, and the bare
//! tables beside it as the floor. At the end the ratios of both, measured in turns.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    missing_docs,
    clippy::disallowed_methods
)]

mod floor;
mod rig;

use std::time::Instant;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

use floor::Floor;
use rig::{Rig, Size};

const PENDING: [u32; 4] = [10, 1_000, 100_000, 1_000_000];
const PREFIXES: [u32; 3] = [1, 1_000, 100_000];
/// Exchanges of one measurement, and measurements of which the median counts.
const ROUND: u32 = 100_000;
const ROUNDS: usize = 9;

fn sizes() -> impl Iterator<Item = (String, Size)> {
    let pending = PENDING.map(|n| (format!("{n} pending"), Size::pending(n)));
    let prefixes = PREFIXES.map(|n| {
        let mut size = Size::pending(1_000);
        size.prefixes = n;
        (format!("{n} prefixes"), size)
    });
    pending.into_iter().chain(prefixes)
}

fn exchange(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exchange");
    let mut ratios = Vec::new();
    for (name, size) in sizes() {
        let names = size.names();
        let mut rig = Rig::new(size, &names);
        let mut floor = Floor::new(size, &names);
        group.bench_function(BenchmarkId::new("forwarder", &name), |b| {
            b.iter(|| rig.exchange(&names));
        });
        group.bench_function(BenchmarkId::new("floor", &name), |b| {
            b.iter(|| floor.exchange(&names));
        });
        let mut ratio: Vec<_> = (0..ROUNDS)
            .map(|_| {
                let ours = time(|| rig.exchange(&names));
                ours / time(|| floor.exchange(&names))
            })
            .collect();
        ratio.sort_by(f64::total_cmp);
        ratios.push((name, ratio));
        // Everything that was asked for was answered.
        assert_eq!(rig.pending(), size.pending);
    }
    group.finish();
    for (name, ratio) in ratios {
        println!(
            "{name}: {:.2} times the floor ({:.2} to {:.2})",
            ratio[ROUNDS / 2],
            ratio[0],
            ratio[ROUNDS - 1]
        );
    }
}

/// Seconds of one round.
fn time(mut exchange: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..ROUND).for_each(|_| exchange());
    start.elapsed().as_secs_f64()
}

criterion_group!(benches, exchange);
criterion_main!(benches);
