//! Time per input, in the steady state of a full link: one packet sent, one answered.
#![allow(missing_docs, clippy::unwrap_used)]

use core::time::Duration;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mars_cc::{Config, Controller, Input, Level};
use mars_time::Instant;

fn exchanges(criterion: &mut Criterion) {
    for (name, level) in [
        ("face", Level::Face),
        ("prefix", Level::Prefix),
        ("local", Level::Local),
    ] {
        let mut controller = Controller::new(Config::new(level), Instant::ZERO).unwrap();
        let mut now = Instant::ZERO;
        for _ in 0..150 {
            controller.handle_input(now, Input::Sent).unwrap();
        }
        criterion.bench_function(&format!("{name}: sent and delivered"), |bencher| {
            bencher.iter(|| {
                now += Duration::from_micros(260);
                let answer = Input::Delivered {
                    queue: Some(8),
                    rtt: Some(Duration::from_millis(42)),
                };
                controller.handle_input(black_box(now), answer).unwrap();
                controller.handle_input(now, Input::Sent).unwrap();
                controller.can_send(now)
            });
        });
    }
}

criterion_group!(benches, exchanges);
criterion_main!(benches);
