//! Reading of packets as nearly all of them are: known elements only, in their order, with TYPE and
//! LENGTH of one octet each (three for LENGTH where large values are at home).
//!
//! A decoder first tries to read its packet as a usual one. Whatever is not as expected ends that
//! try with `None`, and the [`Reader`](crate::tlv::Reader) starts again from the front: it alone
//! knows all that is allowed, and it alone says what is wrong and where. So nothing here needs to
//! know where it stands, and all that is accepted here must be accepted there, with the same result.

use crate::name::LEAST_PLAIN;
use crate::{Component, MAX_PACKET, Name};

/// What is left of a usual packet, or of an element in one.
#[derive(Clone, Copy)]
pub(crate) struct Usual<'a> {
    rest: &'a [u8],
}

impl<'a> Usual<'a> {
    /// Reads `octets` from their start.
    #[inline(always)]
    pub(crate) const fn new(octets: &'a [u8]) -> Self {
        Self { rest: octets }
    }

    /// The inside of the one element that `octets` consist of, if it is of type `typ`.
    #[inline(always)]
    pub(crate) fn packet(octets: &'a [u8], typ: u32) -> Option<Self> {
        let mut packet = Self::new(octets);
        let value = packet.large(typ)?;
        (packet.is_empty() && octets.len() <= MAX_PACKET).then_some(Self::new(value))
    }

    /// As [`Self::packet`], with a LENGTH of one octet.
    #[inline(always)]
    pub(crate) fn small_packet(octets: &'a [u8], typ: u32) -> Option<Self> {
        let mut packet = Self::new(octets);
        let value = packet.small(typ)?;
        packet.is_empty().then_some(Self::new(value))
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub(crate) const fn is_empty(self) -> bool {
        self.rest.is_empty()
    }

    /// The value of the next element, if it is of type `typ` (at most 252) and its LENGTH one octet.
    /// Otherwise nothing is taken.
    #[inline(always)]
    pub(crate) fn small(&mut self, typ: u32) -> Option<&'a [u8]> {
        match *self.rest {
            [first, len @ 0..=252, ref rest @ ..] if u32::from(first) == typ => {
                self.value(rest, usize::from(len))
            }
            _ => None,
        }
    }

    /// As [`Self::small`], with a LENGTH of one octet or three.
    #[inline(always)]
    pub(crate) fn large(&mut self, typ: u32) -> Option<&'a [u8]> {
        match *self.rest {
            [first, 0xFD, high, low, ref rest @ ..] if u32::from(first) == typ => {
                match u16::from_be_bytes([high, low]) {
                    len @ 253.. => self.value(rest, usize::from(len)),
                    _ => None,
                }
            }
            _ => self.small(typ),
        }
    }

    /// As [`Self::small`], for a type of 253 to 65535.
    #[inline(always)]
    pub(crate) fn wide(&mut self, typ: u32) -> Option<&'a [u8]> {
        match *self.rest {
            [0xFD, high, low, len @ 0..=252, ref rest @ ..]
                if u32::from(u16::from_be_bytes([high, low])) == typ =>
            {
                self.value(rest, usize::from(len))
            }
            _ => None,
        }
    }

    /// As [`Self::small`], for a value of exactly `N` octets, at most 252.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(&mut self, typ: u32) -> Option<[u8; N]> {
        match *self.rest {
            [first, len, ref rest @ ..] if u32::from(first) == typ && usize::from(len) == N => {
                let (value, rest) = rest.split_first_chunk()?;
                self.rest = rest;
                Some(*value)
            }
            _ => None,
        }
    }

    /// As [`Self::small`], for a `NonNegativeInteger`.
    #[inline(always)]
    pub(crate) fn number(&mut self, typ: u32) -> Option<u64> {
        match *self.rest {
            [first, len, ref rest @ ..] if u32::from(first) == typ => {
                let mut inside = Self::new(rest);
                let n = match len {
                    1 => u8::from_be_bytes(inside.take()?).into(),
                    2 => u16::from_be_bytes(inside.take()?).into(),
                    4 => u32::from_be_bytes(inside.take()?).into(),
                    8 => u64::from_be_bytes(inside.take()?),
                    _ => return None,
                };
                *self = inside;
                Some(n)
            }
            _ => None,
        }
    }

    /// The name that comes next, if no component of it is a digest.
    #[inline(always)]
    pub(crate) fn name(&mut self, typ: u32) -> Option<Name<'a>> {
        let value = self.small(typ)?;
        is_plain_name(value).then_some(Name::trusted(value))
    }

    /// The one component that is left, if it is no digest.
    #[inline(always)]
    pub(crate) fn component(self) -> Option<Component<'a>> {
        match *self.rest {
            [typ @ LEAST_PLAIN..=252, len @ 0..=252, ref value @ ..]
                if value.len() == usize::from(len) =>
            {
                Some(Component::trusted(u16::from(typ), value))
            }
            _ => None,
        }
    }

    /// The next `N` octets.
    #[inline(always)]
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (octets, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*octets)
    }

    #[inline(always)]
    fn value(&mut self, rest: &'a [u8], len: usize) -> Option<&'a [u8]> {
        let (value, rest) = rest.split_at_checked(len)?;
        self.rest = rest;
        Some(value)
    }
}

