//! The machine.

use core::marker::PhantomData;

use mars_time::Instant;
use mars_wire::{Component, MarsName};

use crate::{Config, ConfigError, Error, Input, InterestSpec, Output, SpecName};

/// One consumer of one object.
#[derive(Clone, Debug)]
pub struct Consumer<P> {
    config: Config,
    packet: PhantomData<fn() -> P>,
}

impl<P: Clone> Consumer<P> {
    /// A consumer whose first outputs are ready to be polled.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        let _ = now;
        Ok(Self {
            config,
            packet: PhantomData,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// Only for faults of the caller; never for what a peer sent.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_, P>) -> Result<(), Error> {
        let _ = (now, input);
        Ok(())
    }

    /// Takes the next output. Poll until [`Output::Timeout`].
    pub fn poll_output(&mut self) -> Output<P> {
        Output::Timeout(None)
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
}
