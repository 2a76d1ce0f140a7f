//! The controller.

use core::time::Duration;

use mars_time::Instant;

use crate::{Config, ConfigError, Error, Input, Output};

/// Where a controller is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Growing by half per round trip.
    Startup,
    /// Holding the queue at its target.
    Cruise,
}

/// One window with pacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    config: Config,
    window: u32,
    in_flight: u32,
    now: Instant,
}

impl Controller {
    /// A controller at its initial window.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        Ok(Self {
            config,
            window: config.initial_window,
            in_flight: 0,
            now,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// [`Error::NothingInFlight`] for a slot given back that nobody holds.
    pub fn handle_input(&mut self, now: Instant, input: Input) -> Result<(), Error> {
        self.now = self.now.max(now);
        match input {
            Input::Sent => self.in_flight = self.in_flight.saturating_add(1),
            Input::Timeout | Input::Reset => {}
            _ => {
                self.in_flight = self
                    .in_flight
                    .checked_sub(1)
                    .ok_or(Error::NothingInFlight)?
            }
        }
        Ok(())
    }

    /// Takes the next changed setting, at last the wake-up time.
    pub fn poll_output(&mut self) -> Output {
        Output::Timeout(None)
    }

    /// Packets that may be in flight, rounded up, at least 1.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.window
    }

    /// Packets in flight.
    #[must_use]
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Earliest time at which pacing lets the next packet go.
    #[must_use]
    pub const fn next_send(&self) -> Instant {
        Instant::ZERO
    }

    /// Whether window and pacing let a packet go at `now`.
    #[must_use]
    pub fn can_send(&self, now: Instant) -> bool {
        self.in_flight < self.window && now >= self.next_send()
    }

    /// Startup or cruise.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        Phase::Startup
    }

    /// Smoothed round-trip time, `None` before the first sample.
    #[must_use]
    pub const fn srtt(&self) -> Option<Duration> {
        None
    }
}
