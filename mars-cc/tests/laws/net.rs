//! A small deterministic network: forwarders with per-prefix Interest queues, two levels of
//! controllers and fair release, over links that drop from the tail.
//!
//! Times are nanoseconds, rates bits per second, everything an integer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

use mars_cc::{Config, Controller, Input, Level};
use mars_time::Instant;

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

    // Pipes.

    fn put(&mut self, index: usize, packet: Packet) {
        let pipe = &mut self.pipes[index];
        let length = pipe.waiting.len();
        if matches!(packet.kind, Kind::Data) {
            pipe.found[length.min(pipe.cap)] += 1;
        }
        if length >= pipe.cap {
            pipe.drops += 1;
            return;
        }
        pipe.waiting.push_back(packet);
        if !pipe.busy {
            self.serve(index);
        }
    }

    fn serve(&mut self, index: usize) {
        let pipe = &mut self.pipes[index];
        let Some(packet) = pipe.waiting.pop_front() else {
            pipe.busy = false;
            return;
        };
        pipe.busy = true;
        let octets = match packet.kind {
            Kind::Data => DATA_OCTETS,
            Kind::Interest | Kind::Nack => INTEREST_OCTETS,
        };
        let done = self.now + octets * 8 * SECOND / pipe.rate;
        let (delay, jitter, loss, last) = (
            pipe.delay,
            pipe.jitter,
            pipe.loss_per_mille,
            pipe.last_arrival,
        );
        self.at(done, Event::Served(index));
        if loss > 0 && self.below(1_000) < loss {
            return;
        }
        let extra = if jitter > 0 { self.below(jitter) } else { 0 };
        let arrival = (done + delay + extra).max(last);
        self.pipes[index].last_arrival = arrival;
        self.at(arrival, Event::Arrived(packet));
    }

    fn served(&mut self, index: usize) {
        self.serve(index);
    }

    fn arrived(&mut self, mut packet: Packet) {
        let link = &self.links[packet.link];
        let way = match packet.kind {
            Kind::Interest => &link.forth,
            Kind::Data | Kind::Nack => &link.back,
        };
        packet.stage += 1;
        if let Some(&next) = way.get(packet.stage) {
            self.put(next, packet);
            return;
        }
        if !link.is_up {
            return;
        }
        match packet.kind {
            Kind::Interest => self.interest(packet),
            Kind::Data | Kind::Nack => self.data(packet),
        }
    }

    // Forwarders.

    fn interest(&mut self, packet: Packet) {
        let node = self.links[packet.link].up;
        if let Some(delay) = self.dest(node, packet.prefix).producer {
            if delay == 0 {
                self.answer(packet);
            } else {
                self.at(self.now + delay, Event::Answer(packet));
            }
            return;
        }
        self.admit(node, packet.prefix, packet.id, From::Link(packet.link));
        self.release(node);
    }

    fn answer(&mut self, packet: Packet) {
        self.data_sent += 1;
        self.send_down(packet.link, Kind::Data, packet.prefix, packet.id, 0);
    }

    fn send_down(&mut self, link: usize, kind: Kind, prefix: usize, id: u64, interests: usize) {
        let first = self.links[link].back[0];
        let data = self.pipes[first].waiting.len() as u16;
        let interests = interests as u16;
        self.put(
            first,
            Packet {
                kind,
                prefix,
                id,
                link,
                stage: 0,
                interests,
                data,
            },
        );
    }

    /// An Interest joins its queue, or goes back as a Nack.
    fn admit(&mut self, node: usize, prefix: usize, id: u64, from: From) {
        if let Some(pending) = self.nodes[node].pending.get_mut(&(prefix, id)) {
            if let Some((link, _)) = pending.out.take() {
                pending.repeated = true;
                self.tell(node, prefix, link, Input::Released);
                self.nodes[node].dests[prefix].queue.push_back(id);
            }
            return;
        }
        if self.nodes[node].dests[prefix].queue.len() >= INTEREST_QUEUE {
            self.got[prefix].nacks += 1;
            match from {
                From::Link(link) => self.send_down(link, Kind::Nack, prefix, id, INTEREST_QUEUE),
                From::Consumer(consumer) => self.consumer_nacked(consumer, id),
                From::Source => unreachable!("sources do not overfill"),
            }
            return;
        }
        let fresh = Pending {
            from,
            out: None,
            repeated: false,
            attempt: 0,
        };
        self.nodes[node].pending.insert((prefix, id), fresh);
        self.nodes[node].dests[prefix].queue.push_back(id);
    }

    fn tell(&mut self, node: usize, prefix: usize, link: usize, input: Input) {
        self.tell_both(node, prefix, link, input, input);
    }

    fn tell_both(&mut self, node: usize, prefix: usize, link: usize, face: Input, own: Input) {
        let now = Instant::from_nanos(self.now);
        self.links[link].face.handle_input(now, face).unwrap();
        let routes = &mut self.nodes[node].dests[prefix].routes;
        let route = routes.iter_mut().find(|route| route.link == link).unwrap();
        route.prefix.handle_input(now, own).unwrap();
    }

    /// Lets go what windows and paces allow, prefixes in turn, then sets the next wake-up.
    fn release(&mut self, index: usize) {
        let now = Instant::from_nanos(self.now);
        loop {
            let node = &self.nodes[index];
            let mut best: Option<(u64, usize)> = None;
            let mut wake: Option<Instant> = None;
            for (prefix, dest) in node.dests.iter().enumerate() {
                if !self.has_work(dest) {
                    continue;
                }
                let at = dest
                    .routes
                    .iter()
                    .filter_map(|route| self.ready_at(route))
                    .min();
                let Some(at) = at else { continue };
                if at <= now {
                    let time = dest.virtual_time.max(node.virtual_time.saturating_sub(4));
                    if best.is_none_or(|(other, _)| time < other) {
                        best = Some((time, prefix));
                    }
                } else {
                    wake = Some(wake.map_or(at, |wake| wake.min(at)));
                }
            }
            let Some((time, prefix)) = best else {
                if let Some(wake) = wake {
                    let wake = wake.as_nanos();
                    if self.nodes[index].wake.is_none_or(|set| wake < set) {
                        self.nodes[index].wake = Some(wake);
                        self.at(wake, Event::Wake(index));
                    }
                }
                return;
            };
            let node = &mut self.nodes[index];
            node.virtual_time = time;
            node.dests[prefix].virtual_time = time + 1;
            let dest = &self.nodes[index].dests[prefix];
            let link = dest
                .routes
                .iter()
                .filter(|route| self.ready_at(route).is_some_and(|at| at <= now))
                .min_by_key(|route| (self.links[route.link].face.next_send(), route.link))
                .unwrap()
                .link;
            self.let_go(index, prefix, link);
        }
    }

    fn has_work(&self, dest: &Dest) -> bool {
        let sourced = dest
            .source
            .is_some_and(|(from, to)| (from..to).contains(&self.now));
        !dest.queue.is_empty() || sourced
    }

    /// When both levels let a packet go, `None` while a window is full.
    fn ready_at(&self, route: &Route) -> Option<Instant> {
        let link = &self.links[route.link];
        let (face, own) = (&link.face, &route.prefix);
        let open = link.is_up && face.in_flight() < face.window() && own.in_flight() < own.window();
        open.then(|| face.next_send().max(own.next_send()))
    }

    fn let_go(&mut self, node: usize, prefix: usize, link: usize) {
        let dest = &mut self.nodes[node].dests[prefix];
        let id = dest.queue.pop_front().unwrap_or_else(|| {
            dest.next_id += 1;
            dest.next_id
        });
        let pending = self.nodes[node]
            .pending
            .entry((prefix, id))
            .or_insert(Pending {
                from: From::Source,
                out: None,
                repeated: false,
                attempt: 0,
            });
        pending.out = Some((link, self.now));
        pending.attempt += 1;
        let attempt = pending.attempt;
        self.tell(node, prefix, link, Input::Sent);
        let srtt = self.links[link]
            .face
            .srtt()
            .unwrap_or(Duration::from_millis(250));
        let limit = (4 * srtt.as_nanos() as u64).max(60 * MS);
        self.at(
            self.now + limit,
            Event::Expired {
                node,
                prefix,
                id,
                attempt,
            },
        );
        let first = self.links[link].forth[0];
        let kind = Kind::Interest;
        self.put(
            first,
            Packet {
                kind,
                prefix,
                id,
                link,
                stage: 0,
                interests: 0,
                data: 0,
            },
        );
    }

    fn data(&mut self, packet: Packet) {
        let Packet {
            kind,
            prefix,
            id,
            link,
            ..
        } = packet;
        let node = self.links[link].down;
        let Some(pending) = self.nodes[node].pending.get(&(prefix, id)) else {
            return;
        };
        let Some((out, sent)) = pending.out else {
            return;
        };
        if out != link {
            return;
        }
        let from = pending.from;
        let rtt = (!pending.repeated).then(|| Duration::from_nanos(self.now - sent));
        self.nodes[node].pending.remove(&(prefix, id));
        let (reports, lie) = (self.links[link].reports, self.links[link].lie);
        match kind {
            Kind::Data => {
                let told = |queue| reports.then_some(lie.unwrap_or(queue));
                let face = Input::Delivered {
                    queue: told(packet.data),
                    rtt,
                };
                let own = Input::Delivered {
                    queue: told(packet.interests),
                    rtt,
                };
                self.tell_both(node, prefix, link, face, own);
            }
            Kind::Interest | Kind::Nack => self.tell(node, prefix, link, Input::Nacked),
        }
        let queued = self.nodes[node].dests[prefix].queue.len();
        match (from, kind) {
            (From::Link(down), _) => self.send_down(down, kind, prefix, id, queued),
            (From::Consumer(consumer), Kind::Nack) => self.consumer_nacked(consumer, id),
            (From::Consumer(consumer), _) => self.consumer_data(consumer, id, queued),
            (From::Source, Kind::Nack) => self.nodes[node].dests[prefix].queue.push_front(id),
            (From::Source, _) => {
                self.got[prefix].data += 1;
                *self.by_node.entry(node).or_default() += 1;
            }
        }
        self.release(node);
    }

    fn expired(&mut self, node: usize, prefix: usize, id: u64, attempt: u32) {
        let Some(pending) = self.nodes[node].pending.get_mut(&(prefix, id)) else {
            return;
        };
        if pending.attempt != attempt {
            return;
        }
        let Some((link, _)) = pending.out.take() else {
            return;
        };
        pending.repeated = true;
        let source = pending.from == From::Source;
        if source {
            self.nodes[node].dests[prefix].queue.push_front(id);
        } else {
            self.nodes[node].pending.remove(&(prefix, id));
        }
        self.tell(node, prefix, link, Input::Lost);
        self.release(node);
    }

    fn link_state(&mut self, link: usize, is_up: bool) {
        self.links[link].is_up = is_up;
        let node = self.links[link].down;
        let now = Instant::from_nanos(self.now);
        if is_up {
            self.links[link]
                .face
                .handle_input(now, Input::Reset)
                .unwrap();
            for dest in &mut self.nodes[node].dests {
                for route in dest.routes.iter_mut().filter(|route| route.link == link) {
                    route.prefix.handle_input(now, Input::Reset).unwrap();
                }
            }
        } else {
            let mut back: Vec<_> = Vec::new();
            for (&key, pending) in &mut self.nodes[node].pending {
                if pending.out.is_some_and(|(out, _)| out == link) {
                    pending.out = None;
                    pending.repeated = true;
                    back.push(key);
                }
            }
            for (prefix, id) in back.into_iter().rev() {
                self.tell(node, prefix, link, Input::Released);
                self.nodes[node].dests[prefix].queue.push_front(id);
            }
        }
        self.release(node);
    }

    // Consumers.

    fn express(&mut self, index: usize) {
        let now = Instant::from_nanos(self.now);
        loop {
            let consumer = &mut self.consumers[index];
            let pending = !consumer.again.is_empty() || consumer.next_id < consumer.total;
            let controller = &consumer.controller;
            if self.now < consumer.start
                || !pending
                || controller.in_flight() >= controller.window()
            {
                return;
            }
            if controller.next_send() > now {
                let wake = controller.next_send().as_nanos();
                if consumer.wake.is_none_or(|set| wake < set) {
                    consumer.wake = Some(wake);
                    self.at(wake, Event::ConsumerWake(index));
                }
                return;
            }
            let (id, repeated) = if let Some(id) = consumer.again.pop_front() {
                (id, true)
            } else {
                consumer.next_id += 1;
                (consumer.next_id, false)
            };
            consumer.controller.handle_input(now, Input::Sent).unwrap();
            consumer.out.insert(id, (self.now, repeated));
            let srtt = consumer
                .controller
                .srtt()
                .unwrap_or(Duration::from_millis(250));
            let limit = (4 * srtt.as_nanos() as u64).max(200 * MS);
            let (node, prefix) = (consumer.node, consumer.prefix);
            let sent = self.now;
            self.at(
                sent + limit,
                Event::ConsumerExpired {
                    consumer: index,
                    id,
                    sent,
                },
            );
            self.admit(node, prefix, id, From::Consumer(index));
            self.release(node);
        }
    }

    fn consumer_takes(
        &mut self,
        index: usize,
        id: u64,
        input: impl FnOnce(u64, bool) -> Input,
    ) -> bool {
        let now = Instant::from_nanos(self.now);
        let consumer = &mut self.consumers[index];
        let Some((sent, repeated)) = consumer.out.remove(&id) else {
            return false;
        };
        consumer
            .controller
            .handle_input(now, input(sent, repeated))
            .unwrap();
        true
    }

    fn consumer_data(&mut self, index: usize, id: u64, queued: usize) {
        let now = self.now;
        let fresh = self.consumer_takes(index, id, |sent, repeated| Input::Delivered {
            queue: Some(queued as u16),
            rtt: (!repeated).then(|| Duration::from_nanos(now - sent)),
        });
        if fresh {
            let consumer = &self.consumers[index];
            let (prefix, total) = (consumer.prefix, consumer.total);
            self.got[prefix].data += 1;
            if self.got[prefix].data == total {
                self.got[prefix].finished = Some(now);
            }
        }
        self.at(self.now, Event::ConsumerWake(index));
    }

    fn consumer_nacked(&mut self, index: usize, id: u64) {
        if self.consumer_takes(index, id, |_, _| Input::Nacked) {
            self.consumers[index].again.push_back(id);
        }
        // Not within this very call: a full queue would answer at once, for ever.
        self.at(self.now + MS, Event::ConsumerWake(index));
    }

    fn consumer_expired(&mut self, index: usize, id: u64, sent: u64) {
        if self.consumers[index]
            .out
            .get(&id)
            .is_none_or(|&(at, _)| at != sent)
        {
            return;
        }
        self.consumer_takes(index, id, |_, _| Input::Lost);
        self.consumers[index].again.push_back(id);
        self.express(index);
    }
}

