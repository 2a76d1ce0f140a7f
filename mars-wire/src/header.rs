//! The MARS link header: what travels hop by hop beside an NDN packet.
//!
//! One container, type 928. Its value is one octet of flags, saying which fields follow, then these
//! fields in the order of their bits, each of a fixed width, big endian.

use crate::pen::Pen;
use crate::tlv::{Element, Reader, element_len};
use crate::types::MARS;
use crate::usual::Usual;
use crate::writer::Writer;
use crate::{DecodeError, EncodeError, ErrorKind, Label, NackDetail, Rank};

const INTEREST_QUEUE: u8 = 1 << 0;
const DATA_QUEUE: u8 = 1 << 1;
const TIER_CONV: u8 = 1 << 2;
const NODE_CONV: u8 = 1 << 3;
const GENERATION: u8 = 1 << 4;
const LABEL: u8 = 1 << 5;
const NACK_DETAIL: u8 = 1 << 6;

/// The fields of the MARS link header (type 928). A field that is absent is *unknown*, never zero;
/// a header without any field is not sent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MarsHeader {
    /// Bit 0: packets in the sender's Interest queue for this dest, saturating.
    pub interest_queue: Option<u16>,
    /// Bit 1: packets in the sender's Data queue towards the receiver, saturating.
    pub data_queue: Option<u16>,
    /// Bit 2: the sender's current tier has converged (discovery Data only).
    pub tier_conv: bool,
    /// Bit 3: the sender's discovery has converged (discovery Data only).
    pub node_conv: bool,
    /// Bit 4: generation.
    pub generation: Option<u32>,
    /// Bit 5: on Interest the exclusive upper bound, on Data the label of the rank.
    pub label: Option<Label>,
    /// Bit 6: why an Interest was refused.
    pub nack_detail: Option<NackDetail>,
}

