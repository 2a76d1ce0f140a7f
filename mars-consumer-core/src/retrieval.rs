//! Fetching the segments: what is asked for next, and what is asked for again.
//!
//! Every Interest in flight holds one slot of the controller's window and gives it back exactly
//! once. Segments that have to be asked for again go first, lowest first, inside the same window.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::time::Duration;

use mars_cc::{Controller, Level};
use mars_time::Instant;
use mars_wire::MarsHeader;

use crate::context::Context;
use crate::counters::bump;
use crate::length::Length;
use crate::patience::Patience;
use crate::pause::after_refusal;
use crate::reassembly::Reassembly;
use crate::refusal::Refusal;
use crate::slot::{Arrived, Ask, Earlier, Flight, Slot};
use crate::timers::TimerId;
use crate::{Config, ConfigError, GiveUp, InterestSpec, Output, SpecName};

/// Refusals of one segment for congestion, which are no tries, before giving up all the same. At
/// up to one second each, that is about a minute of a forwarder that answers nothing else.
const MAX_REFUSALS: u8 = 64;

/// The retrieval of one object.
#[derive(Clone, Debug)]
pub(crate) struct Retrieval<P> {
    ring: Reassembly<P>,
    controller: Controller,
    patience: Patience,
    /// Segments to ask for again. One whose slot is no longer queued is skipped.
    ready: BinaryHeap<Reverse<u64>>,
    /// No-route Nacks since the last Data.
    no_routes: u32,
}

impl<P> Retrieval<P> {
    pub(crate) fn new(length: Length, config: &Config, now: Instant) -> Result<Self, ConfigError> {
        let cap = usize::try_from(config.reassembly).unwrap_or(usize::MAX);
        let law = mars_cc::Config::new(Level::Local);
        let controller = Controller::new(law, now).map_err(|_| ConfigError {
            field: "object",
            expected: "fetched under the default window law",
        })?;
        Ok(Self {
            ring: Reassembly::new(length, cap, config.credit, config.verify),
            controller,
            patience: Patience::new(config.min_rto, config.max_rto),
            ready: BinaryHeap::new(),
            no_routes: 0,
        })
    }

    pub(crate) const fn ring(&self) -> &Reassembly<P> {
        &self.ring
    }

