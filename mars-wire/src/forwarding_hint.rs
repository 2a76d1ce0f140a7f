//! `ForwardingHint`: names of places to look for a producer.

use crate::tlv::{Element, Reader};
use crate::types::NAME;
use crate::{DecodeError, ErrorKind, Name};

/// One or more names, borrowed as the TLV-VALUE of a `ForwardingHint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardingHint<'a> {
    value: &'a [u8],
}

impl<'a> ForwardingHint<'a> {
    /// Checks the TLV-VALUE of a `ForwardingHint`: one or more Name elements.
    ///
    /// # Errors
    /// The first fault, with its offset in `value`.
    pub fn from_value(value: &'a [u8]) -> Result<Self, DecodeError> {
        Self::check(Reader::new(value))?;
        Ok(Self { value })
    }

    pub(crate) fn read(element: Element<'a>) -> Result<Self, DecodeError> {
        Self::check(element.inside())?;
        Ok(Self {
            value: element.value,
        })
    }

    fn check(mut reader: Reader<'_>) -> Result<(), DecodeError> {
        let empty = reader.error(ErrorKind::Missing);
        let mut names = 0_usize;
        while !reader.is_empty() {
            let element = reader.element()?;
            if element.typ == NAME {
                Name::read(element)?;
                names += 1;
            } else {
                element.skip()?;
            }
        }
        if names == 0 { Err(empty) } else { Ok(()) }
    }

    /// The TLV-VALUE octets.
    #[must_use]
    pub const fn as_value(self) -> &'a [u8] {
        self.value
    }

    /// The names, in the order of preference of who wrote them.
    pub fn names(self) -> impl Iterator<Item = Name<'a>> {
        let mut reader = Reader::new(self.value);
        core::iter::from_fn(move || reader.element().ok())
            .filter(|element| element.typ == NAME)
            .map(|element| Name::trusted(element.value))
    }
}
