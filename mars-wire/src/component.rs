//! One name component, and the numbers that components carry.

use crate::tlv::{element_len, number, number_len};

/// One name component: a type (1 to 65535) and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component<'a> {
    typ: u16,
    value: &'a [u8],
}

impl<'a> Component<'a> {
    /// `ImplicitSha256DigestComponent`, 32 octets.
    pub const IMPLICIT_DIGEST: u16 = 1;
    /// `ParametersSha256DigestComponent`, 32 octets.
    pub const PARAMETERS_DIGEST: u16 = 2;
    /// `GenericNameComponent`.
    pub const GENERIC: u16 = 8;
    /// `KeywordNameComponent`.
    pub const KEYWORD: u16 = 32;
    /// `SegmentNameComponent`.
    pub const SEGMENT: u16 = 50;
    /// `ByteOffsetNameComponent`.
    pub const BYTE_OFFSET: u16 = 52;
    /// `VersionNameComponent`.
    pub const VERSION: u16 = 54;
    /// `TimestampNameComponent`, in microseconds.
    pub const TIMESTAMP: u16 = 56;
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

    /// A component of any type; `None` for type 0, and for a digest that has not 32 octets.
    #[must_use]
    pub const fn new(typ: u16, value: &'a [u8]) -> Option<Self> {
        match typ {
            0 => None,
            Self::IMPLICIT_DIGEST | Self::PARAMETERS_DIGEST if value.len() != 32 => None,
            _ => Some(Self { typ, value }),
        }
    }

    /// For a type and value that were checked before.
    pub(crate) const fn trusted(typ: u16, value: &'a [u8]) -> Self {
        Self { typ, value }
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

    /// Octets that it takes in a name: TYPE, LENGTH and VALUE.
    #[must_use]
    pub const fn encoded_len(self) -> usize {
        element_len(self.typ as u32, self.value.len())
    }

    /// The value as a `NonNegativeInteger` of 1, 2, 4 or 8 octets.
    #[must_use]
    pub fn to_number(self) -> Option<u64> {
        number(self.value)
    }

    /// As [`Self::to_number`], but only if the number is in its shortest form, so that writing it
    /// gives the same component again.
    #[must_use]
    pub fn to_shortest_number(self) -> Option<u64> {
        self.to_number()
            .filter(|n| number_len(*n) == self.value.len())
    }

    /// The segment number, if it is a Segment component that holds one in shortest form.
    #[must_use]
    pub fn to_segment(self) -> Option<u64> {
        if self.typ == Self::SEGMENT {
            self.to_shortest_number()
        } else {
            None
        }
    }
}

/// A `NonNegativeInteger` in shortest form, as octets that a [`Component`] can borrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    octets: [u8; 8],
}

impl Number {
    /// The octets of `n`.
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self {
            octets: n.to_be_bytes(),
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        u64::from_be_bytes(self.octets)
    }

    /// Its 1, 2, 4 or 8 octets.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        let skip = self.octets.len() - number_len(self.get());
        self.octets.get(skip..).unwrap_or_default()
    }

    /// As a Segment component.
    #[must_use]
    pub fn segment(&self) -> Component<'_> {
        Component::trusted(Component::SEGMENT, self.as_slice())
    }

    /// As a `SequenceNum` component.
    #[must_use]
    pub fn sequence(&self) -> Component<'_> {
        Component::trusted(Component::SEQUENCE, self.as_slice())
    }
}
