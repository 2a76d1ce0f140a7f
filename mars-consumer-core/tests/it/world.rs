//! What is beyond the consumer: a local forwarder, paths of unequal delay, and a producer.

use std::collections::VecDeque;
use std::time::Duration;

use mars_consumer_core::{InterestSpec, SpecName};
use mars_time::Instant;
use mars_wire::{Label, MarsHeader, NackDetail};

/// An answer to one Interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    Data { final_segment: Option<u64> },
    Nack(NackKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NackKind {
    NoRoute,
    Order,
    Duplicate,
    QueueFull,
    Stale,
}

impl NackKind {
    pub(crate) fn detail(self) -> NackDetail {
        match self {
            Self::NoRoute => NackDetail::NoRoute,
            Self::Order => NackDetail::Order,
            Self::Duplicate => NackDetail::Duplicate,
            Self::QueueFull => NackDetail::QueueFull,
            Self::Stale => NackDetail::Stale,
        }
    }
}

/// How probes are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probing {
    /// `TierConv` from the n-th answer for an index on, `NodeConv` from this many indices on.
    Converging { answers: u32, tiers: u64 },
    /// Data without any flag, for ever.
    NeverConverging,
    /// Data without a MARS header: plain NDN.
    Plain,
    /// Refused.
    Refused(NackKind),
    /// Nothing.
    Silent,
}

/// Where the Data of the object name its last segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finals {
    Nowhere,
    InLast,
    Everywhere,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    /// Segments that exist; others are met with silence.
    pub(crate) segments: u64,
    pub(crate) finals: Finals,
    pub(crate) probing: Probing,
    /// What object Interests are refused with at present.
    pub(crate) refuse_data: Option<NackKind>,
    /// Generation that the forwarder works in (it adopts newer ones).
    pub(crate) generation: u32,
    /// Probes with a lower generation find no route.
    pub(crate) route_from_generation: u32,
    /// Round-trip times of the paths, used in turn as drawn.
    pub(crate) paths: Vec<Duration>,
    /// Of 1,000 Interests, how many are lost (one way or the other).
    pub(crate) loss: u64,
    /// Of 1,000 Data, how many come twice.
    pub(crate) duplication: u64,
    /// Random delay on top of a path's.
    pub(crate) jitter: Duration,
    /// Time that the local forwarder takes per Interest; its queue holds 40.
    pub(crate) service: Duration,
    /// Nothing is answered from the first to before the second.
    pub(crate) outage: Option<(Instant, Instant)>,
    /// The next Interest for this segment is lost.
    pub(crate) drop_once: Option<u64>,
    /// The next Data of the first segment names the second as the last.
    pub(crate) forge: Option<(u64, u64)>,
    queue: VecDeque<Instant>,
    answers: (u64, u32),
    state: u64,
}

impl World {
    pub(crate) const QUEUE: usize = 40;

    pub(crate) fn new(segments: u64) -> Self {
        Self {
            segments,
            finals: Finals::Nowhere,
            probing: Probing::Converging {
                answers: 2,
                tiers: 2,
            },
            refuse_data: None,
            generation: 0,
            route_from_generation: 0,
            paths: vec![Duration::from_millis(20)],
            loss: 0,
            duplication: 0,
            jitter: Duration::ZERO,
            service: Duration::ZERO,
            outage: None,
            drop_once: None,
            forge: None,
            queue: VecDeque::new(),
            answers: (0, 0),
            state: 1,
        }
    }

    pub(crate) fn seeded(mut self, seed: u64) -> Self {
        self.state = seed;
        self
    }

    pub(crate) fn draw(&mut self, below: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % below.max(1)
    }

    /// Interests that wait at the local forwarder.
    pub(crate) fn queue_len(&mut self, now: Instant) -> usize {
        while self.queue.front().is_some_and(|at| *at <= now) {
            self.queue.pop_front();
        }
        self.queue.len()
    }

