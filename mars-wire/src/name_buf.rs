//! An owned name.

use alloc::vec::Vec;

use crate::tlv::var_len;
use crate::{Component, DecodeError, Name};

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
        write_var(&mut self.value, u64::from(component.typ()));
        write_var(&mut self.value, component.value().len() as u64);
        self.value.extend_from_slice(component.value());
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

fn write_var(out: &mut Vec<u8>, n: u64) {
    let octets = n.to_be_bytes();
    let tag: &[u8] = match var_len(n) {
        3 => &[0xFD],
        5 => &[0xFE],
        9 => &[0xFF],
        _ => &[],
    };
    out.extend_from_slice(tag);
    let keep = var_len(n) - tag.len();
    out.extend_from_slice(octets.get(octets.len() - keep..).unwrap_or_default());
}
