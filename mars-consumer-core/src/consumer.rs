//! The machine: one input in, timers first, then the input, then what follows from it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::time::Duration;

use mars_cc::Controller;
use mars_time::Instant;
use mars_wire::{Component, MarsName, Name};

use crate::context::Context;
use crate::counters::bump;
use crate::discovery::Discovery;
use crate::length::Length;
use crate::refusal::{Refusal, refusal};
use crate::retrieval::Retrieval;
use crate::rng::Rng;
use crate::timers::{TimerId, Timers};
use crate::{
    Config, ConfigError, Counters, Data, Error, Event, GiveUp, Input, InterestSpec, Nack, Object,
    Output, SpecName,
};

/// No-route Nacks on data Interests, without a Data between them, after which the paths count as lost.
const LOST_AFTER: u32 = 4;

/// One consumer of one object.
#[derive(Clone, Debug)]
pub struct Consumer<P> {
    config: Config,
    started: Instant,
    /// The latest time seen.
    now: Instant,
    timers: Timers,
    rng: Rng,
    counters: Counters,
    outputs: VecDeque<Output<P>>,
    life: Life<P>,
}

/// Whether there is anything left to do.
#[derive(Clone, Debug)]
enum Life<P> {
    Running(Box<Session<P>>),
    Ended,
}

/// All that lives until the object is complete or given up.
#[derive(Clone, Debug)]
struct Session<P> {
    paused: bool,
    discovery: Discovery,
    /// `None`: discovery alone.
    retrieval: Option<Retrieval<P>>,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Completed { segments: u64 },
    GaveUp(GiveUp),
}

impl From<GiveUp> for End {
    fn from(reason: GiveUp) -> Self {
        Self::GaveUp(reason)
    }
}

impl<P: Clone> Consumer<P> {
    /// A consumer whose first outputs are ready to be polled.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        config.validate()?;
        let session = Session::new(&config, now)?;
        let mut consumer = Self {
            started: now,
            now,
            timers: Timers::new(config.reassembly),
            rng: Rng::new(config.seed),
            counters: Counters::default(),
            outputs: VecDeque::new(),
            config,
            life: Life::Running(Box::new(session)),
        };
        consumer.step(Input::Timeout);
        Ok(consumer)
    }

    /// Takes one input.
    ///
    /// One input makes at most as many `Transmit` as the window has room for, as many `Deliver` as
    /// `Config::reassembly`, and four events. After the end every input is accepted and does
    /// nothing.
    ///
    /// # Errors
    /// Only for faults of the caller; never for what a peer sent.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_, P>) -> Result<(), Error> {
        self.now = self.now.max(now);
        let checked = match &self.life {
            Life::Running(session) => session.check(&input),
            Life::Ended => return Ok(()),
        };
        self.step(if checked.is_ok() {
            input
        } else {
            Input::Timeout
        });
        checked
    }

    /// Takes the next output. Poll until [`Output::Timeout`].
    pub fn poll_output(&mut self) -> Output<P> {
        self.outputs.pop_front().unwrap_or_else(|| {
            Output::Timeout(match &self.life {
                Life::Running(_) => self.timers.earliest(),
                Life::Ended => None,
            })
        })
    }

    /// The name of the Interest that `spec` asks for.
    #[must_use]
    pub fn name(&self, spec: &InterestSpec) -> MarsName<'_> {
        let dest = self.config.dest.as_name();
        match spec.name {
            SpecName::Discovery { probe_idx, seq } => MarsName::Discovery {
                dest,
                src: Component::generic(&self.config.src),
                probe_idx,
                seq,
            },
            SpecName::Data { segment } => MarsName::Data { dest, segment },
        }
    }

    /// What has happened so far, in numbers.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Data Interests that may be in flight at present; 0 after the end.
    #[must_use]
    pub fn window(&self) -> u32 {
        self.controller().map_or(0, Controller::window)
    }

    /// Data Interests in flight.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.controller().map_or(0, Controller::in_flight)
    }

    /// Smoothed round-trip time of data, `None` before the first sample and after the end.
    #[must_use]
    pub fn srtt(&self) -> Option<Duration> {
        self.retrieval()?.srtt()
    }

    /// Whether the object is complete or given up, so that nothing more will ever come.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self.life, Life::Ended)
    }

    fn controller(&self) -> Option<&Controller> {
        Some(self.retrieval()?.controller())
    }

    fn retrieval(&self) -> Option<&Retrieval<P>> {
        match &self.life {
            Life::Running(session) => session.retrieval.as_ref(),
            Life::Ended => None,
        }
    }

    fn step(&mut self, input: Input<'_, P>) {
        let Life::Running(session) = &mut self.life else {
            return;
        };
        let mut ctx = Context {
            now: self.now,
            config: &self.config,
            timers: &mut self.timers,
            rng: &mut self.rng,
            counters: &mut self.counters,
            outputs: &mut self.outputs,
        };
        let Err(end) = session.step(&mut ctx, input) else {
            return;
        };
        ctx.report(match end {
            End::Completed { segments } => Event::Completed {
                segments,
                after: self.now.saturating_duration_since(self.started),
            },
            End::GaveUp(reason) => Event::GaveUp { reason },
        });
        self.life = Life::Ended;
    }
}

