//! The host loop, with a world in place of sockets.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

use mars_consumer_core::{
    Config, Consumer, Data, Event, Input, InterestSpec, Nack, Object, Output, SpecName, Start,
};
use mars_time::Instant;
use mars_wire::{MarsHeader, MarsName, NameBuf};

use crate::world::{Answer, World};

/// The host's packet handle: which segment it holds.
pub(crate) type Packet = u64;

pub(crate) struct Host {
    pub(crate) consumer: Consumer<Packet>,
    pub(crate) world: World,
    pub(crate) now: Instant,
    pub(crate) wake: Option<Instant>,
    pub(crate) sent: Vec<(Instant, InterestSpec)>,
    pub(crate) delivered: Vec<u64>,
    pub(crate) events: Vec<(Instant, Event)>,
    arrivals: BinaryHeap<Reverse<(Instant, u64)>>,
    packets: BTreeMap<u64, (InterestSpec, MarsHeader, Answer)>,
    arrived: u64,
}

pub(crate) fn config(object: Object) -> Config {
    Config::new(dest(), b"server1".to_vec(), 42, object)
}

pub(crate) fn dest() -> NameBuf {
    NameBuf::new().generic(b"net").generic(b"client1")
}

pub(crate) fn data_only(object: Object) -> Config {
    let mut config = config(object);
    config.start = Start::Data;
    config
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn at(n: u64) -> Instant {
    Instant::from_millis(n)
}

/// A host whose world answers nothing: the test does.
pub(crate) fn unanswered(config: Config) -> Host {
    let mut world = World::new(0);
    world.outage = Some((Instant::ZERO, Instant::MAX));
    Host::new(config, world)
}

impl Host {
    pub(crate) fn new(config: Config, world: World) -> Self {
        let now = at(1_000);
        let mut host = Self {
            consumer: Consumer::new(config, now).unwrap(),
            world,
            now,
            wake: None,
            sent: Vec::new(),
            delivered: Vec::new(),
            events: Vec::new(),
            arrivals: BinaryHeap::new(),
            packets: BTreeMap::new(),
            arrived: 0,
        };
        host.drain();
        host
    }

    pub(crate) fn drain(&mut self) {
        self.wake = loop {
            match self.consumer.poll_output() {
                Output::Transmit { spec } => self.send(spec),
                Output::Deliver { segment, packet } => {
                    assert_eq!(segment, packet, "a segment comes with its own packet");
                    self.delivered.push(segment);
                }
                Output::Event(event) => self.events.push((self.now, event)),
                Output::Timeout(wake) => break wake,
                _ => unreachable!("no other output exists"),
            }
        };
        assert!(
            self.wake.is_none_or(|at| at > self.now),
            "{:?} {:?}",
            self.wake,
            self.now
        );
    }

    fn send(&mut self, spec: InterestSpec) {
        self.sent.push((self.now, spec));
        for (at, header, answer) in self.world.answer(self.now, &spec) {
            self.arrivals.push(Reverse((at, self.arrived)));
            self.packets.insert(self.arrived, (spec, header, answer));
            self.arrived += 1;
        }
    }

    /// Gives one input now.
    pub(crate) fn input(&mut self, input: Input<'_, Packet>) {
        self.consumer.handle_input(self.now, input).unwrap();
        self.drain();
    }

    /// Gives the consumer a Data of its object, as if the network had sent it.
    pub(crate) fn inject(&mut self, segment: u64, final_segment: Option<u64>) {
        let dest = dest();
        let name = MarsName::Data {
            dest: dest.as_name(),
            segment,
        };
        let name = name.to_name_buf();
        let data = Data {
            name: name.as_name(),
            final_segment,
            content_len: 1,
            header: MarsHeader::default(),
        };
        self.input(Input::Data {
            data,
            packet: segment,
        });
    }

    /// One arrival or wake-up, whichever is first. False: nothing will ever happen.
    pub(crate) fn step(&mut self) -> bool {
        let arrival = self.arrivals.peek().map(|Reverse((at, _))| *at);
        let Some(next) = [arrival, self.wake].into_iter().flatten().min() else {
            return false;
        };
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= self.now) {
            self.arrive();
        } else {
            self.input(Input::Timeout);
        }
        true
    }

    fn arrive(&mut self) {
        let Some(Reverse((_, id))) = self.arrivals.pop() else {
            return;
        };
        let (spec, mut header, answer) = self.packets.remove(&id).unwrap();
        if let Some(queue) = &mut header.interest_queue {
            *queue = u16::try_from(self.world.queue_len(self.now)).unwrap();
        }
        let name = self.consumer.name(&spec).to_name_buf();
        let packet = match spec.name {
            SpecName::Data { segment } => segment,
            SpecName::Discovery { .. } => u64::MAX,
        };
        match answer {
            Answer::Data { final_segment } => self.input(Input::Data {
                data: Data {
                    name: name.as_name(),
                    final_segment,
                    content_len: 1_200,
                    header,
                },
                packet,
            }),
            Answer::Nack(kind) => self.input(Input::Nack {
                nack: Nack {
                    name: name.as_name(),
                    nonce: Some(spec.nonce),
                    reason: kind.detail().reason(),
                    header,
                },
            }),
        }
    }

    /// Runs until the consumer has ended or nothing will ever happen, at most until `limit`.
    pub(crate) fn run(&mut self, limit: Instant) {
        while !self.consumer.has_ended() && self.now < limit && self.step() {}
    }

    pub(crate) fn completed(&self) -> Option<(u64, Duration)> {
        self.events.iter().find_map(|(_, event)| match event {
            Event::Completed { segments, after } => Some((*segments, *after)),
            _ => None,
        })
    }

    pub(crate) fn assert_complete(&self, segments: u64) {
        assert_eq!(
            self.completed().map(|(n, _)| n),
            Some(segments),
            "{:?} {:?}",
            self.events,
            self.consumer.counters()
        );
        assert!(self.delivered.iter().copied().eq(0..segments));
    }

    pub(crate) fn facts(&self) -> Vec<Event> {
        self.events.iter().map(|(_, event)| *event).collect()
    }

    pub(crate) fn probes(&self) -> Vec<(Instant, u64, u64, u32)> {
        let probe = |(at, spec): &(Instant, InterestSpec)| match spec.name {
            SpecName::Discovery { probe_idx, seq } => {
                Some((*at, probe_idx, seq, spec.header.generation?))
            }
            SpecName::Data { .. } => None,
        };
        self.sent.iter().filter_map(probe).collect()
    }
}
