//! Quantities as users write them: checked where they are read, exact where they are used.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Deserializer, de};

/// A chance, held in 2^-32 parts so that no decision of a run touches a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Probability(u64);

impl Probability {
    const ONE: u64 = 1 << 32;
    /// Never.
    pub const ZERO: Self = Self(0);

    /// `numerator / denominator`, at most 1.
    #[must_use]
    pub const fn from_ratio(numerator: u32, denominator: u32) -> Self {
        let parts = (numerator as u64) << 32;
        let parts = match parts.checked_div(denominator as u64) {
            Some(parts) => parts,
            None => 0,
        };
        Self(if parts > Self::ONE { Self::ONE } else { parts })
    }

    /// From a float, if it is one from 0 to 1.
    ///
    /// # Errors
    /// What was expected.
    pub fn from_float(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let parts = (value * Self::ONE as f64).round() as u64;
            Ok(Self(parts))
        } else {
            Err(format!("expected a probability from 0 to 1, got {value}"))
        }
    }

    /// As a float, for people.
    #[must_use]
    pub fn to_float(self) -> f64 {
        self.0 as f64 / Self::ONE as f64
    }

    /// Draws once, unless it is zero: then nothing is drawn.
    pub(crate) fn strikes(self, rng: &mut ChaCha8Rng) -> bool {
        self.0 != 0 && u64::from(rng.next_u32()) < self.0
    }
}

impl FromStr for Probability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value = text
            .parse::<f64>()
            .map_err(|_| format!("expected a probability from 0 to 1, got `{text}`"))?;
        Self::from_float(value)
    }
}

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::from_float(value).map_err(de::Error::custom)
    }
}

/// A count of octets: `36000000`, `36MB`, `500kB`, `2GB` (decimal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Octets(pub u64);

impl FromStr for Octets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SUFFIXES: [(&str, u64); 7] = [
            ("kB", 1_000),
            ("MB", 1_000_000),
            ("GB", 1_000_000_000),
            ("k", 1_000),
            ("M", 1_000_000),
            ("G", 1_000_000_000),
            ("", 1),
        ];
        let wrong = || format!("expected octets as in 36000000, 500kB or 36MB, got `{text}`");
        let (digits, unit) = SUFFIXES
            .iter()
            .find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)))
            .ok_or_else(wrong)?;
        let count = digits.trim().parse::<u64>().map_err(|_| wrong())?;
        count.checked_mul(unit).map(Self).ok_or_else(wrong)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Octets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("octets as in 36000000, \"500kB\" or \"36MB\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Octets, E> {
                u64::try_from(value)
                    .map(Octets)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Octets, E> {
                Ok(Octets(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Octets, E> {
                value.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Draws for the choices that are made before a run, on a stream apart from all that a run draws.
pub(crate) fn choices(seed: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX - 1);
    rng
}

/// A number, or an even draw per run from a range: `8`, `4..25` (both ends count).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Least.
    pub low: u32,
    /// Greatest.
    pub high: u32,
}

impl Span {
    /// Just one number.
    #[must_use]
    pub const fn one(n: u32) -> Self {
        Self { low: n, high: n }
    }

    /// An even draw; nothing is drawn if there is no choice.
    pub(crate) fn draw(self, rng: &mut ChaCha8Rng) -> u32 {
        if self.low >= self.high {
            return self.low;
        }
        self.low + below(rng, self.high - self.low + 1)
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a number as in 8, or a range as in 4..25, got `{text}`");
        let number = |part: &str| part.trim().parse::<u32>().map_err(|_| wrong());
        let span = match text.split_once("..") {
            Some((low, high)) => Self {
                low: number(low)?,
                high: number(high.trim_start_matches('='))?,
            },
            None => Self::one(number(text)?),
        };
        if span.low > span.high {
            return Err(wrong());
        }
        Ok(span)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number as in 8, or a range as in \"4..25\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Span, E> {
                u32::try_from(value)
                    .map(Span::one)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Span, E> {
                value.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// An even draw from `0..bound`; `bound` at least 1.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    let scaled = (u64::from(rng.next_u32()) * u64::from(bound)) >> 32;
    u32::try_from(scaled).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_take_decimal_suffixes() {
        for (text, octets) in [
            ("0", 0),
            ("36000000", 36_000_000),
            ("36MB", 36_000_000),
            ("36M", 36_000_000),
            ("500kB", 500_000),
            ("2 GB", 2_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Octets(octets)), "{text}");
        }
        for text in [
            "",
            "MB",
            "-1",
            "1.5MB",
            "36 XB",
            "99999999999999999999",
            "18446744073709551615k",
        ] {
            assert!(text.parse::<Octets>().is_err(), "{text}");
        }
    }

    #[test]
    fn probabilities_are_from_0_to_1() {
        assert_eq!("0.5".parse(), Ok(Probability::from_ratio(1, 2)));
        assert_eq!("1".parse(), Ok(Probability::from_ratio(1, 1)));
        for text in ["2.0", "-0.1", "NaN", "inf", "x", ""] {
            assert!(text.parse::<Probability>().is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_numbers_or_ranges() {
        assert_eq!("8".parse(), Ok(Span::one(8)));
        assert_eq!("4..25".parse(), Ok(Span { low: 4, high: 25 }));
        assert_eq!("4..=25".parse(), Ok(Span { low: 4, high: 25 }));
        for text in ["25..4", "a", "1..b", ""] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
