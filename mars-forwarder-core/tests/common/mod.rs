//! One forwarder with its faces, driven by hand: what goes in, what comes out.
// Each test file uses its part, and a test may panic.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    unreachable_pub
)]

pub mod net;

use core::time::Duration;

use mars_forwarder_core::{
    Config, Data, DestView, Edit, Event, FaceId, FaceKind, Forwarder, Input, Interest, Nack,
    Output, Route,
};
use mars_time::Instant;
use mars_wire::{
    Component, Label, MarsHeader, MarsName, NackDetail, NackReason, Name, NameBuf, Rank,
};

/// Faces of the tests: 0 is an application, the others are MARS neighbours.
pub const APP: u32 = 0;

pub struct Node {
    pub forwarder: Forwarder<u64>,
    pub now: Instant,
    pub events: Vec<Event>,
    nonce: u32,
}

/// A packet that left.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub face: u32,
    pub edit: Edit,
    pub packet: u64,
}

impl Sent {
    pub fn header(&self) -> MarsHeader {
        match self.edit {
            Edit::Interest { header, .. }
            | Edit::Data { header, .. }
            | Edit::Nack { header, .. } => header,
        }
    }

    pub fn is_interest(&self) -> bool {
        matches!(self.edit, Edit::Interest { .. })
    }

    pub fn is_data(&self) -> bool {
        matches!(self.edit, Edit::Data { .. })
    }

    pub fn nonce(&self) -> u32 {
        match self.edit {
            Edit::Interest { nonce, .. } | Edit::Nack { nonce, .. } => nonce,
            Edit::Data { .. } => panic!("a Data has no nonce"),
        }
    }

    pub fn lifetime(&self) -> Duration {
        match self.edit {
            Edit::Interest { lifetime, .. } => lifetime.expect("a probe has a lifetime"),
            _ => panic!("not an Interest"),
        }
    }

    pub fn detail(&self) -> Option<NackDetail> {
        match self.edit {
            Edit::Nack { header, .. } => header.nack_detail,
            _ => None,
        }
    }
}

pub fn dest() -> NameBuf {
    NameBuf::new().generic(b"client1")
}

pub fn rank(generation: u32, hops: u64) -> Rank {
    Rank {
        generation,
        label: Label::from_bits(hops << 32),
    }
}

pub fn probe_name(dest: Name<'_>, src: &str, probe_idx: u64, seq: u64) -> NameBuf {
    MarsName::Discovery {
        dest,
        src: Component::generic(src.as_bytes()),
        probe_idx,
        seq,
    }
    .to_name_buf()
}

pub fn data_name(dest: Name<'_>, segment: u64) -> NameBuf {
    MarsName::Data { dest, segment }.to_name_buf()
}

/// What an Interest asks for.
#[derive(Clone, Copy)]
pub struct Ask {
    pub generation: u32,
    pub bound: Option<Label>,
    pub lifetime: Duration,
    pub nonce: Option<u32>,
}

impl Ask {
    pub fn open(generation: u32) -> Self {
        Self {
            generation,
            bound: None,
            lifetime: Duration::from_secs(2),
            nonce: None,
        }
    }

    pub fn below(generation: u32, bound: u64) -> Self {
        Self {
            bound: Some(Label::from_bits(bound << 32)),
            ..Self::open(generation)
        }
    }
}

impl Node {
    /// A node with an application and MARS neighbours 1..=n at the given hop counts.
    pub fn new(config: Config, hops: &[u32]) -> Self {
        let now = Instant::from_secs(100);
        let forwarder = Forwarder::new(config, now).expect("the configuration is in range");
        let mut node = Self {
            forwarder,
            now,
            events: Vec::new(),
            nonce: 1_000,
        };
        node.input(Input::FaceAdded {
            face: FaceId(APP),
            kind: FaceKind::Local,
        });
        for (face, _) in (1..).zip(hops) {
            node.input(Input::FaceAdded {
                face: FaceId(face),
                kind: FaceKind::Mars,
            });
        }
        let routes: Vec<Route> = (1..)
            .zip(hops)
            .map(|(face, hops)| Route {
                face: FaceId(face),
                hops: *hops,
            })
            .collect();
        node.input(Input::Routes {
            prefix: dest().as_name(),
            routes: &routes,
        });
        node
    }

    pub fn input(&mut self, input: Input<'_, u64>) -> Vec<Sent> {
        self.forwarder
            .handle_input(self.now, input)
            .expect("the test keeps the contract");
        self.drain()
    }

    pub fn drain(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        let at = self.drain_into(&mut sent);
        assert!(at.is_none_or(|at| at > self.now), "deadline not after now");
        sent
    }

