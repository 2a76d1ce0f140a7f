//! Once their tables have grown to size, neither the forwarder nor the consumer allocates for the
//! packets of a transfer.

use std::collections::VecDeque;
use std::time::Duration;

use mars_consumer_core as consumer;
use mars_forwarder_core as forwarder;
use mars_fuzz_bodies::counting::{Counting, allocations};
use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, MarsName, NameBuf};

#[global_allocator]
static COUNTING: Counting = Counting;

fn dest() -> NameBuf {
    NameBuf::new().generic(b"client1")
}

struct Node {
    machine: forwarder::Forwarder<u32>,
    now: Instant,
    nonce: u32,
    sent: u32,
}

const APP: forwarder::FaceId = forwarder::FaceId(0);
const UPSTREAM: forwarder::FaceId = forwarder::FaceId(1);

impl Node {
    /// With one valid upstream.
    fn new() -> Self {
        let now = Instant::from_secs(1);
        let mut config = forwarder::Config::new(7);
        config.max_dead_nonces = 1_000;
        let machine = forwarder::Forwarder::new(config, now).unwrap();
        let mut node = Self {
            machine,
            now,
            nonce: 0,
            sent: 0,
        };
        for (face, kind) in [
            (APP, forwarder::FaceKind::Local),
            (UPSTREAM, forwarder::FaceKind::Mars),
        ] {
            node.input(forwarder::Input::FaceAdded { face, kind });
        }
        let routes = [forwarder::Route {
            face: UPSTREAM,
            hops: 2,
        }];
        node.input(forwarder::Input::Routes {
            prefix: dest().as_name(),
            routes: &routes,
        });
        let (dest, src) = (dest(), Component::generic(b"server1"));
        let probe = MarsName::Discovery {
            dest: dest.as_name(),
            src,
            probe_idx: 0,
            seq: 0,
        };
        node.exchange(
            &probe.to_name_buf(),
            MarsHeader {
                tier_conv: true,
                node_conv: true,
                generation: Some(0),
                label: Some(Label::ONE),
                ..MarsHeader::default()
            },
        );
        node
    }

    fn input(&mut self, input: forwarder::Input<'_, u32>) {
        self.machine.handle_input(self.now, input).unwrap();
        loop {
            match self.machine.poll_output() {
                forwarder::Output::Transmit { .. } => self.sent += 1,
                forwarder::Output::Timeout(_) => break,
                _ => {}
            }
        }
    }

    fn exchange(&mut self, name: &NameBuf, header: MarsHeader) {
        self.nonce += 1;
        let interest = forwarder::Interest {
            name: name.as_name(),
            nonce: Some(self.nonce),
            lifetime: Duration::from_secs(4),
            hop_limit: None,
            pit_token: None,
            must_be_fresh: false,
            header: MarsHeader {
                generation: Some(0),
                ..MarsHeader::default()
            },
        };
        self.input(forwarder::Input::Interest {
            face: APP,
            interest,
            packet: 1,
        });
        self.now += Duration::from_millis(1);
        let data = forwarder::Data {
            name: name.as_name(),
            freshness: None,
            octets: 0,
            header,
        };
        self.input(forwarder::Input::Data {
            face: UPSTREAM,
            data,
            packet: 2,
        });
        self.now += Duration::from_millis(1);
    }
}

#[test]
fn a_forwarder_in_the_steady_state() {
    let mut node = Node::new();
    let names: Vec<_> = (0..4_000)
        .map(|segment| {
            MarsName::Data {
                dest: dest().as_name(),
                segment,
            }
            .to_name_buf()
        })
        .collect();
    let header = MarsHeader {
        interest_queue: Some(2),
        data_queue: Some(2),
        ..MarsHeader::default()
    };
    for name in &names {
        node.exchange(name, header);
    }
    let before = node.sent;
    let made = allocations(|| {
        for name in &names {
            node.exchange(name, header);
        }
    });
    assert_eq!(made, 0);
    assert_eq!(
        node.sent - before,
        8_000,
        "each Interest went up and each Data down"
    );
}

#[test]
fn a_consumer_in_the_steady_state() {
    let start = Instant::from_secs(1);
    let object = consumer::Object::Segments(40_000);
    let mut config = consumer::Config::new(dest(), b"server1".to_vec(), 3, object);
    config.start = consumer::Start::Data;
    config.reassembly = 64;
    let mut machine = consumer::Consumer::<u32>::new(config, start).unwrap();
    let names: Vec<_> = (0..40_000)
        .map(|segment| {
            MarsName::Data {
                dest: dest().as_name(),
                segment,
            }
            .to_name_buf()
        })
        .collect();
    let (mut now, mut delivered) = (start, 0_u64);
    let mut flying = VecDeque::with_capacity(1_000);
    let mut run = |until: u64| {
        while delivered < until {
            let wake = loop {
                match machine.poll_output() {
                    consumer::Output::Transmit { spec } => {
                        if let consumer::SpecName::Data { segment } = spec.name {
                            flying.push_back((now + Duration::from_millis(10), segment));
                        }
                    }
                    consumer::Output::Deliver { .. } => delivered += 1,
                    consumer::Output::Timeout(wake) => break wake,
                    _ => {}
                }
            };
            match flying.front().copied() {
                Some((at, segment)) if wake.is_none_or(|wake| at <= wake) => {
                    flying.pop_front();
                    now = now.max(at);
                    let data = consumer::Data {
                        name: names[usize::try_from(segment).unwrap()].as_name(),
                        final_segment: None,
                        content_len: 1_200,
                        header: MarsHeader {
                            interest_queue: Some(2),
                            ..MarsHeader::default()
                        },
                    };
                    machine
                        .handle_input(now, consumer::Input::Data { data, packet: 1 })
                        .unwrap();
                }
                _ => {
                    now = now.max(wake.unwrap());
                    machine.handle_input(now, consumer::Input::Timeout).unwrap();
                }
            }
        }
    };
    run(10_000);
    assert_eq!(allocations(|| run(30_000)), 0);
}