    /// What comes back for an Interest, and when.
    pub(crate) fn answer(
        &mut self,
        now: Instant,
        spec: &InterestSpec,
    ) -> Vec<(Instant, MarsHeader, Answer)> {
        if self
            .outage
            .is_some_and(|(from, to)| (from..to).contains(&now))
        {
            return Vec::new();
        }
        match spec.name {
            SpecName::Discovery { probe_idx, .. } => self.answer_probe(now, spec, probe_idx),
            SpecName::Data { segment } => self.answer_data(now, spec, segment),
        }
    }

    fn answer_probe(
        &mut self,
        now: Instant,
        spec: &InterestSpec,
        probe_idx: u64,
    ) -> Vec<(Instant, MarsHeader, Answer)> {
        let asked = spec
            .header
            .generation
            .expect("a probe names its generation");
        let near = now + Duration::from_micros(100);
        if asked < self.generation {
            let header = MarsHeader {
                nack_detail: Some(NackDetail::Stale),
                generation: Some(self.generation),
                ..MarsHeader::default()
            };
            return vec![(near, header, Answer::Nack(NackKind::Stale))];
        }
        self.generation = asked;
        if asked < self.route_from_generation {
            return vec![nack(near, NackKind::NoRoute)];
        }
        let mut header = MarsHeader {
            generation: Some(self.generation),
            label: Some(Label::ONE),
            ..MarsHeader::default()
        };
        match self.probing {
            Probing::Silent => return Vec::new(),
            Probing::Refused(kind) => return vec![nack(near, kind)],
            Probing::Plain => header = MarsHeader::default(),
            Probing::NeverConverging => {}
            Probing::Converging { answers, tiers } => {
                if self.answers.0 != probe_idx {
                    self.answers = (probe_idx, 0);
                }
                self.answers.1 += 1;
                header.tier_conv = self.answers.1 >= answers;
                header.node_conv = header.tier_conv && probe_idx + 1 >= tiers;
            }
        }
        let data = Answer::Data {
            final_segment: None,
        };
        self.travel(now, header, data)
    }

    fn answer_data(
        &mut self,
        now: Instant,
        spec: &InterestSpec,
        segment: u64,
    ) -> Vec<(Instant, MarsHeader, Answer)> {
        assert!(spec.header.is_empty());
        let near = now + Duration::from_micros(100);
        if let Some(kind) = self.refuse_data {
            return vec![nack(near, kind)];
        }
        if self.queue_len(now) >= Self::QUEUE {
            return vec![nack(near, NackKind::QueueFull)];
        }
        let leaves = self.queue.back().copied().unwrap_or(now) + self.service;
        if !self.service.is_zero() {
            self.queue.push_back(leaves);
        }
        // The length is filled in when the Data comes back.
        let header = MarsHeader {
            interest_queue: Some(0),
            ..MarsHeader::default()
        };
        if self
            .drop_once
            .take_if(|dropped| *dropped == segment)
            .is_some()
        {
            return Vec::new();
        }
        if segment >= self.segments {
            return Vec::new();
        }
        let last = self.segments - 1;
        let named = match self.finals {
            Finals::Nowhere => false,
            Finals::InLast => segment == last,
            Finals::Everywhere => true,
        };
        let mut final_segment = named.then_some(last);
        if let Some((_, forged)) = self.forge.take_if(|(by, _)| *by == segment) {
            final_segment = Some(forged);
        }
        let data = Answer::Data { final_segment };
        self.travel(leaves, header, data)
    }

    fn travel(
        &mut self,
        from: Instant,
        header: MarsHeader,
        answer: Answer,
    ) -> Vec<(Instant, MarsHeader, Answer)> {
        let mut out = Vec::new();
        let copies = 1 + u64::from(self.draw(1_000) < self.duplication);
        for _ in 0..copies {
            let path = self.draw(self.paths.len() as u64) as usize;
            let jitter = Duration::from_nanos(self.draw(self.jitter.as_nanos() as u64 + 1));
            if self.draw(1_000) >= self.loss {
                out.push((from + self.paths[path] + jitter, header, answer));
            }
        }
        out
    }
}

fn nack(at: Instant, kind: NackKind) -> (Instant, MarsHeader, Answer) {
    let header = MarsHeader {
        nack_detail: Some(kind.detail()),
        ..MarsHeader::default()
    };
    (at, header, Answer::Nack(kind))
}