/// Jain's index of fairness in parts of 10,000.
pub(crate) fn jain(shares: &[u64]) -> u64 {
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let squares: u128 = shares
        .iter()
        .map(|&share| u128::from(share) * u128::from(share))
        .sum();
    (10_000 * sum * sum / (squares.max(1) * shares.len() as u128)) as u64
}

/// Mean in tenths, 95th percentile and greatest of a histogram.
pub(crate) fn queue_figures(found: &[u64]) -> (u64, usize, usize) {
    let total: u64 = found.iter().sum();
    let sum: u64 = found
        .iter()
        .zip(0..)
        .map(|(count, queue)| count * queue)
        .sum();
    let mut seen = 0;
    let p95 = found.iter().position(|count| {
        seen += count;
        seen * 100 >= total * 95
    });
    let most = found.iter().rposition(|&count| count > 0);
    (10 * sum / total.max(1), p95.unwrap_or(0), most.unwrap_or(0))
}

/// Delivered Data as a share of what `mbit` carries in `span`, in parts of 1,000.
pub(crate) fn utilisation(data: u64, mbit: u64, span: u64) -> u64 {
    data * DATA_OCTETS * 8 * 1_000 / (mbit * (span / 1_000))
}

/// Time for which a link of `mbit` stood idle, in tenths of a millisecond, if `data` packets came
/// in `span`.
pub(crate) fn idle(data: u64, mbit: u64, span: u64) -> u64 {
    let busy = data * DATA_OCTETS * 8 * 1_000 / mbit;
    span.saturating_sub(busy) / 100_000
}
