//! What every part of the machine works with while it handles an input.

use alloc::collections::VecDeque;

use mars_time::Instant;

use crate::rng::Rng;
use crate::timers::Timers;
use crate::{Config, Counters, Event, Output};

/// Borrowed for one input.
pub(crate) struct Context<'a, P> {
    pub(crate) now: Instant,
    pub(crate) config: &'a Config,
    pub(crate) timers: &'a mut Timers,
    pub(crate) rng: &'a mut Rng,
    pub(crate) counters: &'a mut Counters,
    pub(crate) outputs: &'a mut VecDeque<Output<P>>,
}

impl<P> Context<'_, P> {
    pub(crate) fn report(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }
}
