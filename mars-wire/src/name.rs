//! Borrowed names: a validated run of component TLVs.

use core::cmp::Ordering;

use crate::tlv::{Element, Reader};
use crate::usual::is_plain_name;
use crate::{Component, DecodeError, ErrorKind};

/// A name, borrowed: the TLV-VALUE of a Name element, every component of it checked and in minimal
/// form, so that equality is equality of octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Name<'a> {
    value: &'a [u8],
}

impl<'a> Name<'a> {
    /// The name of no components.
    pub const EMPTY: Name<'static> = Name { value: &[] };

    /// Checks the TLV-VALUE of a Name element.
    ///
    /// # Errors
    /// What is wrong with the first faulty component, with its offset in `value`.
    pub fn from_value(value: &'a [u8]) -> Result<Self, DecodeError> {
        if !is_plain_name(value) {
            count_digests(Reader::new(value))?;
        }
        Ok(Self { value })
    }

    /// The name inside `element`, and how many of its components are a `ParametersSha256Digest`.
    pub(crate) fn read(element: Element<'a>) -> Result<(Self, usize), DecodeError> {
        let value = element.value;
        let digests = if is_plain_name(value) {
            0
        } else {
            count_digests(element.inside())?
        };
        Ok((Self { value }, digests))
    }

    /// How many components are a `ParametersSha256Digest`. It walks the name.
    #[inline(always)]
    pub(crate) fn parameters_digests(self) -> usize {
        if is_plain_name(self.value) {
            0
        } else {
            count_digests(Reader::new(self.value)).unwrap_or(0)
        }
    }

    /// For octets that were checked before.
    pub(crate) const fn trusted(value: &'a [u8]) -> Self {
        Self { value }
    }

    /// The TLV-VALUE octets.
    #[must_use]
    pub const fn as_value(self) -> &'a [u8] {
        self.value
    }

    /// Whether there is no component.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.value.is_empty()
    }

    /// The components, first to last.
    #[must_use]
    pub const fn components(self) -> Components<'a> {
        Components {
            value: self.value,
            rest: Reader::new(self.value),
        }
    }

    /// How many components there are. It walks the name.
    #[must_use]
    pub fn component_count(self) -> usize {
        self.components().count()
    }

    /// The last component, if there is one. It walks the name.
    #[must_use]
    pub fn last(self) -> Option<Component<'a>> {
        self.components().last()
    }

    /// The first `count` components; all of them if there are not as many.
    #[must_use]
    pub fn prefix(self, count: usize) -> Self {
        let mut components = self.components();
        for _ in 0..count {
            if components.next().is_none() {
                break;
            }
        }
        components.consumed()
    }

    /// Whether `prefix` is a prefix of (or equal to) this name.
    #[must_use]
    pub fn starts_with(self, prefix: Name<'_>) -> bool {
        self.value.starts_with(prefix.value)
    }
}

/// The least type that is no digest, and so has a value of any length.
pub(crate) const LEAST_PLAIN: u8 = 3;

/// Checks components up to the end; says how many are a `ParametersSha256Digest`.
#[inline(never)]
fn count_digests(mut reader: Reader<'_>) -> Result<usize, DecodeError> {
    let mut digests = 0;
    loop {
        reader.pass_short(LEAST_PLAIN);
        if reader.is_empty() {
            return Ok(digests);
        }
        let component = read_component(&mut reader)?;
        digests += usize::from(component.typ() == Component::PARAMETERS_DIGEST);
    }
}

/// Reads one component. A digest has 32 octets, everything else any number.
#[inline(always)]
pub(crate) fn read_component<'a>(reader: &mut Reader<'a>) -> Result<Component<'a>, DecodeError> {
    let element = reader.element()?;
    match u16::try_from(element.typ) {
        Err(_) => Err(element.error(ErrorKind::BadType)),
        Ok(Component::IMPLICIT_DIGEST | Component::PARAMETERS_DIGEST)
            if element.value.len() != 32 =>
        {
            Err(element.error(ErrorKind::BadLength))
        }
        Ok(typ) => Ok(Component::trusted(typ, element.value)),
    }
}

