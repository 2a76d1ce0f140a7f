//! The machine.

use core::marker::PhantomData;

use mars_time::Instant;
use mars_wire::{Name, Rank};

use crate::{Config, ConfigError, Error, FaceId, Input, Output};

/// One forwarder.
#[derive(Clone, Debug)]
pub struct Forwarder<P> {
    config: Config,
    packet: PhantomData<fn() -> P>,
}

/// What a forwarder holds about one dest, for inspection.
#[derive(Clone, Copy, Debug)]
pub struct DestView<'a, P> {
    forwarder: &'a Forwarder<P>,
}

/// One valid upstream face of a dest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// The face.
    pub face: FaceId,
    /// Its hop count by routing.
    pub hops: u32,
    /// Closest rank learnt from it; `None`: plain NDN.
    pub rank: Option<Rank>,
}

impl<P: Clone> Forwarder<P> {
    /// A forwarder without faces and routes.
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

    /// What it holds about `dest`, if anything.
    #[must_use]
    pub fn dest(&self, dest: Name<'_>) -> Option<DestView<'_, P>> {
        let _ = dest;
        Some(DestView { forwarder: self })
    }
}

impl<P> DestView<'_, P> {
    /// The node's own rank, if it has a label.
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        None
    }

    /// Generation that the node works in.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.forwarder.config.max_faces
    }

    /// Valid upstream faces, shortest tier first.
    pub fn valid_upstreams(&self) -> impl Iterator<Item = Upstream> + '_ {
        core::iter::empty()
    }

    /// Interests that wait for release.
    #[must_use]
    pub fn queue_len(&self) -> usize {
        0
    }

    /// Whether discovery has converged here.
    #[must_use]
    pub fn converged(&self) -> bool {
        false
    }
}
