//! Borrowed names: a validated run of component TLVs.

use core::cmp::Ordering;

use crate::tlv::{Element, Reader};
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
        let mut reader = Reader::new(value);
        while !reader.is_empty() {
            read_component(&mut reader)?;
        }
        Ok(Self { value })
    }

    /// The name inside `element`, and how many of its components are a `ParametersSha256Digest`.
    pub(crate) fn read(element: Element<'a>) -> Result<(Self, usize), DecodeError> {
        let mut reader = element.inside();
        let mut digests = 0;
        while !reader.is_empty() {
            let component = read_component(&mut reader)?;
            digests += usize::from(component.typ() == Component::PARAMETERS_DIGEST);
        }
        let value = element.value;
        Ok((Self { value }, digests))
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

    /// Whether `prefix` is a prefix of (or equal to) this name.
    #[must_use]
    pub fn starts_with(self, prefix: Name<'_>) -> bool {
        self.value.starts_with(prefix.value)
    }
}

/// Reads one component. A digest has 32 octets, everything else any number.
#[inline]
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
    /// sorts first.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |c: Component<'_>| (c.typ(), c.value().len());
        let (mut a, mut b) = (self.components(), other.components());
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(x), Some(y)) => {
                    let order = key(x).cmp(&key(y)).then_with(|| x.value().cmp(y.value()));
                    if order != Ordering::Equal {
                        return order;
                    }
                }
            }
        }
    }
}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
