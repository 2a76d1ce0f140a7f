//! Writing of packets as nearly all of them are: front to back into the room that there is, without
//! computing any length before.
//!
//! It is to [`Writer`](crate::writer::Writer) what [`Usual`](crate::usual::Usual) is to the reader:
//! whatever is not as expected, too little room included, ends the try with `None`, and the writer
//! starts again from the front.

use crate::tlv::element_len;

/// Room that is left.
pub(crate) struct Pen<'a> {
    rest: &'a mut [u8],
}

impl<'a> Pen<'a> {
    /// Writes to `out` from its start.
    #[inline(always)]
    pub(crate) const fn new(out: &'a mut [u8]) -> Self {
        Self { rest: out }
    }

    /// Octets of room that are left.
    #[inline(always)]
    pub(crate) const fn room(&self) -> usize {
        self.rest.len()
    }

    /// The next `N` octets, to be written later.
    #[inline(always)]
    pub(crate) fn slot<const N: usize>(&mut self) -> Option<&'a mut [u8; N]> {
        let rest = core::mem::take(&mut self.rest);
        let (slot, rest) = rest.split_first_chunk_mut()?;
        self.rest = rest;
        Some(slot)
    }

    /// These octets.
    #[inline(always)]
    pub(crate) fn array<const N: usize>(&mut self, octets: [u8; N]) -> Option<()> {
        *self.slot()? = octets;
        Some(())
    }

    /// These octets.
    #[inline(always)]
    pub(crate) fn put(&mut self, octets: &[u8]) -> Option<()> {
        let rest = core::mem::take(&mut self.rest);
        let (here, rest) = rest.split_at_mut_checked(octets.len())?;
        here.copy_from_slice(octets);
        self.rest = rest;
        Some(())
    }

    /// An element of type `typ`, at most 252, with these octets, at most 252.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(&mut self, typ: u32, value: [u8; N]) -> Option<()> {
        let rest = core::mem::take(&mut self.rest);
        let (here, rest) = rest.split_at_mut_checked(element_len(typ, N))?;
        let (head, here) = here.split_first_chunk_mut()?;
        *head = [octet(typ), octet_len(N)];
        *here.first_chunk_mut()? = value;
        self.rest = rest;
        Some(())
    }

    /// An element of type `typ`, at most 252, with these octets; `None` for more than 252.
    #[inline(always)]
    pub(crate) fn small(&mut self, typ: u32, value: &[u8]) -> Option<()> {
        if value.len() > 252 {
            return None;
        }
        self.array([octet(typ), octet_len(value.len())])?;
        self.put(value)
    }

    /// An element of type `typ`, at most 252, with a `NonNegativeInteger`.
    #[inline(always)]
    pub(crate) fn number(&mut self, typ: u32, n: u64) -> Option<()> {
        if let Ok(n) = u8::try_from(n) {
            self.fixed(typ, n.to_be_bytes())
        } else if let Ok(n) = u16::try_from(n) {
            self.fixed(typ, n.to_be_bytes())
        } else if let Ok(n) = u32::try_from(n) {
            self.fixed(typ, n.to_be_bytes())
        } else {
            self.fixed(typ, n.to_be_bytes())
        }
    }

    /// TYPE (at most 252) and LENGTH into a slot of four octets, for 253 octets or more.
    #[inline(always)]
    pub(crate) fn long_head(typ: u32, len: usize) -> Option<[u8; 4]> {
        let [high, low] = u16::try_from(len).ok()?.to_be_bytes();
        (len > 252).then_some([octet(typ), 0xFD, high, low])
    }

    /// TYPE (at most 252) and LENGTH into a slot of two octets, for 252 octets or less.
    #[inline(always)]
    pub(crate) fn short_head(typ: u32, len: usize) -> Option<[u8; 2]> {
        (len <= 252).then_some([octet(typ), octet_len(len)])
    }
}

/// The octet of a TYPE of at most 252.
#[inline(always)]
fn octet(n: u32) -> u8 {
    let [.., last] = n.to_be_bytes();
    last
}

/// The octet of a LENGTH of at most 252.
#[inline(always)]
fn octet_len(n: usize) -> u8 {
    let [.., last] = n.to_be_bytes();
    last
}
