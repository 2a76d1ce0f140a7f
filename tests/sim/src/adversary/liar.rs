//! A neighbour that lies: it remembers what passed by, and sends what harms most.

use std::time::Duration;

use mars_consumer_core::SpecName;
use mars_forwarder_core::Edit;
use mars_time::Instant;
use mars_wire::{Label, MarsHeader, NackDetail};

use super::mars::MarsNode;
use super::node::{Node, Setup, View};
use super::packet::{Frame, Packet};

/// What a liar does with each Interest that reaches it, and beside that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Nothing ever comes back.
    Silence,
    /// It claims to be the producer, in whatever generation is asked for.
    Zero,
    /// The same, and answers data Interests with nothing.
    ZeroAndSilence,
    /// Every answer is of the greatest generation there is.
    Future,
    /// Answers sixteen generations ahead of what was asked.
    NextGeneration,
    /// Answers carry the greatest label, and never a flag.
    FarAndNeverDone,
    /// Answers say that all has converged, and carry no rank.
    NoRank,
    /// Every Interest is refused, in turn for each reason there is.
    Nacks,
    /// Interests are sent back to where they came from, and to everybody else.
    Reflect,
    /// Asks everybody for less and less, with a huge index and generations ahead.
    Flood,
}

impl Lie {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Silence,
        Self::Zero,
        Self::ZeroAndSilence,
        Self::Future,
        Self::NextGeneration,
        Self::FarAndNeverDone,
        Self::NoRank,
        Self::Nacks,
        Self::Reflect,
        Self::Flood,
    ];
}

/// A node that lies, in the way that its `lie` says.
#[derive(Clone, Debug)]
pub struct Liar {
    links: usize,
    /// The way; `None`: another one each time.
    pub lie: Option<Lie>,
    turn: u32,
    /// Counts its own probes.
    seq: u64,
}

type Out = Vec<(usize, Frame)>;

impl Liar {
    fn answer(&mut self, link: usize, frame: Frame, out: &mut Out) {
        self.turn = self.turn.wrapping_add(1);
        let Edit::Interest { nonce, header, .. } = frame.edit else {
            return;
        };
        let generation = header.generation.unwrap_or(0);
        let is_data = matches!(frame.packet.name, SpecName::Data { .. });
        let lie = self
            .lie
            .unwrap_or(Lie::ALL[self.turn as usize % Lie::ALL.len()]);
        let claim = |generation: u32, label: Label, done: bool| MarsHeader {
            generation: Some(generation),
            label: Some(label),
            tier_conv: done,
            node_conv: done,
            interest_queue: Some(0),
            ..MarsHeader::default()
        };
        let header = match lie {
            Lie::Silence => return,
            Lie::ZeroAndSilence if is_data => return,
            Lie::Zero | Lie::ZeroAndSilence => claim(generation, Label::ZERO, true),
            Lie::Future => claim(u32::MAX, Label::ZERO, true),
            Lie::NextGeneration => claim(generation.saturating_add(16), Label::ZERO, false),
            Lie::FarAndNeverDone => claim(generation, Label::MAX, false),
            Lie::NoRank => MarsHeader {
                tier_conv: true,
                node_conv: true,
                ..MarsHeader::default()
            },
            Lie::Nacks => return self.refuse(link, frame.packet, nonce, generation, out),
            Lie::Reflect | Lie::Flood => {
                for to in 0..self.links {
                    let nonce = if lie == Lie::Flood {
                        nonce ^ self.turn
                    } else {
                        nonce
                    };
                    out.push((to, interest(frame.packet, nonce, generation, header.label)));
                }
                if lie == Lie::Reflect {
                    return;
                }
                claim(
                    generation,
                    Label::from_bits(self.turn.into()),
                    self.turn.is_multiple_of(2),
                )
            }
        };
        let edit = Edit::Data {
            pit_token: None,
            header,
        };
        out.push((
            link,
            Frame {
                packet: frame.packet,
                edit,
            },
        ));
    }

    fn refuse(&self, link: usize, packet: Packet, nonce: u32, generation: u32, out: &mut Out) {
        let details = [
            NackDetail::Order,
            NackDetail::NoRoute,
            NackDetail::Duplicate,
            NackDetail::Stale,
            NackDetail::QueueFull,
        ];
        let detail = details[self.turn as usize % details.len()];
        let header = MarsHeader {
            nack_detail: Some(detail),
            generation: Some(generation.saturating_add(self.turn)),
            ..MarsHeader::default()
        };
        let edit = Edit::Nack {
            nonce,
            reason: detail.reason(),
            pit_token: None,
            header,
        };
        out.push((link, Frame { packet, edit }));
    }
}

