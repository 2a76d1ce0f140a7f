//! Reading of elements: TYPE, LENGTH, VALUE.
//!
//! A [`Reader`] is a slice that shrinks from the front; it has no index to get wrong. It knows the
//! offset of its end in the input, so the offset of any fault is a subtraction. LENGTH is checked
//! against what remains before anything else is done with it.

use crate::{DecodeError, ErrorKind};

/// Octets of `n` as a VAR-NUMBER.
pub(crate) const fn var_len(n: u64) -> usize {
    match n {
        0..=252 => 1,
        253..=0xFFFF => 3,
        0x1_0000..=0xFFFF_FFFF => 5,
        _ => 9,
    }
}

/// Octets of `n` as a `NonNegativeInteger` in its shortest form.
pub(crate) const fn number_len(n: u64) -> usize {
    match n {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    }
}

/// Octets of an element whose value has `value` octets.
pub(crate) const fn element_len(typ: u32, value: usize) -> usize {
    var_len(typ as u64) + var_len(value as u64) + value
}

/// Octets of an element whose value is the `NonNegativeInteger` `n`.
pub(crate) const fn number_element_len(typ: u32, n: u64) -> usize {
    element_len(typ, number_len(n))
}

/// A `NonNegativeInteger`: exactly 1, 2, 4 or 8 octets.
#[inline(always)]
pub(crate) fn number(value: &[u8]) -> Option<u64> {
    Some(match value.len() {
        1 => u8::from_be_bytes(value.try_into().ok()?).into(),
        2 => u16::from_be_bytes(value.try_into().ok()?).into(),
        4 => u32::from_be_bytes(value.try_into().ok()?).into(),
        8 => u64::from_be_bytes(value.try_into().ok()?),
        _ => return None,
    })
}

/// Whether an element that is unknown, repeated or out of order must not be skipped.
pub(crate) const fn is_critical(typ: u32) -> bool {
    typ <= 31 || typ % 2 == 1
}

/// One element, its LENGTH checked. Where it stands is kept as the lengths that the reader had at
/// hand, and turned into an offset only when somebody asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    pub(crate) typ: u32,
    pub(crate) value: &'a [u8],
    /// Octets from its TYPE to the end of the reader.
    before: usize,
    /// Octets behind it, to the end of the reader.
    behind: usize,
    /// Offset in the input of the end of the reader.
    end: usize,
}

impl<'a> Element<'a> {
    /// Offset in the input of its TYPE.
    #[inline(always)]
    pub(crate) const fn offset(self) -> usize {
        self.end.wrapping_sub(self.before)
    }

    /// The fault `kind` of this element.
    #[inline(always)]
    pub(crate) const fn error(self, kind: ErrorKind) -> DecodeError {
        DecodeError {
            offset: self.offset(),
            kind,
        }
    }

    /// Octets that it takes with its TYPE and LENGTH.
    #[inline(always)]
    pub(crate) const fn encoded_len(self) -> usize {
        self.before.wrapping_sub(self.behind)
    }

    /// A reader of the elements inside.
    #[inline(always)]
    pub(crate) const fn inside(self) -> Reader<'a> {
        Reader {
            rest: self.value,
            end: self.end.wrapping_sub(self.behind),
        }
    }

    /// The value as a `NonNegativeInteger`.
    #[inline(always)]
    pub(crate) fn number(self) -> Result<u64, DecodeError> {
        number(self.value).ok_or(self.error(ErrorKind::BadLength))
    }

    /// The value as exactly `N` octets.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(self) -> Result<[u8; N], DecodeError> {
        <[u8; N]>::try_from(self.value).map_err(|_| self.error(ErrorKind::BadLength))
    }

    /// The value as no octets at all.
    #[inline(always)]
    pub(crate) const fn empty(self) -> Result<bool, DecodeError> {
        if self.value.is_empty() {
            Ok(true)
        } else {
            Err(self.error(ErrorKind::BadLength))
        }
    }

    /// Passes over an element that is not wanted here, unless it is critical.
    #[inline(always)]
    pub(crate) const fn skip(self) -> Result<(), DecodeError> {
        if is_critical(self.typ) {
            Err(self.error(ErrorKind::Critical))
        } else {
            Ok(())
        }
    }
}

/// TYPE and LENGTH of an element.
#[derive(Clone, Copy)]
struct Head {
    typ: u32,
    /// Octets that the two take.
    octets: usize,
    /// Octets of the value.
    value: usize,
}

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Offset in the input of the end of `rest`.
    end: usize,
}

impl<'a> Reader<'a> {
    /// Reads `octets` from their start.
    #[inline(always)]
    pub(crate) const fn new(octets: &'a [u8]) -> Self {
        Self {
            rest: octets,
            end: octets.len(),
        }
    }

    /// What is left.
    #[inline(always)]
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Offset in the input of what is left.
    #[inline(always)]
    pub(crate) const fn offset(&self) -> usize {
        self.end.wrapping_sub(self.rest.len())
    }

    /// The fault `kind` of what comes next.
    #[inline(always)]
    pub(crate) const fn error(&self, kind: ErrorKind) -> DecodeError {
        DecodeError {
            offset: self.offset(),
            kind,
        }
    }