/// Whether `value` is that of a Name of at most 252 octets whose components are no digests and have one
/// octet of TYPE and LENGTH each.
#[inline(always)]
pub(crate) fn is_plain_name(value: &[u8]) -> bool {
    if value.len() > 252 {
        return false;
    }
    // Where a component starts; far below the greatest number of 16 bits, which saves a check. A
    // LENGTH that reaches too far, as all in a longer form do, ends behind the end.
    let mut at: u16 = 0;
    while let Some([typ, len]) = pair(value, at) {
        if !(LEAST_PLAIN..=252).contains(&typ) {
            return false;
        }
        at = at.wrapping_add(2).wrapping_add(u16::from(len));
    }
    usize::from(at) == value.len()
}

/// The two octets at `at`.
#[inline(always)]
fn pair(value: &[u8], at: u16) -> Option<[u8; 2]> {
    let at = usize::from(at);
    let second = value.get(at + 1)?;
    Some([*value.get(at)?, *second])
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn plain_names() {
        let long = |component: &[u8], times: usize| component.repeat(times);
        let table: [(std::vec::Vec<u8>, bool); 14] = [
            (long(&[], 0), true),
            (long(&[8, 0], 1), true),
            (long(&[8, 0], 126), true),
            // One octet more than a LENGTH of one octet can say.
            (long(&[8, 0], 127), false),
            (long(&[3, 1, 7, 252, 2, 8, 8], 1), true),
            (long(&[8], 1), false),
            (long(&[8, 0, 8], 1), false),
            (long(&[8, 1], 1), false),
            (long(&[8, 0, 8, 255], 1), false),
            (long(&[0, 0], 1), false),
            (long(&[2, 0], 1), false),
            (long(&[253, 0, 253, 0], 1), false),
            (long(&[255, 0], 1), false),
            (long(&[8, 253, 0, 1, 0], 1), false),
        ];
        for (value, plain) in table {
            assert_eq!(is_plain_name(&value), plain, "{value:02x?}");
        }
    }

    #[test]
    fn nothing_is_taken_of_what_does_not_fit() {
        let octets = [10, 2, 1, 2, 12, 3, 0, 0, 0];
        let mut usual = Usual::new(&octets);
        assert_eq!(usual.small(9), None);
        assert_eq!(usual.fixed::<1>(10), None);
        assert_eq!(usual.wide(10), None);
        assert_eq!(usual.large(10), Some(&[1, 2][..]));
        assert_eq!(usual.number(12), None, "three octets");
        assert_eq!(usual.small(12), Some(&[0; 3][..]));
        assert!(usual.is_empty());
        assert_eq!(usual.small(0), None);
    }
}

#[cfg(all(test, feature = "proptest"))]
mod properties {
    use core::fmt::Debug;

    use crate::sample::NearlyValidPacket;
    use crate::{Data, DecodeError, Interest, LinkPacket, LpPacket};
    use proptest::prelude::*;

    /// What is taken for usual is accepted by the reader, with the same result.
    fn alike<T: Debug + PartialEq>(
        usual: Option<T>,
        any: impl FnOnce() -> Result<T, DecodeError>,
    ) -> Result<(), TestCaseError> {
        if let Some(usual) = usual {
            prop_assert_eq!(any(), Ok(usual));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn usual_ones_are_read_alike(packet: NearlyValidPacket) {
            let octets = &packet.octets[..];
            alike(LpPacket::usual(octets), || LpPacket::any(octets))?;
            alike(LinkPacket::usual(octets), || LinkPacket::any(octets))?;
            let inside = LpPacket::decode(octets).map(|packet| packet.fragment);
            let octets = inside.unwrap_or(octets);
            alike(Interest::usual(octets), || Interest::any(octets))?;
            alike(Data::usual(octets), || Data::any(octets))?;
        }
    }
}
