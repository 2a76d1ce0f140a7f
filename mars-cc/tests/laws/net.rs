//! A small deterministic network: forwarders with per-prefix Interest queues, two levels of
//! controllers and fair release, over links that drop from the tail.
//!
//! Times are nanoseconds, rates bits per second, everything an integer.

mod consumers;
mod figures;
mod forwarders;
mod pipes;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use mars_cc::{Config, Controller, Level};
use mars_time::Instant;

pub(crate) use figures::{idle, jain, queue_figures, utilisation};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MS;
const DATA_OCTETS: u64 = 1_250;
const INTEREST_OCTETS: u64 = 60;
const INTEREST_QUEUE: usize = 40;

/// One direction of a wire: serialisation, a drop-tail queue, delay, loss and jitter.
pub(crate) struct Pipe {
    pub(crate) rate: u64,
    delay: u64,
    cap: usize,
    loss_per_mille: u64,
    jitter: u64,
    waiting: VecDeque<Packet>,
    busy: bool,
    last_arrival: u64,
    pub(crate) drops: u64,
    /// Data packets that found so many waiting, since the last [`Net::reset_counts`].
    pub(crate) found: Vec<u64>,
}

#[derive(Clone, Copy)]
enum Kind {
    Interest,
    Data,
    Nack,
}

#[derive(Clone, Copy)]
struct Packet {
    kind: Kind,
    prefix: usize,
    id: u64,
    link: usize,
    stage: usize,
    interests: u16,
    data: u16,
}

/// A face of `down` towards `up`: the pipes of each direction, and the level-F controller.
struct Link {
    down: usize,
    up: usize,
    forth: Vec<usize>,
    back: Vec<usize>,
    reports: bool,
    lie: Option<u16>,
    is_up: bool,
    face: Controller,
}

#[derive(Clone, Copy, PartialEq)]
enum From {
    Link(usize),
    Consumer(usize),
    Source,
}

struct Pending {
    from: From,
    out: Option<(usize, u64)>,
    repeated: bool,
    attempt: u32,
}

struct Route {
    link: usize,
    prefix: Controller,
}

#[derive(Default)]
struct Dest {
    queue: VecDeque<u64>,
    routes: Vec<Route>,
    virtual_time: u64,
    /// Delay of the answer, if the producer is here.
    producer: Option<u64>,
    /// Endless backlog here, from one time to another.
    source: Option<(u64, u64)>,
    next_id: u64,
}

#[derive(Default)]
struct Node {
    dests: Vec<Dest>,
    pending: BTreeMap<(usize, u64), Pending>,
    virtual_time: u64,
    wake: Option<u64>,
}

struct Consumer {
    node: usize,
    prefix: usize,
    controller: Controller,
    start: u64,
    total: u64,
    next_id: u64,
    again: VecDeque<u64>,
    out: BTreeMap<u64, (u64, bool)>,
    wake: Option<u64>,
}

enum Event {
    Served(usize),
    Arrived(Packet),
    Answer(Packet),
    Expired {
        node: usize,
        prefix: usize,
        id: u64,
        attempt: u32,
    },
    Wake(usize),
    ConsumerWake(usize),
    ConsumerExpired {
        consumer: usize,
        id: u64,
        sent: u64,
    },
    Rate(usize, u64),
    LinkState(usize, bool),
}

/// What a prefix got.
#[derive(Clone, Default)]
pub(crate) struct Got {
    pub(crate) data: u64,
    pub(crate) nacks: u64,
    pub(crate) finished: Option<u64>,
}

pub(crate) struct Net {
    now: u64,
    sequence: u64,
    events: BinaryHeap<Reverse<(u64, u64, usize)>>,
    bodies: Vec<Option<Event>>,
    free: Vec<usize>,
    random: u64,
    pub(crate) pipes: Vec<Pipe>,
    links: Vec<Link>,
    nodes: Vec<Node>,
    consumers: Vec<Consumer>,
    pub(crate) got: Vec<Got>,
    pub(crate) face: Config,
    pub(crate) prefix: Config,
    pub(crate) consumer: Config,
    pub(crate) data_sent: u64,
    /// Data that came to the sources of each node.
    pub(crate) by_node: BTreeMap<usize, u64>,
}

/// What a wire is like, both ways.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    pub(crate) mbit: u64,
    pub(crate) delay: u64,
    pub(crate) cap: usize,
    pub(crate) loss_per_mille: u64,
    pub(crate) jitter: u64,
}

impl Wire {
    pub(crate) fn new(mbit: u64, delay: u64) -> Self {
        Self {
            mbit,
            delay,
            cap: 60,
            loss_per_mille: 0,
            jitter: 0,
        }
    }
}

