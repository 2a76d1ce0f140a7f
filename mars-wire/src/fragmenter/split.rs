//! Where a packet is cut.

use core::ops::Range;

use crate::lp_packet::wrapped_len;

/// How a packet is cut into fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    /// Octets of the packet.
    len: usize,
    /// Octets of it in the first fragment.
    first: usize,
    /// Octets of it in every other, the last excepted.
    rest: usize,
}

impl Split {
    /// Into one piece.
    pub(super) const fn whole(len: usize) -> Self {
        Self {
            len,
            first: len,
            rest: 0,
        }
    }

    /// Into link packets of at most `mtu` octets, the first with `first_fields` octets of header
    /// fields, the others with `fields`. `None` if there is no room for anything else.
    pub(super) fn new(len: usize, mtu: usize, first_fields: usize, fields: usize) -> Option<Self> {
        let (first, rest) = (room(mtu, first_fields), room(mtu, fields));
        (first > 0 && rest > 0).then_some(Self { len, first, rest })
    }

    /// Fragments.
    pub(super) fn count(&self) -> usize {
        let behind = self.len.saturating_sub(self.first);
        1 + behind.div_ceil(self.rest.max(1))
    }

    /// Octets of the packet in fragment `index`.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let start = match index {
            0 => 0,
            _ => self.first + (index - 1) * self.rest,
        };
        let end = self.first + index * self.rest;
        start.min(self.len)..end.min(self.len)
    }
}

/// The longest fragment that goes into a link packet of at most `mtu` octets behind `fields` octets
/// of header fields; 0 if none does.
fn room(mtu: usize, fields: usize) -> usize {
    // TYPE and LENGTH of `LpPacket` and Fragment take 4 to 8 octets together.
    let lens = (4..=8).filter_map(|frame| mtu.checked_sub(fields + frame));
    let mut fitting = lens.filter(|len| wrapped_len(fields, *len) <= mtu);
    fitting.next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest that fits, found the slow way.
    #[test]
    fn room_is_all_there_is() {
        for mtu in 20..1_200 {
            for fields in [1, 10, 16, 60, 240, 250, 300] {
                let best = (1..=mtu).rev().find(|len| wrapped_len(fields, *len) <= mtu);
                assert_eq!(room(mtu, fields), best.unwrap_or(0), "{mtu} {fields}");
            }
        }
    }

    /// Length, first, rest; where each fragment ends.
    #[test]
    fn ranges() {
        let table: [(usize, usize, usize, &[usize]); 5] = [
            (10, 10, 4, &[10]),
            (11, 10, 4, &[10, 11]),
            (14, 10, 4, &[10, 14]),
            (15, 10, 4, &[10, 14, 15]),
            (3, 1, 1, &[1, 2, 3]),
        ];
        for (len, first, rest, ends) in table {
            let split = Split { len, first, rest };
            assert_eq!(split.count(), ends.len());
            let mut start = 0;
            for (index, end) in ends.iter().enumerate() {
                assert_eq!(split.range(index), start..*end);
                start = *end;
            }
        }
        for len in [0, 7] {
            let whole = Split::whole(len);
            assert_eq!((whole.count(), whole.range(0)), (1, 0..len));
        }
    }
}
