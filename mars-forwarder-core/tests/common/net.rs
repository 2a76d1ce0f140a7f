//! A few forwarders with links between them: packets take time, and may be lost.

use std::collections::{BTreeMap, BTreeSet};

use core::time::Duration;

use mars_forwarder_core::{
    Config, DestView, Edit, FaceId, FaceKind, Forwarder, Input, Output, Route,
};
use mars_time::Instant;
use mars_wire::{Component, MarsHeader, MarsName, NackReason, NameBuf};

use super::APP;

/// What a packet is, beside what the forwarders write into it.
#[derive(Clone, Debug)]
pub struct Packet {
    pub name: NameBuf,
    pub lifetime: Duration,
    pub hop_limit: Option<u8>,
}

struct Link {
    to: (usize, u32),
    delay: Duration,
    /// Data lost, of a thousand.
    loss: u64,
}

/// What an application was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Got {
    Data,
    Nack(NackReason),
}

pub struct Net {
    pub now: Instant,
    pub nodes: Vec<Forwarder<Packet>>,
    links: BTreeMap<(usize, u32), Link>,
    producers: BTreeSet<usize>,
    arrivals: BTreeMap<(Instant, u64), (usize, u32, Edit, Packet)>,
    count: u64,
    /// Packets that went over a link: from, face, what the forwarder wrote into it.
    pub carried: Vec<(usize, u32, Edit)>,
    /// What applications were given: when, at which node, for which name.
    pub got: Vec<(Instant, usize, NameBuf, Got)>,
    random: u64,
}

impl Net {
    /// Nodes with an application each, and no links.
    pub fn new(nodes: usize) -> Self {
        let now = Instant::from_secs(100);
        let mut net = Self {
            now,
            nodes: Vec::new(),
            links: BTreeMap::new(),
            producers: BTreeSet::new(),
            arrivals: BTreeMap::new(),
            count: 0,
            carried: Vec::new(),
            got: Vec::new(),
            random: 1,
        };
        for node in 0..nodes {
            let config = Config::new(u64::from(face(node)));
            net.nodes
                .push(Forwarder::new(config, now).expect("in range"));
            let (face, kind) = (FaceId(APP), FaceKind::Local);
            net.input(node, Input::FaceAdded { face, kind });
        }
        net
    }

    /// A link; at both ends its face has the number of the other node plus one.
    pub fn link(&mut self, a: usize, b: usize, delay: Duration, kind: FaceKind) {
        for (from, to) in [(a, b), (b, a)] {
            let face = FaceId(face(to));
            let link = Link {
                to: (to, self::face(from)),
                delay,
                loss: 0,
            };
            self.input(from, Input::FaceAdded { face, kind });
            self.links.insert((from, face.0), link);
        }
    }

    /// Loses so many of a thousand Data on the way from `a` to `b`.
    pub fn lose(&mut self, a: usize, b: usize, loss: u64) {
        self.links.get_mut(&(a, face(b))).expect("a link").loss = loss;
    }

    /// The next hops of the usual dest: neighbour and hops.
    pub fn route(&mut self, node: usize, hops: &[(usize, u32)]) {
        let routes: Vec<_> = hops
            .iter()
            .map(|(to, hops)| Route {
                face: FaceId(face(*to)),
                hops: *hops,
            })
            .collect();
        let dest = super::dest();
        let prefix = dest.as_name();
        let routes = &routes;
        self.input(node, Input::Routes { prefix, routes });
    }

    pub fn produce(&mut self, node: usize) {
        self.producers.insert(node);
        let (dest, face) = (super::dest(), FaceId(APP));
        let prefix = dest.as_name();
        self.input(node, Input::ProducerRegistered { prefix, face });
    }

    pub fn input(&mut self, node: usize, input: Input<'_, Packet>) {
        let now = self.now;
        self.nodes[node]
            .handle_input(now, input)
            .expect("the test keeps the contract");
        self.drain(node);
        // Links are fast: nothing waits to be serialised.
        let faces: Vec<_> = self
            .links
            .range((node, 0)..(node + 1, 0))
            .map(|(at, _)| at.1)
            .collect();
        for face in faces {
            let input = Input::DataQueue {
                face: FaceId(face),
                packets: 0,
            };
            let _ = self.nodes[node].handle_input(now, input);
        }
    }

    fn drain(&mut self, node: usize) {
        loop {
            match self.nodes[node].poll_output() {
                Output::Transmit { face, edit, packet } => self.carry(node, face.0, edit, packet),
                Output::Timeout(_) => return,
                _ => {}
            }
        }
    }