impl Net {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            now: 0,
            sequence: 0,
            events: BinaryHeap::new(),
            bodies: Vec::new(),
            free: Vec::new(),
            random: seed,
            pipes: Vec::new(),
            links: Vec::new(),
            nodes: Vec::new(),
            consumers: Vec::new(),
            got: Vec::new(),
            face: Config::new(Level::Face),
            prefix: Config::new(Level::Prefix),
            consumer: Config::new(Level::Local),
            data_sent: 0,
            by_node: BTreeMap::new(),
        }
    }

    pub(crate) fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    pub(crate) fn pipe(&mut self, wire: Wire) -> usize {
        self.pipes.push(Pipe {
            rate: wire.mbit * 1_000_000,
            delay: wire.delay,
            cap: wire.cap,
            loss_per_mille: wire.loss_per_mille,
            jitter: wire.jitter,
            waiting: VecDeque::new(),
            busy: false,
            last_arrival: 0,
            drops: 0,
            found: vec![0; wire.cap + 1],
        });
        self.pipes.len() - 1
    }

    /// A wire between two forwarders; the pipe that carries Data.
    pub(crate) fn link(&mut self, down: usize, up: usize, wire: Wire) -> (usize, usize) {
        let (forth, back) = (self.pipe(wire), self.pipe(wire));
        (self.tunnel(down, up, vec![forth], vec![back], true), back)
    }

    /// A face over several pipes, which others may share.
    pub(crate) fn tunnel(
        &mut self,
        down: usize,
        up: usize,
        forth: Vec<usize>,
        back: Vec<usize>,
        reports: bool,
    ) -> usize {
        let face = Controller::new(self.face, Instant::ZERO).unwrap();
        self.links.push(Link {
            down,
            up,
            forth,
            back,
            reports,
            lie: None,
            is_up: true,
            face,
        });
        self.links.len() - 1
    }

    fn dest(&mut self, node: usize, prefix: usize) -> &mut Dest {
        let dests = &mut self.nodes[node].dests;
        while dests.len() <= prefix {
            dests.push(Dest::default());
        }
        if self.got.len() <= prefix {
            self.got.resize(prefix + 1, Got::default());
        }
        &mut dests[prefix]
    }

    pub(crate) fn route(&mut self, node: usize, prefix: usize, link: usize) {
        let controller = Controller::new(self.prefix, Instant::ZERO).unwrap();
        let route = Route {
            link,
            prefix: controller,
        };
        self.dest(node, prefix).routes.push(route);
    }

    pub(crate) fn produce(&mut self, node: usize, prefix: usize, delay: u64) {
        self.dest(node, prefix).producer = Some(delay);
    }

    /// A backlog of `prefix` at `node` that never runs dry, from `start` until `stop`.
    pub(crate) fn source(&mut self, node: usize, prefix: usize, start: u64, stop: u64) {
        // Several nodes may ask for the same prefix, each for chunks of its own.
        self.dest(node, prefix).next_id = (node as u64) << 40;
        self.dest(node, prefix).source = Some((start, stop));
        self.at(start, Event::Wake(node));
    }

    /// A consumer of `total` chunks of `prefix` beside `node`.
    pub(crate) fn consume(&mut self, node: usize, prefix: usize, start: u64, total: u64) {
        let controller = Controller::new(self.consumer, Instant::ZERO).unwrap();
        self.dest(node, prefix);
        self.consumers.push(Consumer {
            node,
            prefix,
            controller,
            start,
            total,
            next_id: 0,
            again: VecDeque::new(),
            out: BTreeMap::new(),
            wake: None,
        });
        self.at(start, Event::ConsumerWake(self.consumers.len() - 1));
    }

    pub(crate) fn set_rate_at(&mut self, time: u64, pipe: usize, mbit: u64) {
        self.at(time, Event::Rate(pipe, mbit * 1_000_000));
    }

    pub(crate) fn set_link_at(&mut self, time: u64, link: usize, is_up: bool) {
        self.at(time, Event::LinkState(link, is_up));
    }

    /// Has the upstream report `queue` for ever.
    pub(crate) fn lie(&mut self, link: usize, queue: u16) {
        self.links[link].lie = Some(queue);
    }

    pub(crate) fn reset_counts(&mut self) {
        self.by_node.clear();
        for got in &mut self.got {
            got.data = 0;
            got.nacks = 0;
        }
        for pipe in &mut self.pipes {
            pipe.found.fill(0);
            pipe.drops = 0;
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Every out-record holds exactly one slot on both levels.
    pub(crate) fn slots_match(&self) -> bool {
        let mut faces = vec![0; self.links.len()];
        let mut all = true;
        for node in &self.nodes {
            for (prefix, dest) in node.dests.iter().enumerate() {
                for route in &dest.routes {
                    let out = node
                        .pending
                        .range((prefix, 0)..=(prefix, u64::MAX))
                        .filter(|(_, pending)| pending.out.is_some_and(|(l, _)| l == route.link))
                        .count();
                    faces[route.link] += out;
                    all &= out == route.prefix.in_flight() as usize;
                }
            }
        }
        all && self
            .links
            .iter()
            .zip(faces)
            .all(|(link, out)| link.face.in_flight() as usize == out)
    }

    fn at(&mut self, time: u64, event: Event) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.bodies.push(None);
            self.bodies.len() - 1
        });
        self.bodies[slot] = Some(event);
        self.sequence += 1;
        self.events.push(Reverse((time, self.sequence, slot)));
    }

    /// Splitmix64.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    pub(crate) fn run_until(&mut self, end: u64) {
        while let Some(&Reverse((time, _, slot))) = self.events.peek() {
            if time > end {
                break;
            }
            self.events.pop();
            self.free.push(slot);
            self.now = time;
            match self.bodies[slot].take().unwrap() {
                Event::Served(pipe) => self.served(pipe),
                Event::Arrived(packet) => self.arrived(packet),
                Event::Answer(packet) => self.answer(packet),
                Event::Expired {
                    node,
                    prefix,
                    id,
                    attempt,
                } => {
                    self.expired(node, prefix, id, attempt);
                }
                Event::Wake(node) => {
                    self.nodes[node].wake = None;
                    self.release(node);
                }
                Event::ConsumerWake(consumer) => {
                    self.consumers[consumer].wake = None;
                    self.express(consumer);
                }
                Event::ConsumerExpired { consumer, id, sent } => {
                    self.consumer_expired(consumer, id, sent);
                }
                Event::Rate(pipe, rate) => self.pipes[pipe].rate = rate,
                Event::LinkState(link, is_up) => self.link_state(link, is_up),
            }
        }
        self.now = end;
    }
}
