//! Path discovery as the consumer drives it.
//!
//! A *round* is one walk through the tiers within one generation: it starts with the consumer, with
//! a rediscovery (asked for, or when the last round is a while ago), and with each new generation.
//! It ends when the answer says `NodeConv`, or stalls: too many probes silent or refused in a row,
//! or too many in all. A stalled round that found a path is good enough; one that found none is
//! followed by the next generation.

use core::time::Duration;

use mars_time::Instant;
use mars_wire::MarsHeader;

use crate::context::Context;
use crate::counters::bump;
use crate::generation::adopt;
use crate::patience::nanos;
use crate::pause::{before_generation, between_probes};
use crate::probe_window::{Probe, ProbeSlot, ProbeWindow};
use crate::refusal::Refusal;
use crate::rto::Rto;
use crate::timers::TimerId;
use crate::{Config, Event, GiveUp, InterestSpec, Object, Output, SpecName, Start};

/// Least wait for a probe. A forwarder beside a silent face waits up to 250 ms before it tries
/// another for the same probe, and that answer is worth waiting for.
const MIN_WAIT: Duration = Duration::from_millis(500);

/// Doublings of a probe's lifetime.
const MAX_DOUBLINGS: u32 = 2;

/// Jumps to a reported generation per round trip that follow each other without any answer; at 16
/// generations each that is farther than any honest consumer is ever behind.
const MAX_STALE: u32 = 256;

/// Answers in a row without any rank, after which the upstream is plain NDN and will never report
/// convergence. A forwarder leaves a tier after as many.
const MAX_PLAIN: u32 = 16;

/// Discovery of the paths to one producer.
#[derive(Clone, Debug)]
pub(crate) struct Discovery {
    phase: Phase,
    window: ProbeWindow,
    has_path: bool,
    /// A path was lost once.
    had_path: bool,
    /// Object Data came since the last path was found.
    has_carried_data: bool,
    generation: u32,
    /// Generations begun since paths last carried object Data.
    generations: u8,
    probe_idx: u64,
    next_seq: u64,
    round: Round,
    probe_rto: Rto,
    /// Start of this discovery or rediscovery, and the probes sent for it.
    started: Instant,
    probes: u64,
}

/// Whether probes are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not at all: there is nothing to discover with.
    Off,
    /// As the window allows.
    Probing,
    /// Not until the back-off before a new generation is over.
    BackingOff,
    /// Converged or stalled.
    Quiet,
}

/// What bounds a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round {
    first_seq: u64,
    probes: u32,
    probes_at_index: u32,
    /// Each in a row.
    silent: u32,
    refused: u32,
    busy: u32,
    stale: u32,
    plain: u32,
}

impl Discovery {
    pub(crate) fn new(config: &Config, now: Instant) -> Self {
        let (phase, has_path) = match config.start {
            Start::Discover => (Phase::Probing, false),
            Start::Data => (Phase::Off, true),
        };
        let lifetime = nanos(config.probe_lifetime);
        Self {
            phase,
            window: ProbeWindow::new(config.probe_window),
            has_path,
            had_path: false,
            has_carried_data: false,
            generation: 0,
            generations: 0,
            probe_idx: 0,
            next_seq: 0,
            round: Round::default(),
            probe_rto: Rto::new(nanos(MIN_WAIT).min(lifetime), lifetime),
            started: now,
            probes: 0,
        }
    }

    /// Whether data Interests have somewhere to go.
    pub(crate) const fn has_path(&self) -> bool {
        self.has_path
    }

    /// Object Data arrived: the paths are real.
    pub(crate) const fn data_came(&mut self) {
        self.has_carried_data = true;
        self.generations = 0;
    }

    /// Sends probes as the window allows, or ends a round that has none left to send.
    pub(crate) fn pump<P>(&mut self, ctx: &mut Context<'_, P>) -> Result<(), GiveUp> {
        if self.phase != Phase::Probing {
            return Ok(());
        }
        let spent = self.round.probes >= ctx.config.max_probes
            || self.round.probes_at_index >= ctx.config.max_probes_per_index;
        if spent {
            let idle = self.window.is_idle();
            return if idle { self.stall(ctx) } else { Ok(()) };
        }
        while let Some(place) = self.window.free() {
            self.send(ctx, place);
        }
        Ok(())
    }