/// An Interest as a liar sends it.
fn interest(mut packet: Packet, nonce: u32, generation: u32, bound: Option<Label>) -> Frame {
    packet.lifetime = Duration::from_secs(2);
    packet.hop_limit = Some(32);
    let edit = Edit::Interest {
        hop_limit: packet.hop_limit,
        nonce,
        lifetime: None,
        header: MarsHeader {
            generation: Some(generation),
            label: bound,
            ..MarsHeader::default()
        },
    };
    Frame { packet, edit }
}

impl Node for Liar {
    type Frame = Frame;

    fn boot(setup: &Setup, _now: Instant) -> Self {
        Self {
            links: setup.links,
            lie: None,
            turn: 0,
            seq: 0,
        }
    }

    fn frame(&mut self, _now: Instant, link: usize, frame: Frame, out: &mut Out) {
        self.answer(link, frame, out);
    }

    fn link_changed(&mut self, _now: Instant, _link: usize, _up: bool, _out: &mut Out) {}

    fn routes(&mut self, _now: Instant, _hops: &[Option<u32>], _out: &mut Out) {}

    fn produce(&mut self, _now: Instant, _present: bool, _out: &mut Out) {}

    fn tick(&mut self, _now: Instant, _out: &mut Out) {}

    /// Asks a neighbour for what `choice` says: any bound, any generation, any index.
    fn act(&mut self, _now: Instant, choice: u32, out: &mut Out) -> bool {
        let Some(link) = (choice as usize).checked_rem(self.links) else {
            return false;
        };
        self.turn = self.turn.wrapping_add(choice);
        self.seq += 1;
        let generation = match choice / 8 % 4 {
            0 => 0,
            1 => self.turn % 64,
            2 => u32::try_from(self.seq)
                .unwrap_or(u32::MAX)
                .saturating_mul(16),
            _ => u32::MAX,
        };
        let bound = match choice / 32 % 4 {
            0 => None,
            1 => Some(Label::from_bits(1)),
            2 => Some(Label::from_bits((3 << 32) - self.seq)),
            _ => Some(Label::MAX),
        };
        let probe_idx = if (choice / 128).is_multiple_of(2) {
            self.seq
        } else {
            1 << 63
        };
        let packet = Packet::probe(200, probe_idx, self.seq);
        let nonce = self.turn ^ 0x5EED_0000;
        out.push((link, interest(packet, nonce, generation, bound)));
        true
    }

    fn wake(&self) -> Option<Instant> {
        None
    }

    fn view(&self) -> View {
        View {
            lies: true,
            ..View::default()
        }
    }
}

/// A node that is honest, or lies if its [`Setup`] says so.
#[derive(Clone, Debug)]
pub enum Party {
    /// Runs a forwarder.
    Honest(Box<MarsNode>),
    /// Lies.
    Liar(Liar),
}

macro_rules! either {
    ($party:expr, $node:ident => $call:expr) => {
        match $party {
            Party::Honest($node) => $call,
            Party::Liar($node) => $call,
        }
    };
}

impl Node for Party {
    type Frame = Frame;

    fn boot(setup: &Setup, now: Instant) -> Self {
        match &setup.lies {
            Some(lie) => Self::Liar(Liar {
                lie: *lie,
                ..Liar::boot(setup, now)
            }),
            None => Self::Honest(Box::new(MarsNode::boot(setup, now))),
        }
    }

    fn frame(&mut self, now: Instant, link: usize, frame: Frame, out: &mut Out) {
        either!(self, node => node.frame(now, link, frame, out));
    }

    fn link_changed(&mut self, now: Instant, link: usize, up: bool, out: &mut Out) {
        either!(self, node => node.link_changed(now, link, up, out));
    }

    fn routes(&mut self, now: Instant, hops: &[Option<u32>], out: &mut Out) {
        either!(self, node => node.routes(now, hops, out));
    }

    fn produce(&mut self, now: Instant, present: bool, out: &mut Out) {
        either!(self, node => node.produce(now, present, out));
    }

    fn tick(&mut self, now: Instant, out: &mut Out) {
        either!(self, node => node.tick(now, out));
    }

    fn act(&mut self, now: Instant, choice: u32, out: &mut Out) -> bool {
        either!(self, node => node.act(now, choice, out))
    }

    fn wake(&self) -> Option<Instant> {
        either!(self, node => node.wake())
    }

    fn view(&self) -> View {
        either!(self, node => node.view())
    }
}
