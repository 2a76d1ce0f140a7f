//! How an upstream face fares with the data Interests of one dest: after repeated refusals it
//! rests, then it is tried with one Interest at a time, and rests for twice as long if that is
//! refused, too.

use core::time::Duration;

use mars_time::Instant;

/// Refusals in a row that are too many.
const MAX_REFUSALS: u8 = 3;
/// The first rest.
const REST: Duration = Duration::from_millis(100);
/// Doublings of the rest: 6.4 s at most.
const MAX_DOUBLINGS: u8 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// In full use.
    Good {
        /// Refused in a row.
        refusals: u8,
    },
    /// Out of use until then; after that one Interest at a time finds out.
    Suspended { until: Instant, doublings: u8 },
}

impl Health {
    pub(crate) const GOOD: Self = Self::Good { refusals: 0 };

    /// Whether an Interest may go while `in_flight` others of the dest are under way over the face.
    pub(crate) fn admits(self, now: Instant, in_flight: u32) -> bool {
        match self {
            Self::Good { .. } => true,
            Self::Suspended { until, .. } => until <= now && in_flight == 0,
        }
    }

    /// When it may be tried again, if it is out of use.
    pub(crate) const fn until(self) -> Option<Instant> {
        match self {
            Self::Good { .. } => None,
            Self::Suspended { until, .. } => Some(until),
        }
    }

    /// A data Interest was refused; gives the end of the rest if that begins now. What was under
    /// way when the rest began tells nothing new.
    pub(crate) fn refused(&mut self, now: Instant) -> Option<Instant> {
        let doublings = match *self {
            Self::Good { refusals } if refusals + 1 < MAX_REFUSALS => {
                *self = Self::Good {
                    refusals: refusals + 1,
                };
                return None;
            }
            Self::Good { .. } => 0,
            Self::Suspended { until, .. } if now < until => return None,
            Self::Suspended { doublings, .. } => (doublings + 1).min(MAX_DOUBLINGS),
        };
        let until = now + REST.saturating_mul(1 << doublings);
        *self = Self::Suspended { until, doublings };
        Some(until)
    }

    /// Data came; true if that ends a suspension.
    pub(crate) fn delivered(&mut self) -> bool {
        let was = core::mem::replace(self, Self::GOOD);
        was.until().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    #[test]
    fn it_rests_for_longer_and_longer() {
        let mut health = Health::GOOD;
        let mut now = ms(1_000);
        assert_eq!([health.refused(now), health.refused(now)], [None, None]);
        for rest in [100, 200, 400, 800, 1_600, 3_200, 6_400, 6_400] {
            let until = now + Duration::from_millis(rest);
            assert_eq!(health.refused(now), Some(until));
            assert_eq!(health.until(), Some(until));
            now = until;
        }
        assert!(health.delivered());
        assert_eq!(health, Health::GOOD);
    }

    #[test]
    fn refusals_of_what_was_under_way_do_not_prolong_the_rest() {
        let mut health = Health::GOOD;
        for _ in 0..3 {
            health.refused(ms(0));
        }
        let rest = health;
        assert_eq!(health.refused(ms(99)), None);
        assert_eq!(health, rest);
    }

    #[test]
    fn one_interest_at_a_time_finds_out() {
        let mut health = Health::GOOD;
        assert!(health.admits(ms(0), 9));
        for _ in 0..3 {
            health.refused(ms(0));
        }
        for (now, in_flight, expected) in [(99, 0, false), (100, 0, true), (100, 1, false)] {
            assert_eq!(
                health.admits(ms(now), in_flight),
                expected,
                "{now} {in_flight}"
            );
        }
    }

    #[test]
    fn data_forgives_refusals() {
        let mut health = Health::Good { refusals: 2 };
        assert!(!health.delivered());
        assert_eq!(health.refused(ms(0)), None);
    }
}
