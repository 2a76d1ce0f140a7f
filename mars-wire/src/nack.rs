//! Why an Interest came back: the reason of `NDNLPv2`, and the finer detail of MARS.

use crate::link_header::is_ignorable;
use crate::tlv::{Element, element_len, number, number_element_len};
use crate::types::{NACK, NACK_REASON};
use crate::usual::Usual;
use crate::writer::Writer;
use crate::{DecodeError, ErrorKind};

/// Why an Interest was refused, in MARS terms (flag bit 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NackDetail {
    /// 1: the edge would break the rank order.
    Order,
    /// 2: the sender has no path.
    NoRoute,
    /// 3: the sender saw this nonce on another face.
    Duplicate,
    /// 4: the requester works in an old generation; `generation` carries the current one.
    Stale,
    /// 5: the sender's Interest queue for this dest is full.
    QueueFull,
}

/// The `NackReason` of `NDNLPv2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NackReason {
    /// No reason given.
    None,
    /// 50.
    Congestion,
    /// 100.
    Duplicate,
    /// 150.
    NoRoute,
    /// Any other number, kept.
    Other(u64),
}

impl NackReason {
    /// From the number on the wire.
    #[must_use]
    pub const fn from_code(code: u64) -> Self {
        match code {
            50 => Self::Congestion,
            100 => Self::Duplicate,
            150 => Self::NoRoute,
            other => Self::Other(other),
        }
    }

    /// The number on the wire; `None` if no `NackReason` is sent at all.
    #[must_use]
    pub const fn code(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Congestion => Some(50),
            Self::Duplicate => Some(100),
            Self::NoRoute => Some(150),
            Self::Other(code) => Some(code),
        }
    }

    /// Decodes the value of a Nack header if there is nothing unusual about it.
    #[inline(never)]
    pub(crate) fn usual(value: &[u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        let reason = match inside.wide(NACK_REASON) {
            Some(code) => Self::from_code(number(code)?),
            None => Self::None,
        };
        inside.is_empty().then_some(reason)
    }

    /// The reason inside a Nack header.
    pub(crate) fn read(nack: Element<'_>) -> Result<Self, DecodeError> {
        let mut reader = nack.inside();
        let mut reason = None;
        while !reader.is_empty() {
            let element = reader.element()?;
            match element.typ {
                NACK_REASON if reason.is_none() => {
                    reason = Some(Self::from_code(element.number()?));
                }
                unknown if is_ignorable(unknown) => {}
                _ => return Err(element.error(ErrorKind::Critical)),
            }
        }
        Ok(reason.unwrap_or(Self::None))
    }

    fn value_len(self) -> usize {
        self.code()
            .map_or(0, |code| number_element_len(NACK_REASON, code))
    }

    pub(crate) fn encoded_len(self) -> usize {
        element_len(NACK, self.value_len())
    }

    pub(crate) fn write(self, w: &mut Writer<'_>) {
        w.head(NACK, self.value_len());
        if let Some(code) = self.code() {
            w.number(NACK_REASON, code);
        }
    }
}

impl NackDetail {
    /// From the octet on the wire; `None` for a number that this version does not know.
    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Order),
            2 => Some(Self::NoRoute),
            3 => Some(Self::Duplicate),
            4 => Some(Self::Stale),
            5 => Some(Self::QueueFull),
            _ => None,
        }
    }

    /// The octet on the wire.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Order => 1,
            Self::NoRoute => 2,
            Self::Duplicate => 3,
            Self::Stale => 4,
            Self::QueueFull => 5,
        }
    }

    /// The `NDNLPv2` reason that goes with it, so that plain NDN neighbours understand.
    #[must_use]
    pub const fn reason(self) -> NackReason {
        match self {
            Self::Order | Self::NoRoute => NackReason::NoRoute,
            Self::Duplicate => NackReason::Duplicate,
            Self::Stale | Self::QueueFull => NackReason::Congestion,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_and_their_numbers() {
        let table = [
            (NackReason::None, None),
            (NackReason::Congestion, Some(50)),
            (NackReason::Duplicate, Some(100)),
            (NackReason::NoRoute, Some(150)),
            (NackReason::Other(0), Some(0)),
            (NackReason::Other(51), Some(51)),
        ];
        for (reason, code) in table {
            assert_eq!(reason.code(), code);
            assert_eq!(code.map_or(NackReason::None, NackReason::from_code), reason);
        }
    }

    #[test]
    fn details_their_numbers_and_reasons() {
        let table = [
            (NackDetail::Order, 1, NackReason::NoRoute),
            (NackDetail::NoRoute, 2, NackReason::NoRoute),
            (NackDetail::Duplicate, 3, NackReason::Duplicate),
            (NackDetail::Stale, 4, NackReason::Congestion),
            (NackDetail::QueueFull, 5, NackReason::Congestion),
        ];
        for (detail, code, reason) in table {
            assert_eq!(detail.code(), code);
            assert_eq!(NackDetail::from_code(code), Some(detail));
            assert_eq!(detail.reason(), reason);
        }
        assert_eq!(NackDetail::from_code(0), None);
        assert_eq!(NackDetail::from_code(6), None);
    }
}