impl<P> Session<P> {
    fn new(config: &Config, now: Instant) -> Result<Self, ConfigError> {
        let length = match config.object {
            Object::Segments(segments) => Some(Length::Given { segments }),
            Object::UntilFinal => Some(Length::Open),
            Object::Nothing => None,
        };
        Ok(Self {
            paused: false,
            discovery: Discovery::new(config, now),
            retrieval: length
                .map(|length| Retrieval::new(length, config, now))
                .transpose()?,
        })
    }

    /// The faults that a caller can make.
    fn check(&self, input: &Input<'_, P>) -> Result<(), Error> {
        let (Input::Accept { segment } | Input::Reject { segment }) = *input else {
            return Ok(());
        };
        let retrieval = self.retrieval.as_ref();
        if retrieval.is_some_and(|r| r.ring().awaits_verdict(segment)) {
            Ok(())
        } else {
            Err(Error::NotDelivered(segment))
        }
    }

    fn step(&mut self, ctx: &mut Context<'_, P>, input: Input<'_, P>) -> Result<(), End> {
        if self.fire_due(ctx)? {
            self.follow_up(ctx)?;
        }
        self.take(ctx, input)?;
        self.follow_up(ctx)
    }

    /// Every input is a tick first. Gives whether anything was due.
    fn fire_due(&mut self, ctx: &mut Context<'_, P>) -> Result<bool, GiveUp> {
        let mut fired = false;
        while let Some(id) = ctx.timers.pop_due(ctx.now) {
            match (id, &mut self.retrieval) {
                (TimerId::Round, _) => self.discovery.on_round_timer(ctx),
                (TimerId::Probe(place), _) => self.discovery.on_probe_timer(ctx, place)?,
                (TimerId::Segment(segment), Some(r)) => r.on_segment_timer(ctx, segment)?,
                // Pacing is looked at after every input anyway.
                (TimerId::Pacing | TimerId::Segment(_), _) => {}
            }
            fired = true;
        }
        Ok(fired)
    }

    fn take(&mut self, ctx: &mut Context<'_, P>, input: Input<'_, P>) -> Result<(), GiveUp> {
        match (input, &mut self.retrieval) {
            (Input::Data { data, packet }, _) => self.on_data(ctx, &data, packet),
            (Input::Nack { nack }, _) => self.on_nack(ctx, &nack)?,
            (Input::Rediscover, _) => self.discovery.rediscover(ctx),
            (Input::Pause, _) => self.paused = true,
            (Input::Resume, _) => self.paused = false,
            (Input::Cancel, _) => return Err(GiveUp::Cancelled),
            (Input::Credit { segments }, Some(r)) => r.give_credit(segments),
            (Input::Accept { segment }, Some(r)) => r.accept(ctx, segment),
            (Input::Reject { segment }, Some(r)) => r.reject(ctx, segment)?,
            (Input::Timeout, _)
            | (Input::Credit { .. } | Input::Accept { .. } | Input::Reject { .. }, None) => {}
        }
        Ok(())
    }

