//! What a controller sets. Settings are coalesced: only the latest value of each is reported.

use core::time::Duration;

use mars_time::Instant;

/// One setting, or the next wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output {
    /// Packets that may be in flight.
    Window(u32),
    /// Time between two packets at the present window.
    Gap(Duration),
    /// Nothing more to report; call again at this time, if any.
    Timeout(Option<Instant>),
}