    /// The next element.
    #[inline(always)]
    pub(crate) fn element(&mut self) -> Result<Element<'a>, DecodeError> {
        // One octet each of TYPE and LENGTH: nearly every element of nearly every packet.
        let head = match *self.rest {
            [typ @ 1..=252, len @ 0..=252, ..] => Head {
                typ: typ.into(),
                octets: 2,
                value: len.into(),
            },
            _ => self.long_head()?,
        };
        let before = self.rest.len();
        if let Some((_, behind)) = self.rest.split_at_checked(head.octets)
            && let Some((value, behind)) = behind.split_at_checked(head.value)
        {
            self.rest = behind;
            return Ok(Element {
                typ: head.typ,
                value,
                before,
                behind: behind.len(),
                end: self.end,
            });
        }
        Err(self.error(ErrorKind::Truncated))
    }

    /// TYPE and LENGTH in every form that is not the usual one. It takes the reader by value, so
    /// that the usual case keeps it in registers.
    #[cold]
    #[inline(never)]
    fn long_head(mut self) -> Result<Head, DecodeError> {
        let start = self;
        let typ = u32::try_from(self.var()?)
            .ok()
            .filter(|typ| *typ != 0)
            .ok_or(start.error(ErrorKind::BadType))?;
        // A length that does not fit in memory is one that reaches too far.
        let value = usize::try_from(self.var()?).unwrap_or(usize::MAX);
        let octets = start.rest.len().wrapping_sub(self.rest.len());
        Ok(Head { typ, octets, value })
    }

    /// Passes over elements with one octet each of TYPE and LENGTH, up to one of a lesser type than
    /// `least`, or of another form, or faulty.
    #[inline(always)]
    pub(crate) fn pass_short(&mut self, least: u8) {
        while let [typ, len @ 0..=252, rest @ ..] = self.rest
            && (least..=252).contains(typ)
            && let Some(rest) = rest.get(usize::from(*len)..)
        {
            self.rest = rest;
        }
    }

    /// A VAR-NUMBER.
    fn var(&mut self) -> Result<u64, DecodeError> {
        let mut next = *self;
        let truncated = self.error(ErrorKind::Truncated);
        let [first] = next.take().ok_or(truncated)?;
        let (n, least) = match first {
            0xFD => (
                u16::from_be_bytes(next.take().ok_or(truncated)?).into(),
                253,
            ),
            0xFE => (
                u32::from_be_bytes(next.take().ok_or(truncated)?).into(),
                1 << 16,
            ),
            0xFF => (u64::from_be_bytes(next.take().ok_or(truncated)?), 1 << 32),
            n => (n.into(), 0),
        };
        if n < least {
            return Err(self.error(ErrorKind::NonMinimal));
        }
        *self = next;
        Ok(n)
    }

    /// The next `N` octets.
    #[inline(always)]
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (octets, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*octets)
    }

    /// The one element that `octets` consist of: a datagram is consumed whole or refused.
    #[inline(always)]
    pub(crate) fn datagram(octets: &'a [u8]) -> Result<Element<'a>, DecodeError> {
        let mut reader = Self::new(octets);
        if octets.len() > crate::MAX_PACKET {
            return Err(reader.error(ErrorKind::TooLong));
        }
        let element = reader.element()?;
        if reader.is_empty() {
            Ok(element)
        } else {
            Err(reader.error(ErrorKind::Trailing))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Type and length of value; or offset and kind.
    type Verdict = Result<(u32, usize), (usize, ErrorKind)>;

    fn read(octets: &[u8]) -> Verdict {
        let mut reader = Reader::new(octets);
        match reader.element() {
            Ok(element) => Ok((element.typ, element.value.len())),
            Err(error) => Err((error.offset, error.kind)),
        }
    }

    #[test]
    fn every_form_of_type_and_length() {
        use ErrorKind::{BadType, NonMinimal, Truncated};
        let table: &[(&[u8], Verdict)] = &[
            (&[], Err((0, Truncated))),
            (&[5], Err((1, Truncated))),
            (&[5, 0], Ok((5, 0))),
            (&[5, 1], Err((0, Truncated))),
            (&[5, 1, 9], Ok((5, 1))),
            (&[0, 0], Err((0, BadType))),
            (&[252, 0], Ok((252, 0))),
            (&[0xFD, 0, 252, 0], Err((0, NonMinimal))),
            (&[0xFD, 0, 253, 0], Ok((253, 0))),
            (&[0xFD, 0], Err((0, Truncated))),
            (&[0xFE, 0, 0, 0xFF, 0xFF, 0], Err((0, NonMinimal))),
            (&[0xFE, 0, 1, 0, 0, 0], Ok((0x1_0000, 0))),
            (&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0], Ok((0xFFFF_FFFF, 0))),
            (
                &[0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0],
                Err((0, NonMinimal)),
            ),
            (&[0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0], Err((0, BadType))),
            (&[5, 0xFD, 0, 1, 9], Err((1, NonMinimal))),
            (&[5, 0xFD, 0, 253, 9], Err((0, Truncated))),
            (&[5, 0xFE, 0, 0, 0, 1, 9], Err((1, NonMinimal))),
            (&[5, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 9], Err((1, NonMinimal))),
            (&[5, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], Err((0, Truncated))),
            (
                &[5, 0xFF, 255, 255, 255, 255, 255, 255, 255, 255],
                Err((0, Truncated)),
            ),
        ];
        for (octets, verdict) in table {
            assert_eq!(read(octets), *verdict, "{octets:02x?}");
        }
    }

    #[test]
    fn number_widths() {
        assert_eq!(number(&[]), None);
        assert_eq!(number(&[253]), Some(253), "not a VAR-NUMBER");
        assert_eq!(number(&[1, 0]), Some(256));
        assert_eq!(number(&[0; 3]), None);
        assert_eq!(
            number(&[0, 0, 0, 7]),
            Some(7),
            "longer than needed is legal"
        );
        assert_eq!(number(&[255; 8]), Some(u64::MAX));
        assert_eq!(number(&[0; 9]), None);
        for (n, octets) in [(255, 1), (256, 2), (65_535, 2), (65_536, 4), (1 << 32, 8)] {
            assert_eq!(number_len(n), octets, "{n}");
        }
    }
}