    fn send<P>(&mut self, ctx: &mut Context<'_, P>, place: u8) {
        let probe = Probe {
            seq: self.next_seq,
            nonce: ctx.rng.nonce(),
            generation: self.generation,
            sent: ctx.now,
        };
        self.window.set(place, ProbeSlot::Flying(probe));
        self.next_seq = self.next_seq.saturating_add(1);
        self.probes = self.probes.saturating_add(1);
        self.round.probes = self.round.probes.saturating_add(1);
        self.round.probes_at_index = self.round.probes_at_index.saturating_add(1);
        bump(&mut ctx.counters.probes);
        let wait = Duration::from_nanos(self.probe_rto.timeout(0, 0));
        ctx.timers.set(TimerId::Probe(place), ctx.now + wait);
        ctx.outputs.push_back(Output::Transmit {
            spec: InterestSpec {
                name: SpecName::Discovery {
                    probe_idx: self.probe_idx,
                    seq: probe.seq,
                },
                nonce: probe.nonce,
                lifetime: self.lifetime(ctx.config),
                // Unlabelled, and no bound: any rank will do.
                header: MarsHeader {
                    generation: Some(self.generation),
                    ..MarsHeader::default()
                },
            },
        });
    }

    /// Probes live longer while none is answered, twice as long for each window of them that failed:
    /// on a long way with many losses each hop takes its time to mend its own.
    fn lifetime(&self, config: &Config) -> Duration {
        let failed = self.round.silent.saturating_add(self.round.busy);
        let doublings = failed / u32::from(config.probe_window.max(1));
        config
            .probe_lifetime
            .saturating_mul(1 << doublings.min(MAX_DOUBLINGS))
    }

    /// The timer of a probe slot is due.
    pub(crate) fn on_probe_timer<P>(
        &mut self,
        ctx: &mut Context<'_, P>,
        place: u8,
    ) -> Result<(), GiveUp> {
        let Some(ProbeSlot::Flying(_)) = self.window.set(place, ProbeSlot::Free) else {
            return Ok(());
        };
        bump(&mut ctx.counters.probe_timeouts);
        self.round.silent = self.round.silent.saturating_add(1);
        // Once per window: probes that were sent together fall silent together.
        if self
            .round
            .silent
            .is_multiple_of(u32::from(ctx.config.probe_window))
        {
            self.probe_rto.back_off();
        }
        if self.round.silent >= ctx.config.max_silent_probes {
            return self.stall(ctx);
        }
        Ok(())
    }

    /// A back-off is over: the next generation begins. Or it is time to look for paths again.
    pub(crate) fn on_round_timer<P>(&mut self, ctx: &mut Context<'_, P>) {
        match self.phase {
            Phase::BackingOff => {
                self.generation = self.generation.saturating_add(1);
                self.begin_round(ctx, 0);
                ctx.report(Event::GenerationStarted {
                    generation: self.generation,
                });
            }
            Phase::Quiet => self.renew(ctx),
            Phase::Off | Phase::Probing => {}
        }
    }

    /// A probe's answer came, or a copy of one. Gives whether all paths were lost and are back.
    pub(crate) fn on_data<P>(
        &mut self,
        ctx: &mut Context<'_, P>,
        probe_idx: u64,
        seq: u64,
        header: &MarsHeader,
    ) -> bool {
        if !self.is_of_round(seq) || self.phase == Phase::Off {
            bump(&mut ctx.counters.unsolicited_data);
            return false;
        }
        match self.window.flying(seq) {
            Some((place, probe)) => {
                let rtt = ctx.now.saturating_duration_since(probe.sent);
                self.probe_rto.sample(nanos(rtt));
                self.window.set(place, ProbeSlot::Free);
                ctx.timers.clear(TimerId::Probe(place));
            }
            None => bump(&mut ctx.counters.late_probes),
        }
        (self.round.silent, self.round.refused) = (0, 0);
        (self.round.busy, self.round.stale) = (0, 0);
        let heard = header.generation.unwrap_or(self.generation);
        if heard > self.generation {
            self.adopt(ctx, heard);
        }
        // An answer out of an older generation: ask again, never refuse.
        if heard < self.generation {
            return false;
        }
        let back = self.find_path(ctx);
        if self.phase == Phase::Probing {
            self.read_flags(ctx, probe_idx, header);
        }
        back
    }

