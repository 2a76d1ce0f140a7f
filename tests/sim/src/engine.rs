//! The event loop: one calendar of (instant, sequence number), hosts, links.
//!
//! The engine knows neither packets nor protocols. A [`Host`] is one node: it is told what arrives
//! on its ports, and says when it wants to be woken. A run is a function of the hosts, the links
//! and the seed: events of one instant happen in the order in which they were scheduled, and each
//! direction of a link draws from a random stream of its own.
//!
//! Events are few. Per direction of a link only the first arrival is in the calendar, per host only
//! one wake-up; an entry that no longer stands for anything is passed over.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::time::Duration;

use mars_time::Instant;

use crate::link::{Arrival, Half, LinkCounters, LinkSpec};

/// One node.
pub trait Host {
    /// What travels over the links.
    type Frame: Clone;
    /// What all hosts of a run share, such as measurements.
    type Shared;

    /// A frame arrived on a port.
    fn arrive(&mut self, port: usize, frame: Self::Frame, ctx: &mut Context<'_, Self>);
    /// It is the instant that [`Host::next_wake`] asked for.
    fn wake(&mut self, ctx: &mut Context<'_, Self>);
    /// The link behind a port was seen to go down or come up.
    fn link_changed(&mut self, port: usize, up: bool, ctx: &mut Context<'_, Self>);
    /// When it wants to be woken; strictly later than the latest call.
    fn next_wake(&self) -> Option<Instant>;
}

/// A link between two nodes, and when it is down.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The two nodes.
    pub ends: [usize; 2],
    /// From the first to the second node, and back.
    pub specs: [LinkSpec; 2],
    /// Spans during which it is down: from, to.
    pub outages: Vec<(Instant, Instant)>,
}

/// What a host may do while it is being told something.
#[derive(Debug)]
pub struct Context<'a, H: Host + ?Sized> {
    /// The present.
    pub now: Instant,
    /// What all hosts share.
    pub shared: &'a mut H::Shared,
    ports: &'a [u32],
    halves: &'a mut [Half<H::Frame>],
    calendar: &'a mut Calendar,
}

impl<H: Host + ?Sized> Context<'_, H> {
    /// Sends a frame of `octets` over a port.
    pub fn send(&mut self, port: usize, octets: u32, frame: H::Frame) {
        let half = self.ports[port];
        let seq = self.calendar.take_seqs(2);
        if let Some(first) = self.halves[half as usize].send(self.now, seq, octets, frame) {
            self.calendar.push(first.at, first.seq, What::Arrival(half));
        }
    }

    /// Frames that wait to be serialised on a port.
    pub fn waiting(&mut self, port: usize) -> usize {
        self.halves[self.ports[port] as usize].waiting(self.now)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The first flight of this direction of a link.
    Arrival(u32),
    /// This node.
    Wake(u32),
    /// This link goes down or up.
    Outage(u32, bool),
    /// The node at the end of this direction of a link notices.
    Notice(u32, bool),
}

type Entry = Reverse<(Instant, u64, What)>;

#[derive(Debug, Default)]
struct Calendar {
    heap: BinaryHeap<Entry>,
    next_seq: u64,
}

impl Calendar {
    fn take_seqs(&mut self, n: u64) -> u64 {
        let seq = self.next_seq;
        self.next_seq += n;
        seq
    }

    fn push(&mut self, at: Instant, seq: u64, what: What) {
        self.heap.push(Reverse((at, seq, what)));
    }

    fn schedule(&mut self, at: Instant, what: What) {
        let seq = self.take_seqs(1);
        self.push(at, seq, what);
    }
}

/// Nodes and links with a calendar.
#[derive(Debug)]
pub struct Engine<H: Host> {
    now: Instant,
    calendar: Calendar,
    hosts: Vec<H>,
    armed: Vec<Option<Instant>>,
    /// Per node and port the direction that leaves there.
    ports: Vec<Vec<u32>>,
    halves: Vec<Half<H::Frame>>,
    /// Per direction the node and port where it ends.
    targets: Vec<(u32, u32)>,
    detection: Duration,
    hops: u64,
    /// What all hosts share.
    pub shared: H::Shared,
}

impl<H: Host> Engine<H> {
    /// An engine at instant zero. Port numbers of a node count its links in the order of `wires`.
    /// Both ends of a link notice an outage, or its end, after `detection`.
    pub fn new(
        hosts: Vec<H>,
        wires: &[Wire],
        seed: u64,
        detection: Duration,
        shared: H::Shared,
    ) -> Self {
        let mut engine = Self {
            now: Instant::ZERO,
            calendar: Calendar::default(),
            armed: vec![None; hosts.len()],
            ports: vec![Vec::new(); hosts.len()],
            hosts,
            halves: Vec::new(),
            targets: Vec::new(),
            detection,
            hops: 0,
            shared,
        };
        for (link, wire) in (0u32..).zip(wires) {
            engine.add_wire(link, wire, seed);
        }
        for node in 0..engine.hosts.len() {
            engine.arm(node);
        }
        engine
    }

