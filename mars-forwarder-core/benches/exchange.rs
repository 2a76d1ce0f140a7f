//! One exchange through a forwarder: an Interest arrives, enters the PIT, is released over an
//! upstream face; its Data returns, is matched, feeds the windows and goes down. With more and
//! more Interests pending, so that the growth shows.
#![allow(clippy::expect_used, missing_docs)]

use core::hint::black_box;
use core::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mars_forwarder_core::{
    Config, Data, FaceId, FaceKind, Forwarder, Input, Interest, Output, Route,
};
use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, MarsName, NameBuf};

const APP: FaceId = FaceId(0);
const UPSTREAM: FaceId = FaceId(1);
const PRODUCER: FaceId = FaceId(2);

struct Bench {
    forwarder: Forwarder<u32>,
    now: Instant,
    nonce: u32,
}

impl Bench {
    /// A forwarder with one valid upstream for `/client1`, and `pending` Interests that wait for a
    /// producer of `/idle`.
    fn new(pending: u32) -> Self {
        let now = Instant::from_secs(1);
        let mut config = Config::new(7);
        config.max_pending = 2 * pending + 1_000;
        config.max_lifetime = Duration::from_secs(1_000_000);
        config.path_lifetime = Duration::from_secs(1_000_000);
        let forwarder = Forwarder::new(config, now).expect("in range");
        let mut bench = Self {
            forwarder,
            now,
            nonce: 0,
        };
        for (face, kind) in [
            (APP, FaceKind::Local),
            (UPSTREAM, FaceKind::Mars),
            (PRODUCER, FaceKind::Local),
        ] {
            bench.input(Input::FaceAdded { face, kind });
        }
        let (dest, idle) = (
            NameBuf::new().generic(b"client1"),
            NameBuf::new().generic(b"idle"),
        );
        let routes = [Route {
            face: UPSTREAM,
            hops: 2,
        }];
        bench.input(Input::Routes {
            prefix: dest.as_name(),
            routes: &routes,
        });
        bench.input(Input::ProducerRegistered {
            prefix: idle.as_name(),
            face: PRODUCER,
        });
        let src = Component::generic(b"server1");
        let probe = MarsName::Discovery {
            dest: dest.as_name(),
            src,
            probe_idx: 0,
            seq: 0,
        };
        bench.interest(&probe.to_name_buf());
        bench.data(
            &probe.to_name_buf(),
            MarsHeader {
                tier_conv: true,
                node_conv: true,
                generation: Some(0),
                label: Some(Label::ONE),
                ..MarsHeader::default()
            },
        );
        for segment in 0..u64::from(pending) {
            bench.interest(
                &MarsName::Data {
                    dest: idle.as_name(),
                    segment,
                }
                .to_name_buf(),
            );
        }
        bench
    }

    fn input(&mut self, input: Input<'_, u32>) -> u32 {
        self.forwarder
            .handle_input(self.now, input)
            .expect("the bench keeps the contract");
        let mut sent = 0;
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { packet, .. } => sent += black_box(packet),
                Output::Timeout(_) => return sent,
                _ => {}
            }
        }
    }

    fn interest(&mut self, name: &NameBuf) -> u32 {
        self.nonce += 1;
        let interest = Interest {
            name: name.as_name(),
            nonce: Some(self.nonce),
            lifetime: Duration::from_secs(100_000),
            hop_limit: None,
            pit_token: None,
            must_be_fresh: false,
            header: MarsHeader {
                generation: Some(0),
                ..MarsHeader::default()
            },
        };
        self.input(Input::Interest {
            face: APP,
            interest,
            packet: 1,
        })
    }

    fn data(&mut self, name: &NameBuf, header: MarsHeader) -> u32 {
        let data = Data {
            name: name.as_name(),
            freshness: None,
            octets: 0,
            header,
        };
        self.input(Input::Data {
            face: UPSTREAM,
            data,
            packet: 1,
        })
    }

    fn exchange(&mut self, name: &NameBuf) {
        assert_eq!(self.interest(name), 1);
        self.now += Duration::from_millis(1);
        let header = MarsHeader {
            interest_queue: Some(2),
            data_queue: Some(2),
            ..MarsHeader::default()
        };
        assert_eq!(self.data(name, header), 1);
        self.now += Duration::from_millis(1);
    }
}

fn exchange(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exchange");
    group.throughput(Throughput::Elements(1));
    let dest = NameBuf::new().generic(b"client1");
    let names: Vec<NameBuf> = (0..1_000)
        .map(|segment| {
            MarsName::Data {
                dest: dest.as_name(),
                segment,
            }
            .to_name_buf()
        })
        .collect();
    for pending in [10, 1_000, 100_000, 1_000_000] {
        let mut bench = Bench::new(pending);
        let mut names = names.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(pending), |b| {
            b.iter(|| names.next().map(|name| bench.exchange(name)));
        });
    }
    group.finish();
}

criterion_group!(benches, exchange);
criterion_main!(benches);
