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
    #[inline(always)]
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
    #[inline(always)]
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
    #[inline(always)]
    pub(crate) fn put(&mut self, octets: &[u8]) {
        let rest = core::mem::take(&mut self.rest);
        if let Some((here, rest)) = rest.split_at_mut_checked(octets.len()) {
            here.copy_from_slice(octets);
            self.rest = rest;
        }
    }

    /// So many octets as they are: a store or two, and no call.
    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self, octets: [u8; N]) {
        let rest = core::mem::take(&mut self.rest);
        if let Some((here, rest)) = rest.split_first_chunk_mut() {
            *here = octets;
            self.rest = rest;
        }
    }

    /// TYPE and LENGTH.
    #[inline(always)]
    pub(crate) fn head(&mut self, typ: u32, len: usize) {
        let [_, _, t1, t0] = typ.to_be_bytes();
        let [.., l1, l0] = len.to_be_bytes();
        match (typ, len) {
            (0..=252, 0..=252) => self.array([t0, l0]),
            (0..=252, 253..=0xFFFF) => self.array([t0, 0xFD, l1, l0]),
            (253..=0xFFFF, 0..=252) => self.array([0xFD, t1, t0, l0]),
            _ => {
                self.var(typ.into());
                self.var(len as u64);
            }
        }
    }

    /// A VAR-NUMBER.
    #[cold]
    #[inline(never)]
    fn var(&mut self, n: u64) {
        if let Some(n) = u8::try_from(n).ok().filter(|n| *n <= 252) {
            self.array([n]);
        } else if let Ok(n) = u16::try_from(n) {
            self.array([0xFD]);
            self.array(n.to_be_bytes());
        } else if let Ok(n) = u32::try_from(n) {
            self.array([0xFE]);
            self.array(n.to_be_bytes());
        } else {
            self.array([0xFF]);
            self.array(n.to_be_bytes());
        }
    }

    /// A whole element.
    #[inline(always)]
    pub(crate) fn element(&mut self, typ: u32, value: &[u8]) {
        self.head(typ, value.len());
        self.put(value);
    }

    /// A whole element of a constant type and size.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(&mut self, typ: u32, value: [u8; N]) {
        self.head(typ, N);
        self.array(value);
    }

    /// A whole element, its value a `NonNegativeInteger` in shortest form.
    #[inline(always)]
    pub(crate) fn number(&mut self, typ: u32, n: u64) {
        if let Ok(n) = u8::try_from(n) {
            self.fixed(typ, n.to_be_bytes());
        } else if let Ok(n) = u16::try_from(n) {
            self.fixed(typ, n.to_be_bytes());
        } else if let Ok(n) = u32::try_from(n) {
            self.fixed(typ, n.to_be_bytes());
        } else {
            self.fixed(typ, n.to_be_bytes());
        }
    }
}