    /// Whether a probe was sent in the present round.
    fn is_of_round(&self, seq: u64) -> bool {
        (self.round.first_seq..self.next_seq).contains(&seq)
    }

    /// There is a path. Gives whether all were lost and are back.
    fn find_path<P>(&mut self, ctx: &mut Context<'_, P>) -> bool {
        if self.phase == Phase::BackingOff {
            ctx.timers.clear(TimerId::Round);
            self.phase = Phase::Probing;
        }
        if self.has_path {
            return false;
        }
        (self.has_path, self.has_carried_data) = (true, false);
        ctx.report(Event::PathFound {
            after: ctx.now.saturating_duration_since(self.started),
        });
        self.had_path
    }

    fn read_flags<P>(&mut self, ctx: &mut Context<'_, P>, probe_idx: u64, header: &MarsHeader) {
        if header.node_conv {
            self.rest_until_next_round(ctx);
            ctx.report(Event::Discovered {
                probes: self.probes,
                after: ctx.now.saturating_duration_since(self.started),
            });
            return;
        }
        // Once per index: copies and stragglers carry an index that is past.
        if header.tier_conv && probe_idx == self.probe_idx {
            self.probe_idx = self.probe_idx.saturating_add(1);
            self.round.probes_at_index = 0;
        }
        let plain = header.rank().is_none() && !header.tier_conv;
        self.round.plain = if plain { self.round.plain + 1 } else { 0 };
        if self.round.plain >= MAX_PLAIN {
            self.settle_for_less(ctx);
        }
    }

    /// A probe came back.
    pub(crate) fn on_nack<P>(
        &mut self,
        ctx: &mut Context<'_, P>,
        seq: u64,
        nonce: Option<u32>,
        refusal: Refusal,
    ) -> Result<(), GiveUp> {
        let Some((place, probe)) = self
            .window
            .flying(seq)
            .filter(|(_, probe)| nonce.is_none_or(|n| n == probe.nonce))
        else {
            bump(&mut ctx.counters.stray_nacks);
            // It comes late, but it comes: somebody is there, who needs more time than the probe had.
            if refusal == Refusal::Busy && self.is_of_round(seq) {
                self.round.silent = 0;
                self.round.busy = self.round.busy.saturating_add(1);
            }
            return Ok(());
        };
        bump(&mut ctx.counters.probe_nacks);
        self.window.set(place, ProbeSlot::Free);
        ctx.timers.clear(TimerId::Probe(place));
        self.round.silent = 0;
        let window = ctx.config.probe_window;
        match refusal {
            // It was sent before the last jump and says nothing of the present generation.
            Refusal::Stale(_) if probe.generation < self.generation => Ok(()),
            Refusal::Stale(heard) if heard > self.generation && self.round.stale < MAX_STALE => {
                let stale = self.round.stale + 1;
                self.adopt(ctx, heard);
                self.round.stale = stale;
                Ok(())
            }
            Refusal::Busy => {
                self.round.busy = self.round.busy.saturating_add(1);
                let rounds = self.round.busy.saturating_add(u32::from(window));
                self.rest(ctx, place, between_probes(rounds, window));
                Ok(())
            }
            Refusal::NoRoute | Refusal::Duplicate | Refusal::Stale(_) | Refusal::Other => {
                self.round.refused = self.round.refused.saturating_add(1);
                if self.round.refused >= ctx.config.max_refused_probes {
                    return self.stall(ctx);
                }
                self.rest(ctx, place, between_probes(self.round.refused, window));
                Ok(())
            }
        }
    }

