//! The one time type of the MARS crates.
//!
//! No machine of the family reads a clock: every call is told `now` by its caller. [`Instant`] is
//! that `now`, a count of nanoseconds since an epoch that the *caller* picks (the start of the
//! process, of the simulation, of the Unix era). Spans are [`core::time::Duration`].
//!
//! ```
//! use core::time::Duration;
//! use mars_time::Instant;
//!
//! let start = Instant::from_millis(200);
//! let later = start + Duration::from_micros(1_500);
//! assert_eq!(later.saturating_duration_since(start), Duration::from_micros(1_500));
//! assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
//! assert_eq!(format!("{start:?}"), "t+200ms");
//! ```
//!
//! What it does not do: there is no `now()`, no subtraction that could fail, and no conversion
//! from `std::time::Instant`, whose epoch nobody knows.
#![no_std]

use core::fmt;
use core::ops::{Add, AddAssign};
use core::time::Duration;

/// A point in time: nanoseconds since the caller's epoch, about 584 years of them.
///
/// Arithmetic saturates at [`Instant::MAX`], so no deadline computed from hostile input can wrap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Instant {
    /// The epoch itself.
    pub const ZERO: Self = Self(0);
    /// The last representable instant.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the epoch.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The instant `micros` microseconds after the epoch, saturating.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// The instant `millis` milliseconds after the epoch, saturating.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// The instant `secs` seconds after the epoch, saturating.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Nanoseconds since the epoch.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since the epoch as a span.
    #[must_use]
    pub const fn since_epoch(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// The span from `earlier` to `self`, zero if `earlier` is later.
    #[must_use]
    pub const fn saturating_duration_since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The instant `span` before `self`, [`Instant::ZERO`] if that is before the epoch.
    #[must_use]
    pub const fn saturating_sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(span)))
    }
}

/// Nanoseconds of a span, saturating.
const fn nanos(span: Duration) -> u64 {
    span.as_secs()
        .saturating_mul(1_000_000_000)
        .saturating_add(span.subsec_nanos() as u64)
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(nanos(span)))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t+{:?}", self.since_epoch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addition_saturates() {
        assert_eq!(Instant::MAX + Duration::from_nanos(1), Instant::MAX);
        assert_eq!(Instant::ZERO + Duration::MAX, Instant::MAX);
        assert_eq!(Instant::from_secs(u64::MAX), Instant::MAX);
    }

    #[test]
    fn spans_never_go_negative() {
        let (a, b) = (Instant::from_secs(1), Instant::from_secs(3));
        assert_eq!(b.saturating_duration_since(a), Duration::from_secs(2));
        assert_eq!(a.saturating_duration_since(b), Duration::ZERO);
        assert_eq!(a.saturating_sub(Duration::MAX), Instant::ZERO);
    }
}