    fn on_data(&mut self, ctx: &mut Context<'_, P>, data: &Data<'_>, packet: P) {
        match (own_name(ctx.config, data.name), &mut self.retrieval) {
            (Some(SpecName::Discovery { probe_idx, seq }), retrieval) => {
                let back = self.discovery.on_data(ctx, probe_idx, seq, &data.header);
                if let (true, Some(retrieval)) = (back, retrieval) {
                    retrieval.restart(ctx.now);
                }
            }
            (Some(SpecName::Data { segment }), Some(retrieval)) => {
                if retrieval.on_data(ctx, segment, data, packet) {
                    self.discovery.data_came();
                }
            }
            (Some(SpecName::Data { .. }), None) => bump(&mut ctx.counters.unsolicited_data),
            (None, _) => bump(&mut ctx.counters.foreign),
        }
    }

    fn on_nack(&mut self, ctx: &mut Context<'_, P>, nack: &Nack<'_>) -> Result<(), GiveUp> {
        let refusal = refusal(nack.reason, &nack.header);
        match (own_name(ctx.config, nack.name), &mut self.retrieval) {
            (Some(SpecName::Discovery { seq, .. }), _) => {
                self.discovery.on_nack(ctx, seq, nack.nonce, refusal)
            }
            (Some(SpecName::Data { segment }), Some(retrieval)) => {
                retrieval.on_nack(ctx, segment, nack.nonce, refusal)?;
                let lost = refusal == Refusal::NoRoute && retrieval.no_routes() >= LOST_AFTER;
                if lost && self.discovery.has_path() {
                    self.discovery.path_lost(ctx)?;
                }
                Ok(())
            }
            (Some(SpecName::Data { .. }), None) => {
                bump(&mut ctx.counters.stray_nacks);
                Ok(())
            }
            (None, _) => {
                bump(&mut ctx.counters.foreign);
                Ok(())
            }
        }
    }

    /// Delivers, ends if that was all, and sends what may be sent.
    fn follow_up(&mut self, ctx: &mut Context<'_, P>) -> Result<(), End> {
        if let Some(retrieval) = &mut self.retrieval {
            retrieval.deliver(ctx);
            if retrieval.ring().is_complete() {
                let segments = retrieval.ring().done();
                return Err(End::Completed { segments });
            }
        }
        if !self.paused {
            self.discovery.pump(ctx)?;
        }
        if let Some(retrieval) = &mut self.retrieval {
            let open = !self.paused && self.discovery.has_path();
            retrieval.pump(ctx, open);
        }
        Ok(())
    }
}