    /// Gives the deadline that ends the outputs.
    fn drain_into(&mut self, sent: &mut Vec<Sent>) -> Option<Instant> {
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { face, edit, packet } => sent.push(Sent {
                    face: face.0,
                    edit,
                    packet,
                }),
                Output::Event(event) => self.events.push(event),
                Output::Timeout(at) => return at,
                _ => panic!("an output that the test does not know"),
            }
        }
    }

    /// Lets time pass, waking at each deadline.
    pub fn pass(&mut self, span: Duration) -> Vec<Sent> {
        let end = self.now + span;
        let mut sent = Vec::new();
        loop {
            let at = self.drain_into(&mut sent);
            match at.filter(|at| *at <= end) {
                Some(at) => {
                    self.now = at;
                    sent.extend(self.input(Input::Timeout));
                }
                None => break,
            }
        }
        self.now = end;
        sent.extend(self.input(Input::Timeout));
        sent
    }

    pub fn interest(&mut self, face: u32, name: &NameBuf, ask: Ask) -> Vec<Sent> {
        self.interest_numbered(face, name, ask, 1)
    }

    /// An Interest with a handle of its own.
    pub fn interest_numbered(
        &mut self,
        face: u32,
        name: &NameBuf,
        ask: Ask,
        packet: u64,
    ) -> Vec<Sent> {
        self.nonce += 1;
        let interest = Interest {
            name: name.as_name(),
            nonce: Some(ask.nonce.unwrap_or(self.nonce)),
            lifetime: ask.lifetime,
            hop_limit: None,
            pit_token: None,
            must_be_fresh: false,
            header: MarsHeader {
                generation: Some(ask.generation),
                label: ask.bound,
                ..MarsHeader::default()
            },
        };
        self.input(Input::Interest {
            face: FaceId(face),
            interest,
            packet,
        })
    }

    /// A discovery Interest for the usual dest.
    pub fn probe(&mut self, face: u32, probe_idx: u64, seq: u64, ask: Ask) -> Vec<Sent> {
        let name = probe_name(dest().as_name(), &format!("s{face}"), probe_idx, seq);
        self.interest(face, &name, ask)
    }

    /// The answer to `probe(asker, probe_idx, seq, ..)` over an upstream face.
    pub fn answer(
        &mut self,
        face: u32,
        asker: u32,
        probe_idx: u64,
        seq: u64,
        rank: Rank,
        conv: (bool, bool),
    ) -> Vec<Sent> {
        let name = probe_name(dest().as_name(), &format!("s{asker}"), probe_idx, seq);
        self.answer_named(face, &name, Some(rank), conv)
    }

    pub fn answer_named(
        &mut self,
        face: u32,
        name: &NameBuf,
        rank: Option<Rank>,
        conv: (bool, bool),
    ) -> Vec<Sent> {
        let header = MarsHeader {
            tier_conv: conv.0,
            node_conv: conv.1,
            generation: rank.map(|r| r.generation),
            label: rank.map(|r| r.label),
            ..MarsHeader::default()
        };
        let data = Data {
            name: name.as_name(),
            freshness: None,
            octets: 0,
            header,
        };
        self.input(Input::Data {
            face: FaceId(face),
            data,
            packet: 2,
        })
    }

    /// Data of any name, with a handle of its own.
    pub fn data(&mut self, face: u32, name: &NameBuf, header: MarsHeader) -> Vec<Sent> {
        let data = Data {
            name: name.as_name(),
            freshness: None,
            octets: 0,
            header,
        };
        self.input(Input::Data {
            face: FaceId(face),
            data,
            packet: 9,
        })
    }

    /// A second dest with one path, over `face`, that `asker` has probed for.
    pub fn other_dest(&mut self, asker: u32, face: u32) -> NameBuf {
        let other = NameBuf::new().generic(b"other");
        let routes = [Route {
            face: FaceId(face),
            hops: 2,
        }];
        self.input(Input::Routes {
            prefix: other.as_name(),
            routes: &routes,
        });
        let probe = probe_name(other.as_name(), "s", 0, 0);
        self.interest(asker, &probe, Ask::open(0));
        self.answer_named(face, &probe, Some(rank(0, 1)), (true, true));
        assert_eq!(self.valid_for(other.as_name()), [face]);
        other
    }

    pub fn nack(
        &mut self,
        face: u32,
        name: &NameBuf,
        detail: NackDetail,
        generation: Option<u32>,
    ) -> Vec<Sent> {
        let header = MarsHeader {
            nack_detail: Some(detail),
            generation,
            ..MarsHeader::default()
        };
        let nack = Nack {
            name: name.as_name(),
            nonce: None,
            reason: detail.reason(),
            header,
        };
        self.input(Input::Nack {
            face: FaceId(face),
            nack,
        })
    }

    pub fn plain_nack(&mut self, face: u32, name: &NameBuf, reason: NackReason) -> Vec<Sent> {
        let nack = Nack {
            name: name.as_name(),
            nonce: None,
            reason,
            header: MarsHeader::default(),
        };
        self.input(Input::Nack {
            face: FaceId(face),
            nack,
        })
    }

    pub fn valid(&self) -> Vec<u32> {
        self.valid_for(dest().as_name())
    }

    pub fn valid_for(&self, dest: Name<'_>) -> Vec<u32> {
        let view = self.forwarder.dest(dest);
        view.iter()
            .flat_map(DestView::valid_upstreams)
            .map(|u| u.face.0)
            .collect()
    }

    pub fn label(&self) -> Option<u64> {
        let view = self.forwarder.dest(dest().as_name())?;
        Some(view.rank()?.label.to_bits())
    }

    pub fn generation(&self) -> Option<u32> {
        Some(self.forwarder.dest(dest().as_name())?.generation())
    }
}

/// The one packet of a list.
pub fn only(sent: &[Sent]) -> &Sent {
    assert_eq!(sent.len(), 1, "{sent:#?}");
    &sent[0]
}

/// A node whose faces 1..=n are all valid.
pub fn ready(config: Config, hops: &[u32]) -> Node {
    ready_after(config, hops, Duration::ZERO)
}

/// The same, where probes took so long.
pub fn ready_after(config: Config, hops: &[u32], rtt: Duration) -> Node {
    let mut node = Node::new(config, hops);
    let mut seq = 0;
    let mut idx = 0;
    while node.valid().len() < hops.len() {
        for probe in node.probe(APP, idx, seq, Ask::open(0)) {
            node.pass(rtt);
            node.answer(probe.face, APP, idx, seq, rank(0, 1), (true, true));
        }
        seq += 1;
        idx += 1;
        assert!(seq < 100, "only {:?} became valid", node.valid());
    }
    node
}