    fn add_wire(&mut self, link: u32, wire: &Wire, seed: u64) {
        let [a, b] = wire.ends;
        let port = |ports: &[Vec<u32>], node: usize| small(ports[node].len());
        let (port_a, port_b) = (port(&self.ports, a), port(&self.ports, b));
        self.ports[a].push(link * 2);
        self.ports[b].push(link * 2 + 1);
        self.targets.push((small(b), port_b));
        self.targets.push((small(a), port_a));
        for (stream, spec) in (u64::from(link) * 2..).zip(wire.specs) {
            self.halves.push(Half::new(spec, seed, stream));
        }
        for (from, to) in &wire.outages {
            self.calendar.schedule(*from, What::Outage(link, false));
            self.calendar.schedule(*to, What::Outage(link, true));
        }
    }

    /// The present.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// The nodes.
    #[must_use]
    pub fn hosts(&self) -> &[H] {
        &self.hosts
    }

    /// Frames that arrived, over all links.
    #[must_use]
    pub const fn hops(&self) -> u64 {
        self.hops
    }

    /// What became of the frames that left `node` over `port`.
    #[must_use]
    pub fn counters(&self, node: usize, port: usize) -> LinkCounters {
        self.halves[self.ports[node][port] as usize].counters()
    }

    /// Frames that wait to be serialised at `node` on `port`.
    pub fn waiting(&mut self, node: usize, port: usize) -> usize {
        self.halves[self.ports[node][port] as usize].waiting(self.now)
    }

    /// Lets everything happen that is due up to and including `end`.
    pub fn run_until(&mut self, end: Instant) {
        while self.step(end).is_some() {}
        self.now = self.now.max(end);
    }

    /// Lets the next thing happen if it is due by `end`. Gives the node that it happened to;
    /// `None`: there was nothing.
    pub fn step(&mut self, end: Instant) -> Option<usize> {
        loop {
            let top = self.calendar.heap.peek_mut()?;
            let Reverse((at, _, what)) = *top;
            if at > end {
                return None;
            }
            self.now = self.now.max(at);
            let touched = match what {
                What::Arrival(half) => Self::take_arrival(&mut self.halves, top, half)
                    .map(|frame| self.arrival(half, frame)),
                What::Wake(node) => {
                    PeekMut::pop(top);
                    self.wake(node as usize, at)
                }
                What::Outage(link, up) => {
                    PeekMut::pop(top);
                    self.outage(link, up);
                    None
                }
                What::Notice(half, up) => {
                    PeekMut::pop(top);
                    Some(self.notice(half, up))
                }
            };
            if touched.is_some() {
                return touched;
            }
        }
    }

    /// Takes the flight that the top entry stands for, and lets the entry stand for the next one.
    fn take_arrival(
        halves: &mut [Half<H::Frame>],
        mut top: PeekMut<'_, Entry>,
        half: u32,
    ) -> Option<H::Frame> {
        let Reverse((at, seq, _)) = *top;
        let link = &mut halves[half as usize];
        let frame = link.arrive(Arrival { at, seq });
        match link.next_arrival() {
            Some(next) if frame.is_some() => {
                *top = Reverse((next.at, next.seq, What::Arrival(half)));
            }
            _ => {
                PeekMut::pop(top);
            }
        }
        frame
    }

    fn arrival(&mut self, half: u32, frame: H::Frame) -> usize {
        self.hops += 1;
        let (node, port) = self.targets[half as usize];
        self.tell(node as usize, |host, ctx| {
            host.arrive(port as usize, frame, ctx);
        })
    }

    fn wake(&mut self, node: usize, at: Instant) -> Option<usize> {
        if self.armed[node] != Some(at) {
            return None;
        }
        self.armed[node] = None;
        if self.hosts[node].next_wake().is_some_and(|wake| wake <= at) {
            return Some(self.tell(node, Host::wake));
        }
        self.arm(node);
        None
    }

    fn outage(&mut self, link: u32, up: bool) {
        for half in [link * 2, link * 2 + 1] {
            self.halves[half as usize].set_up(self.now, up);
            self.calendar
                .schedule(self.now + self.detection, What::Notice(half, up));
        }
    }

    fn notice(&mut self, half: u32, up: bool) -> usize {
        let (node, port) = self.targets[half as usize];
        self.tell(node as usize, |host, ctx| {
            host.link_changed(port as usize, up, ctx);
        })
    }

    fn tell(&mut self, node: usize, what: impl FnOnce(&mut H, &mut Context<'_, H>)) -> usize {
        let mut ctx = Context {
            now: self.now,
            shared: &mut self.shared,
            ports: &self.ports[node],
            halves: &mut self.halves,
            calendar: &mut self.calendar,
        };
        what(&mut self.hosts[node], &mut ctx);
        self.arm(node);
        node
    }

    /// Keeps one wake-up of the node in the calendar that is not later than the wanted one.
    fn arm(&mut self, node: usize) {
        let Some(wanted) = self.hosts[node].next_wake() else {
            return;
        };
        if self.armed[node].is_none_or(|armed| wanted < armed) {
            self.armed[node] = Some(wanted);
            self.calendar.schedule(wanted, What::Wake(small(node)));
        }
    }
}

/// Counts of nodes and ports fit in 32 bits: scenarios are bounded far below.
fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