/// The varying part of a name, if it is one of this consumer's.
fn own_name(config: &Config, name: Name<'_>) -> Option<SpecName> {
    let name = MarsName::parse(name)?;
    if name.dest() != config.dest.as_name() {
        return None;
    }
    match name {
        MarsName::Discovery {
            src,
            probe_idx,
            seq,
            ..
        } => (src == Component::generic(&config.src))
            .then_some(SpecName::Discovery { probe_idx, seq }),
        MarsName::Data { segment, .. } => Some(SpecName::Data { segment }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use mars_wire::{MarsHeader, NackReason, NameBuf};

    const RTT: Duration = Duration::from_millis(10);

    /// A consumer whose every Interest is answered, lost, doubled or refused as `fate` draws.
    struct Bench {
        consumer: Consumer<()>,
        now: Instant,
        flying: VecDeque<(Instant, InterestSpec)>,
        fate: Rng,
        trouble: bool,
    }

    impl Bench {
        fn new(object: Object, trouble: bool) -> Self {
            let dest = NameBuf::new().generic(b"dest");
            let mut config = Config::new(dest, b"src".to_vec(), 3, object);
            config.start = Start::Data;
            config.reassembly = 1_000;
            Self {
                consumer: Consumer::new(config, Instant::ZERO).unwrap(),
                now: Instant::ZERO,
                flying: VecDeque::new(),
                fate: Rng::new(5),
                trouble,
            }
        }

        /// Drains, then gives what comes first.
        fn step(&mut self) {
            let wake = loop {
                match self.consumer.poll_output() {
                    Output::Transmit { spec } => self.send(spec),
                    Output::Deliver { .. } | Output::Event(_) => {}
                    Output::Timeout(wake) => break wake,
                }
            };
            let arrival = self.flying.front().map(|(at, _)| *at);
            let next = wake.into_iter().chain(arrival).min();
            self.now = self.now.max(next.unwrap_or(self.now));
            if arrival.is_none_or(|at| at > self.now) {
                return self
                    .consumer
                    .handle_input(self.now, Input::Timeout)
                    .unwrap();
            }
            let (_, spec) = self.flying.pop_front().unwrap();
            let mut buffer = [0; 64];
            let name = self.consumer.name(&spec);
            let len = name.encode(&mut buffer).unwrap();
            let name = Name::from_value(&buffer[..len]).unwrap();
            let header = MarsHeader {
                interest_queue: Some(6),
                ..MarsHeader::default()
            };
            let input = if self.trouble && self.fate.next_u64().is_multiple_of(16) {
                let nonce = Some(spec.nonce);
                let reason = NackReason::Congestion;
                let nack = Nack {
                    name,
                    nonce,
                    reason,
                    header,
                };
                Input::Nack { nack }
            } else {
                let data = Data {
                    name,
                    final_segment: None,
                    content_len: 1_200,
                    header,
                };
                Input::Data { data, packet: () }
            };
            self.consumer.handle_input(self.now, input).unwrap();
        }

        fn send(&mut self, spec: InterestSpec) {
            let copies = match self.fate.next_u64() % 16 {
                0..=2 if self.trouble => 0,
                3 if self.trouble => 2,
                _ => 1,
            };
            for _ in 0..copies {
                self.flying.push_back((self.now + RTT, spec));
            }
        }

        /// Entries that there is memory for.
        fn memory(&self) -> Option<[usize; 4]> {
            let retrieval = self.consumer.retrieval()?;
            Some([
                retrieval.ring().size().1,
                retrieval.ready_size().1,
                self.consumer.timers.size().1,
                self.consumer.outputs.capacity(),
            ])
        }
    }

    #[test]
    fn slots_of_the_window_are_the_interests_in_flight() {
        let mut bench = Bench::new(Object::Segments(30_000), true);
        while let Some(retrieval) = bench.consumer.retrieval() {
            let (flying, resting) = retrieval.ring().timed();
            assert_eq!(retrieval.controller().in_flight() as usize, flying);
            // Pacing has one more.
            let armed = bench.consumer.timers.size().0;
            assert!((flying + resting..=flying + resting + 1).contains(&armed));
            assert!(retrieval.ring().size().0 <= 1_000);
            assert!(retrieval.ready_size().0 <= 1_000);
            bench.step();
        }
        assert!(bench.consumer.counters.timeouts > 1_000);
        assert!(bench.consumer.counters.congestion_nacks > 1_000);
    }

    #[test]
    fn ten_million_segments_take_the_memory_of_a_thousand() {
        let mut bench = Bench::new(Object::Segments(10_000_000), false);
        let mut warm = None;
        while let Some(retrieval) = bench.consumer.retrieval() {
            if retrieval.ring().done() >= 20_000 {
                let memory = bench.memory();
                assert_eq!(*warm.get_or_insert(memory), memory);
            }
            bench.step();
        }
        let [slots, ready, timers, outputs] = warm.flatten().unwrap();
        assert!(slots <= 1_024 && ready <= 1_024 && timers <= 4_096 && outputs <= 2_048);
    }
}