    pub(crate) const fn controller(&self) -> &Controller {
        &self.controller
    }

    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.patience.srtt()
    }

    pub(crate) const fn no_routes(&self) -> u32 {
        self.no_routes
    }

    /// The paths were lost and are back: what the window was worth is not known any more.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.no_routes = 0;
        self.tell(now, mars_cc::Input::Reset);
    }

    /// The timer of a segment is due: it is lost, or its rest is over.
    pub(crate) fn on_segment_timer(
        &mut self,
        ctx: &mut Context<'_, P>,
        segment: u64,
    ) -> Result<(), GiveUp> {
        let Some(slot) = self.ring.slot(segment) else {
            return Ok(());
        };
        let ask = match *slot {
            Slot::Resting(ask) => ask,
            Slot::Flying(flight) => {
                bump(&mut ctx.counters.timeouts);
                self.patience.timed_out(ctx.now, flight.sent);
                self.tell(ctx.now, mars_cc::Input::Lost);
                flight.given_up()
            }
            Slot::Queued(_) | Slot::Held { .. } | Slot::Judged(_) | Slot::Accepted => {
                return Ok(());
            }
        };
        self.queue(ctx.config, segment, ask)
    }

    /// A Data of the object arrived. Gives whether it was wanted.
    pub(crate) fn on_data(
        &mut self,
        ctx: &mut Context<'_, P>,
        segment: u64,
        data: &crate::Data<'_>,
        packet: P,
    ) -> bool {
        let Some(ask) = self.ring.slot(segment).and_then(|slot| slot.missing()) else {
            bump(if self.ring.was_asked(segment) {
                &mut ctx.counters.duplicate_data
            } else {
                &mut ctx.counters.unsolicited_data
            });
            return false;
        };
        self.land(ctx, segment, data.header.interest_queue);
        ctx.timers.clear(TimerId::Segment(segment));
        self.no_routes = 0;
        let arrived = Arrived {
            tries: ask.tries,
            claim: data.final_segment,
        };
        self.ring.hold(segment, packet, arrived);
        if let Some(last) = data.final_segment
            && !self.ring.claim(segment, last)
        {
            bump(&mut ctx.counters.contradictory_finals);
        }
        self.cancel_beyond(ctx);
        true
    }

    /// Takes what an answer says about times and queues, and gives its window slot back.
    fn land(&mut self, ctx: &mut Context<'_, P>, segment: u64, queue: Option<u16>) {
        let now = ctx.now;
        let since = |at: Instant| now.saturating_duration_since(at);
        match self.ring.slot(segment) {
            Some(Slot::Flying(flight)) => {
                let Flight { ask, sent, .. } = *flight;
                let mut clear = None;
                match ask.earlier {
                    Earlier::Never => {
                        clear = Some(since(sent));
                        self.patience.sampled(now, since(sent));
                    }
                    Earlier::Once(at) if self.patience.too_soon(since(sent)) => {
                        bump(&mut ctx.counters.needless_timeouts);
                        self.patience.sampled(now, since(at));
                    }
                    Earlier::Once(_) | Earlier::Often => {}
                }
                self.tell(now, mars_cc::Input::Delivered { queue, rtt: clear });
            }
            Some(Slot::Queued(Ask {
                earlier: Earlier::Once(at),
                ..
            })) => {
                let rtt = since(*at);
                bump(&mut ctx.counters.needless_timeouts);
                self.patience.sampled(now, rtt);
            }
            _ => {}
        }
    }

    /// An Interest came back.
    pub(crate) fn on_nack(
        &mut self,
        ctx: &mut Context<'_, P>,
        segment: u64,
        nonce: Option<u32>,
        refusal: Refusal,
    ) -> Result<(), GiveUp> {
        let flight = match self.ring.slot(segment) {
            Some(Slot::Flying(flight)) if nonce.is_none_or(|n| n == flight.nonce) => *flight,
            _ => {
                bump(&mut ctx.counters.stray_nacks);
                return Ok(());
            }
        };
        let mut ask = flight.ask;
        ask.refusals = ask.refusals.saturating_add(1);
        ctx.timers.clear(TimerId::Segment(segment));
        let (counter, told) = match refusal {
            Refusal::Busy => (&mut ctx.counters.congestion_nacks, mars_cc::Input::Nacked),
            Refusal::NoRoute => (&mut ctx.counters.no_route_nacks, mars_cc::Input::Released),
            Refusal::Duplicate => (&mut ctx.counters.duplicate_nacks, mars_cc::Input::Released),
            Refusal::Stale(_) | Refusal::Other => {
                (&mut ctx.counters.other_nacks, mars_cc::Input::Released)
            }
        };
        bump(counter);
        self.tell(ctx.now, told);
        match refusal {
            Refusal::Busy if ask.refusals >= MAX_REFUSALS => {
                return Err(GiveUp::Retries { segment });
            }
            Refusal::Busy => ask.tries = ask.tries.saturating_sub(1),
            Refusal::NoRoute => self.no_routes = self.no_routes.saturating_add(1),
            Refusal::Duplicate => return self.queue(ctx.config, segment, ask),
            Refusal::Stale(_) | Refusal::Other => {}
        }
        if let Some(slot) = self.ring.slot(segment) {
            *slot = Slot::Resting(ask);
        }
        let rest = after_refusal(ask.refusals, self.patience.srtt());
        ctx.timers.set(TimerId::Segment(segment), ctx.now + rest);
        Ok(())
    }

    /// The reader keeps a delivered segment.
    pub(crate) fn accept(&mut self, ctx: &mut Context<'_, P>, segment: u64) {
        if !self.ring.accept(segment) {
            bump(&mut ctx.counters.contradictory_finals);
        }
        self.cancel_beyond(ctx);
    }

    /// The reader refuses a delivered segment: it is fetched again.
    pub(crate) fn reject(&mut self, ctx: &mut Context<'_, P>, segment: u64) -> Result<(), GiveUp> {
        let Some(tries) = self.ring.reject(segment) else {
            return Ok(());
        };
        bump(&mut ctx.counters.rejected);
        self.cancel_beyond(ctx);
        if tries >= ctx.config.max_tries {
            return Err(GiveUp::Retries { segment });
        }
        self.ready.push(Reverse(segment));
        Ok(())
    }

    /// The reader takes so many segments more.
    pub(crate) const fn give_credit(&mut self, segments: u64) {
        self.ring.give_credit(segments);
    }

    /// Hands over what the reader can have.
    pub(crate) fn deliver(&mut self, ctx: &mut Context<'_, P>) {
        while let Some((segment, packet)) = self.ring.deliver() {
            ctx.outputs.push_back(Output::Deliver { segment, packet });
        }
    }

    /// Sends what window and pacing allow (`open`: and the state of the paths), and arms the timer
    /// that says when to go on. The controller's settings are read where they are needed.
    pub(crate) fn pump(&mut self, ctx: &mut Context<'_, P>, open: bool) {
        while open && self.controller.can_send(ctx.now) {
            if !self.send_next(ctx) {
                break;
            }
        }
        let paced = open
            && self.controller.in_flight() < self.controller.window()
            && self.controller.next_send() > ctx.now
            && self.has_work();
        if paced {
            ctx.timers.set(TimerId::Pacing, self.controller.next_send());
        } else {
            ctx.timers.clear(TimerId::Pacing);
        }
    }

    fn send_next(&mut self, ctx: &mut Context<'_, P>) -> bool {
        let again = self.next_ready();
        let Some((segment, mut ask)) = again.or_else(|| Some((self.ring.fresh()?, Ask::default())))
        else {
            return false;
        };
        let first = ask.tries == 0 && ask.refusals == 0;
        ask.tries = ask.tries.saturating_add(1);
        let flight = Flight {
            ask,
            nonce: ctx.rng.nonce(),
            sent: ctx.now,
        };
        if again.is_some() {
            self.ready.pop();
            if let Some(slot) = self.ring.slot(segment) {
                *slot = Slot::Flying(flight);
            }
        } else {
            self.ring.launch(flight);
        }
        self.tell(ctx.now, mars_cc::Input::Sent);
        let deadline = ctx.now + self.patience.wait(ctx.now, ask.tries);
        ctx.timers.set(TimerId::Segment(segment), deadline);
        bump(&mut ctx.counters.interests);
        if !first {
            bump(&mut ctx.counters.retransmissions);
        }
        ctx.outputs.push_back(Output::Transmit {
            spec: InterestSpec {
                name: SpecName::Data { segment },
                nonce: flight.nonce,
                lifetime: ctx.config.data_lifetime,
                header: MarsHeader::default(),
            },
        });
        true
    }

    /// Retransmissions queued, and entries that there is memory for.
    #[cfg(test)]
    pub(crate) fn ready_size(&self) -> (usize, usize) {
        (self.ready.len(), self.ready.capacity())
    }

    fn has_work(&mut self) -> bool {
        self.next_ready().is_some() || self.ring.fresh().is_some()
    }

    /// The lowest segment that is to be asked for again; stays queued.
    fn next_ready(&mut self) -> Option<(u64, Ask)> {
        loop {
            let &Reverse(segment) = self.ready.peek()?;
            if let Some(Slot::Queued(ask)) = self.ring.slot(segment) {
                return Some((segment, *ask));
            }
            self.ready.pop();
        }
    }

    fn queue(&mut self, config: &Config, segment: u64, ask: Ask) -> Result<(), GiveUp> {
        if ask.tries >= config.max_tries {
            return Err(GiveUp::Retries { segment });
        }
        if let Some(slot) = self.ring.slot(segment) {
            *slot = Slot::Queued(ask);
        }
        self.ready.push(Reverse(segment));
        Ok(())
    }

    /// The object turned out shorter than what was asked for.
    fn cancel_beyond(&mut self, ctx: &mut Context<'_, P>) {
        while let Some((segment, slot)) = self.ring.pop_beyond() {
            ctx.timers.clear(TimerId::Segment(segment));
            if let Slot::Flying(_) = slot {
                self.tell(ctx.now, mars_cc::Input::Released);
            }
        }
    }

    /// Its only error is a slot given back that nobody holds, and each flight gives back its own.
    fn tell(&mut self, now: Instant, input: mars_cc::Input) {
        let told = self.controller.handle_input(now, input);
        debug_assert_eq!(told, Ok(()), "{input:?}");
    }
}
