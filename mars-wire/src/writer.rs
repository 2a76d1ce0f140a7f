//! Writing of elements, front to back, into a buffer whose length was computed before.

use crate::{EncodeError, ErrorKind, MAX_PACKET};

/// What is left to be written to.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    /// Writes to `out`, which must have room for everything that will be written.
    pub(crate) const fn new(out: &'a mut [u8]) -> Self {
        Self { rest: out }
    }

    /// Writes exactly `len` octets to the front of `out`.
    pub(crate) fn exactly(
        len: usize,
        out: &mut [u8],
        write: impl FnOnce(&mut Writer<'_>),
    ) -> Result<usize, EncodeError> {
        let rest = out
            .get_mut(..len)
            .ok_or(EncodeError::BufferTooSmall { needed: len })?;
        let mut writer = Writer { rest };
        write(&mut writer);
        debug_assert!(writer.rest.is_empty(), "length computed = length written");
        Ok(len)
    }

    /// As [`Self::exactly`], for a whole packet.
    pub(crate) fn packet(
        len: usize,
        out: &mut [u8],
        write: impl FnOnce(&mut Writer<'_>),
    ) -> Result<usize, EncodeError> {
        if len > MAX_PACKET {
            return Err(EncodeError::Invalid(ErrorKind::TooLong));
        }
        Self::exactly(len, out, write)
    }

    /// Octets as they are.
    pub(crate) fn put(&mut self, octets: &[u8]) {
        let rest = core::mem::take(&mut self.rest);
        if let Some((here, rest)) = rest.split_at_mut_checked(octets.len()) {
            here.copy_from_slice(octets);
            self.rest = rest;
        }
    }

    /// A VAR-NUMBER.
    pub(crate) fn var(&mut self, n: u64) {
        if let Some(n) = u8::try_from(n).ok().filter(|n| *n <= 252) {
            self.put(&[n]);
        } else if let Ok(n) = u16::try_from(n) {
            self.put(&[0xFD]);
            self.put(&n.to_be_bytes());
        } else if let Ok(n) = u32::try_from(n) {
            self.put(&[0xFE]);
            self.put(&n.to_be_bytes());
        } else {
            self.put(&[0xFF]);
            self.put(&n.to_be_bytes());
        }
    }

    /// TYPE and LENGTH.
    pub(crate) fn head(&mut self, typ: u32, len: usize) {
        self.var(u64::from(typ));
        self.var(len as u64);
    }

    /// A whole element.
    pub(crate) fn element(&mut self, typ: u32, value: &[u8]) {
        self.head(typ, value.len());
        self.put(value);
    }

    /// A whole element, its value a `NonNegativeInteger` in shortest form.
    pub(crate) fn number(&mut self, typ: u32, n: u64) {
        if let Ok(n) = u8::try_from(n) {
            self.element(typ, &n.to_be_bytes());
        } else if let Ok(n) = u16::try_from(n) {
            self.element(typ, &n.to_be_bytes());
        } else if let Ok(n) = u32::try_from(n) {
            self.element(typ, &n.to_be_bytes());
        } else {
            self.element(typ, &n.to_be_bytes());
        }
    }
}