impl MarsHeader {
    /// Whether no field is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flags() == 0
    }

    /// Generation and label together, if both are present.
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        Some(Rank {
            generation: self.generation?,
            label: self.label?,
        })
    }

    /// Decodes the whole element, from its TYPE.
    ///
    /// # Errors
    /// Another type, and a value that ends before a field that its flags announce. Unknown flags,
    /// unknown Nack details and octets behind the last field are ignored.
    pub fn decode(octets: &[u8]) -> Result<Self, DecodeError> {
        let element = Reader::datagram(octets)?;
        if element.typ != MARS {
            return Err(element.error(ErrorKind::BadType));
        }
        Self::read(element)
    }

    pub(crate) fn read(element: Element<'_>) -> Result<Self, DecodeError> {
        Self::usual(element.value).ok_or(element.error(ErrorKind::BadLength))
    }

    /// Decodes its value; `None` if that ends too soon.
    #[inline(always)]
    pub(crate) fn usual(value: &[u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        let [flags] = inside.take()?;
        let mut header = Self {
            tier_conv: flags & TIER_CONV != 0,
            node_conv: flags & NODE_CONV != 0,
            ..Self::default()
        };
        if flags & INTEREST_QUEUE != 0 {
            header.interest_queue = Some(u16::from_be_bytes(inside.take()?));
        }
        if flags & DATA_QUEUE != 0 {
            header.data_queue = Some(u16::from_be_bytes(inside.take()?));
        }
        if flags & GENERATION != 0 {
            header.generation = Some(u32::from_be_bytes(inside.take()?));
        }
        if flags & LABEL != 0 {
            header.label = Some(Label::from_bits(u64::from_be_bytes(inside.take()?)));
        }
        if flags & NACK_DETAIL != 0 {
            let [code] = inside.take()?;
            header.nack_detail = NackDetail::from_code(code);
        }
        Some(header)
    }

    #[inline(always)]
    fn flags(&self) -> u8 {
        let flag = |bit, set| if set { bit } else { 0 };
        flag(INTEREST_QUEUE, self.interest_queue.is_some())
            | flag(DATA_QUEUE, self.data_queue.is_some())
            | flag(TIER_CONV, self.tier_conv)
            | flag(NODE_CONV, self.node_conv)
            | flag(GENERATION, self.generation.is_some())
            | flag(LABEL, self.label.is_some())
            | flag(NACK_DETAIL, self.nack_detail.is_some())
    }

    /// Octets of the fields of these flags, and of the flags.
    #[inline(always)]
    fn value_len(flags: u8) -> usize {
        let field = |bit: u8, octets: usize| if flags & bit != 0 { octets } else { 0 };
        1 + field(INTEREST_QUEUE, 2)
            + field(DATA_QUEUE, 2)
            + field(GENERATION, 4)
            + field(LABEL, 8)
            + field(NACK_DETAIL, 1)
    }

    /// Octets of the whole element; 0 if no field is present, because then it is not sent.
    #[must_use]
    #[inline]
    pub fn encoded_len(&self) -> usize {
        match self.flags() {
            0 => 0,
            flags => element_len(MARS, Self::value_len(flags)),
        }
    }

    /// Writes the whole element to the front of `out`; says how many octets that took.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let room = out.len();
        let mut pen = Pen::new(out);
        if self.write_usual(&mut pen).is_some() {
            return Ok(room.wrapping_sub(pen.room()));
        }
        Writer::exactly(self.encoded_len(), out, |w| self.write(w))
    }

    /// Writes it, if there is a field and room.
    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<()> {
        let head = pen.slot::<4>()?;
        let flags_slot = pen.slot::<1>()?;
        let room = pen.room();
        let flag = |bit, set| if set { bit } else { 0 };
        let mut flags = flag(TIER_CONV, self.tier_conv) | flag(NODE_CONV, self.node_conv);
        if let Some(packets) = self.interest_queue {
            flags |= INTEREST_QUEUE;
            pen.array(packets.to_be_bytes())?;
        }
        if let Some(packets) = self.data_queue {
            flags |= DATA_QUEUE;
            pen.array(packets.to_be_bytes())?;
        }
        if let Some(generation) = self.generation {
            flags |= GENERATION;
            pen.array(generation.to_be_bytes())?;
        }
        if let Some(label) = self.label {
            flags |= LABEL;
            pen.array(label.to_bits().to_be_bytes())?;
        }
        if let Some(detail) = self.nack_detail {
            flags |= NACK_DETAIL;
            pen.array([detail.code()])?;
        }
        if flags == 0 {
            return None;
        }
        let [typ, len] = Pen::short_head(MARS & 0xFF, 1 + room.wrapping_sub(pen.room()))?;
        *head = [0xFD, 0x03, typ, len];
        *flags_slot = [flags];
        Some(())
    }

    #[inline(always)]
    pub(crate) fn write(&self, w: &mut Writer<'_>) {
        let flags = self.flags();
        if flags == 0 {
            return;
        }
        w.head(MARS, Self::value_len(flags));
        w.array([flags]);
        if let Some(packets) = self.interest_queue {
            w.array(packets.to_be_bytes());
        }
        if let Some(packets) = self.data_queue {
            w.array(packets.to_be_bytes());
        }
        if let Some(generation) = self.generation {
            w.array(generation.to_be_bytes());
        }
        if let Some(label) = self.label {
            w.array(label.to_bits().to_be_bytes());
        }
        if let Some(detail) = self.nack_detail {
            w.array([detail.code()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: MarsHeader = MarsHeader {
        interest_queue: None,
        data_queue: None,
        tier_conv: false,
        node_conv: false,
        generation: None,
        label: None,
        nack_detail: None,
    };

    /// The octets behind TYPE and LENGTH, for each field alone, and for all of them.
    #[test]
    fn layout() {
        let label = Some(Label::from_bits(0x0102_0304_0506_0708));
        let table: [(MarsHeader, &[u8]); 8] = [
            (
                MarsHeader {
                    interest_queue: Some(0x1234),
                    ..NONE
                },
                &[0x01, 0x12, 0x34],
            ),
            (
                MarsHeader {
                    data_queue: Some(0x1234),
                    ..NONE
                },
                &[0x02, 0x12, 0x34],
            ),
            (
                MarsHeader {
                    tier_conv: true,
                    ..NONE
                },
                &[0x04],
            ),
            (
                MarsHeader {
                    node_conv: true,
                    ..NONE
                },
                &[0x08],
            ),
            (
                MarsHeader {
                    generation: Some(0x0A0B_0C0D),
                    ..NONE
                },
                &[0x10, 10, 11, 12, 13],
            ),
            (
                MarsHeader { label, ..NONE },
                &[0x20, 1, 2, 3, 4, 5, 6, 7, 8],
            ),
            (
                MarsHeader {
                    nack_detail: Some(NackDetail::Stale),
                    ..NONE
                },
                &[0x40, 4],
            ),
            (
                MarsHeader {
                    interest_queue: Some(1),
                    data_queue: Some(2),
                    tier_conv: true,
                    node_conv: true,
                    generation: Some(3),
                    label: Some(Label::ONE),
                    nack_detail: Some(NackDetail::QueueFull),
                },
                &[0x7F, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 5],
            ),
        ];
        for (header, value) in table {
            let mut out = [0; 32];
            let len = header.encode(&mut out).unwrap();
            assert_eq!(len, header.encoded_len());
            assert_eq!(out[..3], [0xFD, 0x03, 0xA0]);
            assert_eq!(usize::from(out[3]), value.len());
            assert_eq!(&out[4..len], value);
            assert_eq!(MarsHeader::decode(&out[..len]), Ok(header));
            // One octet less than the flags ask for.
            out[3] -= 1;
            let error = MarsHeader::decode(&out[..len - 1]).unwrap_err();
            assert_eq!((error.offset, error.kind), (0, ErrorKind::BadLength));
        }
    }

    #[test]
    fn nothing_is_not_sent() {
        assert_eq!(NONE.encoded_len(), 0);
        assert_eq!(NONE.encode(&mut []), Ok(0));
    }

    #[test]
    fn unknown_flags_details_and_trailing_octets_are_ignored() {
        let tier = MarsHeader {
            tier_conv: true,
            ..NONE
        };
        let table: [(&[u8], MarsHeader); 4] = [
            (&[0xFD, 0x03, 0xA0, 1, 0x84], tier),
            (&[0xFD, 0x03, 0xA0, 3, 0x04, 9, 9], tier),
            (&[0xFD, 0x03, 0xA0, 2, 0x44, 9], tier),
            (&[0xFD, 0x03, 0xA0, 1, 0x00], NONE),
        ];
        for (octets, header) in table {
            assert_eq!(MarsHeader::decode(octets), Ok(header), "{octets:02x?}");
        }
    }
}
