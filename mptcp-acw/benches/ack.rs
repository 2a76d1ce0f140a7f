//! Time per ACK: all subflows of a connection in congestion avoidance, each in turn acknowledged a
//! segment, and the settings drained.
#![allow(missing_docs, clippy::unwrap_used)]

use core::time::Duration;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Coupling, Input, Loss, Output, SubflowId};

const MSS: u16 = 1_448;

fn acks(criterion: &mut Criterion) {
    for (name, coupling) in [
        ("LIA", Coupling::Lia),
        ("OLIA", Coupling::Olia),
        ("BALIA", Coupling::Balia),
    ] {
        for subflows in [1, 2, 8] {
            let mut host = Host::new(coupling, subflows);
            criterion.bench_function(&format!("{name}: ACK, {subflows} subflows"), |bencher| {
                bencher.iter(|| host.ack());
            });
        }
    }
}

struct Host {
    coupler: Coupler<8>,
    subflows: u32,
    turn: u32,
    now: Instant,
}

impl Host {
    fn new(coupling: Coupling, subflows: u32) -> Self {
        let mut config = Config::new();
        config.coupling = coupling;
        let coupler = Coupler::new(config, Instant::ZERO).unwrap();
        let mut host = Self {
            coupler,
            subflows,
            turn: 0,
            now: Instant::ZERO,
        };
        for subflow in (0..subflows).map(SubflowId) {
            host.tell(Input::SubflowAdded { subflow, mss: MSS });
            host.tell(host.acked(subflow, 0));
            host.tell(Input::Lost {
                subflow,
                loss: Loss::Duplicates,
                in_flight: u64::MAX,
            });
            host.tell(Input::Recovered { subflow });
        }
        host
    }

    /// Round-trip times of 30 to 100 ms that differ by subflow and a little by time.
    fn acked(&self, subflow: SubflowId, bytes: u64) -> Input {
        let jitter = Duration::from_nanos(self.now.as_nanos() % 1_000_003);
        Input::Acked {
            subflow,
            bytes,
            rtt: Some(Duration::from_millis(30 + 10 * u64::from(subflow.0)) + jitter),
            one_way: None,
            in_flight: u64::MAX,
        }
    }

    fn ack(&mut self) {
        self.turn = (self.turn + 1) % self.subflows;
        self.now += Duration::from_micros(100);
        self.tell(self.acked(SubflowId(self.turn), MSS.into()));
        while !matches!(black_box(self.coupler.poll_output()), Output::Timeout(_)) {}
    }

    fn tell(&mut self, input: Input) {
        self.coupler
            .handle_input(self.now, black_box(input))
            .unwrap();
    }
}

criterion_group!(benches, acks);
criterion_main!(benches);