    fn carry(&mut self, node: usize, face: u32, edit: Edit, mut packet: Packet) {
        if let Edit::Interest {
            hop_limit,
            lifetime,
            ..
        } = edit
        {
            packet.hop_limit = packet.hop_limit.and(hop_limit);
            packet.lifetime = lifetime.unwrap_or(packet.lifetime);
        }
        self.count += 1;
        if face == APP {
            let got = match edit {
                // The producer answers at once.
                Edit::Interest { .. } => {
                    assert!(self.producers.contains(&node), "nobody produces here");
                    let data = Edit::Data {
                        pit_token: None,
                        header: MarsHeader::default(),
                    };
                    let at = (self.now, self.count);
                    self.arrivals.insert(at, (node, APP, data, packet));
                    return;
                }
                Edit::Data { .. } => Got::Data,
                Edit::Nack { reason, .. } => Got::Nack(reason),
            };
            self.got.push((self.now, node, packet.name, got));
            return;
        }
        let link = &self.links[&(node, face)];
        self.carried.push((node, face, edit));
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005) + 1;
        let lost = (self.random >> 33) % 1_000 < link.loss;
        if lost && matches!(edit, Edit::Data { .. }) {
            return;
        }
        let at = (self.now + link.delay, self.count);
        self.arrivals
            .insert(at, (link.to.0, link.to.1, edit, packet));
    }

    fn arrive(&mut self, node: usize, face: u32, edit: Edit, packet: Packet) {
        let name = packet.name.clone();
        let name = name.as_name();
        let (lifetime, hop_limit) = (packet.lifetime, packet.hop_limit);
        let input = edit.arrival(FaceId(face), name, lifetime, hop_limit, packet);
        self.input(node, input);
    }

    /// Lets time pass; every forwarder wakes when it asked for it.
    pub fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let wakes =
                (0..self.nodes.len()).filter_map(|node| match self.nodes[node].poll_output() {
                    Output::Timeout(at) => Some((at?, node)),
                    output => panic!("not drained: {output:?}"),
                });
            let wake = wakes.min();
            let arrival = self.arrivals.first_key_value().map(|(at, _)| *at);
            let next = [wake.map(|w| w.0), arrival.map(|a| a.0)];
            let Some(at) = next.into_iter().flatten().min().filter(|at| *at <= end) else {
                break;
            };
            self.now = at;
            if arrival.is_some_and(|(due, _)| due == at) {
                let (_, (node, face, edit, packet)) = self.arrivals.pop_first().expect("due");
                self.arrive(node, face, edit, packet);
            } else if let Some((_, node)) = wake {
                self.input(node, Input::Timeout);
            }
        }
        self.now = end;
    }

    /// An application asks.
    pub fn ask(&mut self, node: usize, name: &NameBuf, nonce: u32, lifetime: Duration) {
        self.ask_within(node, name, nonce, lifetime, None);
    }

    pub fn ask_within(
        &mut self,
        node: usize,
        name: &NameBuf,
        nonce: u32,
        lifetime: Duration,
        hop_limit: Option<u8>,
    ) {
        let packet = Packet {
            name: name.clone(),
            lifetime,
            hop_limit,
        };
        let edit = Edit::Interest {
            hop_limit,
            nonce,
            lifetime: None,
            header: MarsHeader {
                generation: Some(0),
                ..MarsHeader::default()
            },
        };
        self.arrive(node, APP, edit, packet);
    }

    /// Probes from one node until discovery has converged there.
    pub fn discover(&mut self, node: usize) {
        let dest = super::dest();
        for seq in 0..64 {
            let src = [u8::try_from(node).expect("few nodes")];
            let name = MarsName::Discovery {
                dest: dest.as_name(),
                src: Component::generic(&src),
                probe_idx: seq / 4,
                seq,
            };
            let nonce = 0x0100_0000 * face(node) + u32::try_from(seq).expect("few");
            self.ask(node, &name.to_name_buf(), nonce, Duration::from_secs(2));
            self.pass(Duration::from_millis(300));
            let view = self.nodes[node].dest(dest.as_name());
            if view.is_some_and(|view| view.converged()) {
                self.got.clear();
                self.carried.clear();
                return;
            }
        }
        panic!("node {node} does not converge");
    }

    /// Neighbours that are valid upstreams of a node.
    pub fn valid(&self, node: usize) -> Vec<usize> {
        let dest = super::dest();
        let view = self.nodes[node].dest(dest.as_name());
        let faces = view.iter().flat_map(DestView::valid_upstreams);
        faces.map(|u| node_behind(u.face.0)).collect()
    }

    pub fn interests_between(&self, from: usize, to: usize) -> usize {
        let is = |(node, over, edit): &&(usize, u32, Edit)| {
            (*node, *over) == (from, face(to)) && matches!(edit, Edit::Interest { .. })
        };
        self.carried.iter().filter(is).count()
    }
}

/// The node that a face leads to.
fn node_behind(face: u32) -> usize {
    usize::try_from(face).expect("few nodes") - 1
}

/// The number of the face towards a node.
pub fn face(node: usize) -> u32 {
    u32::try_from(node).expect("few nodes") + 1
}

/// The name of a segment of the usual dest.
pub fn segment(n: u64) -> NameBuf {
    super::data_name(super::dest().as_name(), n)
}
