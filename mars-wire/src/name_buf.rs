//! An owned name.

use alloc::vec::Vec;

use crate::writer::Writer;
use crate::{Component, DecodeError, Name, Number};

/// An owned, growable name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct NameBuf {
    value: Vec<u8>,
}

impl NameBuf {
    /// The name of no components.
    #[must_use]
    pub const fn new() -> Self {
        Self { value: Vec::new() }
    }

    /// Borrows it.
    #[must_use]
    pub fn as_name(&self) -> Name<'_> {
        Name::trusted(&self.value)
    }

    /// Appends a component.
    pub fn push(&mut self, component: Component<'_>) {
        let at = self.value.len();
        self.value.resize(at + component.encoded_len(), 0);
        let mut w = Writer::new(self.value.get_mut(at..).unwrap_or_default());
        w.element(u32::from(component.typ()), component.value());
    }

    /// With one more component at its end.
    #[must_use]
    pub fn with(mut self, component: Component<'_>) -> Self {
        self.push(component);
        self
    }

    /// With a generic component at its end.
    #[must_use]
    pub fn generic(self, value: &[u8]) -> Self {
        self.with(Component::generic(value))
    }

    /// With the number `n` as a Segment component at its end.
    #[must_use]
    pub fn segment(self, n: u64) -> Self {
        self.with(Number::new(n).segment())
    }

    /// With the number `n` as a `SequenceNum` component at its end.
    #[must_use]
    pub fn sequence(self, n: u64) -> Self {
        self.with(Number::new(n).sequence())
    }

    /// Checks and takes over the TLV-VALUE of a Name.
    ///
    /// # Errors
    /// As [`Name::from_value`].
    pub fn from_value(value: Vec<u8>) -> Result<Self, DecodeError> {
        Name::from_value(&value)?;
        Ok(Self { value })
    }
}

impl From<Name<'_>> for NameBuf {
    fn from(name: Name<'_>) -> Self {
        Self {
            value: name.as_value().to_vec(),
        }
    }
}