    /// Looks for paths again, within the generation.
    pub(crate) fn rediscover<P>(&mut self, ctx: &mut Context<'_, P>) {
        if self.phase == Phase::Quiet {
            self.renew(ctx);
        }
    }

    /// Data Interests find no route any more. If object Data had come over the paths, they are looked
    /// for again within the generation; paths that never carried any are not worth that.
    pub(crate) fn path_lost<P>(&mut self, ctx: &mut Context<'_, P>) -> Result<(), GiveUp> {
        if self.phase == Phase::Off {
            return Ok(());
        }
        (self.has_path, self.had_path) = (false, true);
        ctx.report(Event::PathLost);
        if self.has_carried_data {
            self.renew(ctx);
            Ok(())
        } else {
            self.next_generation(ctx)
        }
    }

    /// A round within the generation. Its index is a new one, which makes forwarders that had
    /// converged look again.
    fn renew<P>(&mut self, ctx: &mut Context<'_, P>) {
        (self.started, self.probes) = (ctx.now, 0);
        let index = self.probe_idx.saturating_add(1);
        self.begin_round(ctx, index);
    }

    fn begin_round<P>(&mut self, ctx: &mut Context<'_, P>, probe_idx: u64) {
        self.end_round(ctx);
        self.phase = Phase::Probing;
        self.probe_idx = probe_idx;
        self.round = Round {
            first_seq: self.next_seq,
            ..Round::default()
        };
    }

    /// A forwarder works in a newer generation: so does the consumer, from its next probe on. Probes
    /// in flight stay: their answers count if they come out of the new generation.
    fn adopt<P>(&mut self, ctx: &mut Context<'_, P>, heard: u32) {
        bump(&mut ctx.counters.adopted_generations);
        self.generation = adopt(self.generation, heard);
        self.probe_idx = 0;
        self.round = Round {
            first_seq: self.round.first_seq,
            probes: self.round.probes,
            ..Round::default()
        };
    }

    /// The round leads nowhere further.
    fn stall<P>(&mut self, ctx: &mut Context<'_, P>) -> Result<(), GiveUp> {
        if self.has_path {
            self.settle_for_less(ctx);
            Ok(())
        } else {
            self.next_generation(ctx)
        }
    }

    fn settle_for_less<P>(&mut self, ctx: &mut Context<'_, P>) {
        self.rest_until_next_round(ctx);
        ctx.report(Event::DiscoveryStalled {
            probes: self.probes,
            after: ctx.now.saturating_duration_since(self.started),
        });
    }

    fn next_generation<P>(&mut self, ctx: &mut Context<'_, P>) -> Result<(), GiveUp> {
        if self.generations >= ctx.config.max_generations || self.generation == u32::MAX {
            return Err(GiveUp::Unreachable);
        }
        self.generations += 1;
        self.end_round(ctx);
        self.phase = Phase::BackingOff;
        let rest = before_generation(self.generations, ctx.rng);
        ctx.timers.set(TimerId::Round, ctx.now + rest);
        Ok(())
    }

    /// The round is over; while there is an object to fetch, another follows.
    fn rest_until_next_round<P>(&mut self, ctx: &mut Context<'_, P>) {
        self.end_round(ctx);
        if ctx.config.object != Object::Nothing {
            let at = ctx.now + ctx.config.rediscovery;
            ctx.timers.set(TimerId::Round, at);
        }
    }

    /// Forgets the probes in flight and stops all timers.
    fn end_round<P>(&mut self, ctx: &mut Context<'_, P>) {
        self.phase = Phase::Quiet;
        for place in 0..ctx.config.probe_window {
            self.window.set(place, ProbeSlot::Free);
            ctx.timers.clear(TimerId::Probe(place));
        }
        ctx.timers.clear(TimerId::Round);
    }

    fn rest<P>(&mut self, ctx: &mut Context<'_, P>, place: u8, rest: Duration) {
        if !rest.is_zero() {
            self.window.set(place, ProbeSlot::Resting);
            ctx.timers.set(TimerId::Probe(place), ctx.now + rest);
        }
    }
}
