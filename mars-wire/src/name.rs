//! Borrowed names: a validated run of component TLVs.

use core::cmp::Ordering;

use crate::tlv::read_var;
use crate::{DecodeError, ErrorKind};

/// One name component: a type (1 to 65535) and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component<'a> {
    typ: u16,
    value: &'a [u8],
}

impl<'a> Component<'a> {
    /// `GenericNameComponent`.
    pub const GENERIC: u16 = 8;
    /// `SegmentNameComponent`.
    pub const SEGMENT: u16 = 50;
    /// `SequenceNumNameComponent`.
    pub const SEQUENCE: u16 = 58;

    /// A generic component.
    #[must_use]
    pub const fn generic(value: &'a [u8]) -> Self {
        Self {
            typ: Self::GENERIC,
            value,
        }
    }

    /// A component of any type; `None` for type 0.
    #[must_use]
    pub const fn new(typ: u16, value: &'a [u8]) -> Option<Self> {
        if typ == 0 {
            None
        } else {
            Some(Self { typ, value })
        }
    }

    /// The TLV-TYPE.
    #[must_use]
    pub const fn typ(self) -> u16 {
        self.typ
    }

    /// The TLV-VALUE.
    #[must_use]
    pub const fn value(self) -> &'a [u8] {
        self.value
    }

    /// The value as a `NonNegativeInteger` of 1, 2, 4 or 8 octets.
    #[must_use]
    pub fn to_number(self) -> Option<u64> {
        match *self.value {
            [a] => Some(u64::from(a)),
            [a, b] => Some(u64::from(u16::from_be_bytes([a, b]))),
            [a, b, c, d] => Some(u64::from(u32::from_be_bytes([a, b, c, d]))),
            [a, b, c, d, e, f, g, h] => Some(u64::from_be_bytes([a, b, c, d, e, f, g, h])),
            _ => None,
        }
    }
}

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
        let mut at = 0;
        while at < value.len() {
            at = read_component(value, at)?.1;
        }
        Ok(Self { value })
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
            at: 0,
        }
    }

    /// Whether `prefix` is a prefix of (or equal to) this name.
    #[must_use]
    pub fn starts_with(self, prefix: Name<'_>) -> bool {
        self.value.starts_with(prefix.value)
    }
}

/// Reads the component at `at`; gives it and the offset behind it.
fn read_component(value: &[u8], at: usize) -> Result<(Component<'_>, usize), DecodeError> {
    let err = |kind| DecodeError { offset: at, kind };
    let (typ, next) = read_var(value, at)?;
    let typ = u16::try_from(typ)
        .ok()
        .filter(|t| *t != 0)
        .ok_or(err(ErrorKind::BadType))?;
    let (len, next) = read_var(value, next)?;
    let end = usize::try_from(len)
        .ok()
        .and_then(|len| next.checked_add(len))
        .ok_or(err(ErrorKind::Truncated))?;
    let octets = value.get(next..end).ok_or(err(ErrorKind::Truncated))?;
    Ok((Component { typ, value: octets }, end))
}

/// Iterator over the components of a [`Name`].
#[derive(Clone, Debug)]
pub struct Components<'a> {
    value: &'a [u8],
    at: usize,
}

impl<'a> Components<'a> {
    /// The part of the name that was passed over so far.
    #[must_use]
    pub fn consumed(&self) -> Name<'a> {
        Name::trusted(self.value.get(..self.at).unwrap_or_default())
    }
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        let (component, next) = read_component(self.value, self.at).ok()?;
        self.at = next;
        Some(component)
    }
}

impl Ord for Name<'_> {
    /// Canonical order: component by component by type, then length, then octets; a proper prefix
    /// sorts first.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |c: Component<'_>| (c.typ, c.value.len());
        let (mut a, mut b) = (self.components(), other.components());
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(x), Some(y)) => {
                    let order = key(x).cmp(&key(y)).then_with(|| x.value.cmp(y.value));
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