/// Iterator over the components of a [`Name`].
#[derive(Clone, Debug)]
pub struct Components<'a> {
    value: &'a [u8],
    rest: Reader<'a>,
}

impl<'a> Components<'a> {
    /// The part of the name that was passed over so far.
    #[must_use]
    pub fn consumed(&self) -> Name<'a> {
        Name::trusted(self.value.get(..self.rest.offset()).unwrap_or_default())
    }

    /// The part of the name that is still to come.
    #[must_use]
    pub fn remaining(&self) -> Name<'a> {
        Name::trusted(self.rest.rest())
    }
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        read_component(&mut self.rest).ok()
    }
}

impl Ord for Name<'_> {
    /// Canonical order: component by component by type, then length, then octets; a proper prefix
    /// sorts first. Because types and lengths are in shortest form, that is the order of the octets.
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(other.value)
    }
}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(value: &[u8]) -> Name<'_> {
        Name::from_value(value).unwrap()
    }

    /// From least to greatest: the empty name, types, then lengths, then octets, then depth.
    const SORTED: [&[u8]; 11] = [
        &[],
        &[8, 0],
        &[8, 0, 8, 0],
        &[8, 1, 0],
        &[8, 1, 1],
        &[8, 1, 1, 8, 0],
        &[8, 1, 255],
        &[8, 2, 0, 0],
        &[252, 1, 0],
        &[0xFD, 0, 253, 0],
        &[0xFD, 1, 0, 0],
    ];

    #[test]
    fn canonical_order() {
        for (i, a) in SORTED.iter().enumerate() {
            for (j, b) in SORTED.iter().enumerate() {
                assert_eq!(name(a).cmp(&name(b)), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn long_values_sort_after_short_ones() {
        let mut long = [0; 257];
        long[..4].copy_from_slice(&[8, 0xFD, 0, 253]);
        let mut short = [255; 254];
        short[..2].copy_from_slice(&[8, 252]);
        assert!(name(&long) > name(&short));
    }

    #[test]
    fn prefixes() {
        let abc = name(&[8, 1, b'a', 8, 1, b'b', 50, 1, 7]);
        assert_eq!(abc.component_count(), 3);
        assert_eq!(abc.last().and_then(Component::to_segment), Some(7));
        assert_eq!(abc.prefix(0), Name::EMPTY);
        assert_eq!(abc.prefix(2), name(&[8, 1, b'a', 8, 1, b'b']));
        assert_eq!(abc.prefix(9), abc);
        assert!(abc.starts_with(abc));
        assert!(abc.starts_with(abc.prefix(1)));
        assert!(!abc.prefix(1).starts_with(abc));
        assert!(!abc.starts_with(name(&[8, 1, b'b'])));
        assert!(!name(&[8, 2, b'a', b'b']).starts_with(name(&[8, 1, b'a'])));
    }

    #[test]
    fn faults() {
        use ErrorKind::{BadLength, BadType, NonMinimal, Truncated};
        let table: [(&[u8], usize, ErrorKind); 9] = [
            (&[8], 1, Truncated),
            (&[8, 2, 0], 0, Truncated),
            (&[8, 0, 8, 1], 2, Truncated),
            (&[8, 0, 0, 0], 2, BadType),
            (&[0xFE, 0, 1, 0, 0, 0], 0, BadType),
            (&[0xFD, 0, 8, 0], 0, NonMinimal),
            (&[8, 0xFD, 0, 1, 0], 1, NonMinimal),
            (&[1, 3, 0, 0, 0], 0, BadLength),
            (&[8, 0, 2, 0], 2, BadLength),
        ];
        for (value, offset, kind) in table {
            let error = DecodeError { offset, kind };
            assert_eq!(Name::from_value(value), Err(error), "{value:?}");
        }
    }
}
