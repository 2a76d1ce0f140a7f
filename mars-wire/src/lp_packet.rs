//! A datagram as the link layer sees it: header fields, and octets that it does not look into.

use crate::link_header::is_ignorable;
use crate::pen::Pen;
use crate::tlv::{Reader, element_len};
use crate::types::{ACK, DATA, FRAGMENT, INTEREST, LP_PACKET, MARS, NACK, PIT_TOKEN};
use crate::usual::Usual;
use crate::writer::Writer;
use crate::{
    Acks, Body, DecodeError, EncodeError, ErrorKind, LinkHeader, MarsHeader, NackReason, PitToken,
};

/// A datagram as the link layer sees it. A bare Interest or Data is the fragment of an `LpPacket`
/// without header fields, and is encoded as such.
///
/// Use this one to send on octets as they came, behind new header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LpPacket<'a> {
    /// The header fields.
    pub header: LinkHeader<'a>,
    /// Whether the fragment is an Interest that is returned, and why.
    pub nack: Option<NackReason>,
    /// The network packet, or a piece of it; nothing in an IDLE packet.
    pub fragment: &'a [u8],
}

impl<'a> LpPacket<'a> {
    /// Decodes the link layer of the datagram `octets`. The fragment is the end of `octets`.
    ///
    /// # Errors
    /// The first fault and its offset.
    pub fn decode(octets: &'a [u8]) -> Result<Self, DecodeError> {
        match Self::usual(octets) {
            Some(packet) => Ok(packet),
            None => Self::any(octets),
        }
    }

    /// Decodes it if there is nothing unusual about it.
    #[inline(always)]
    pub(crate) fn usual(octets: &'a [u8]) -> Option<Self> {
        let parts = Parts::usual(octets)?;
        Some(Self {
            nack: parts.nack,
            fragment: parts.fragment,
            header: parts.header()?,
        })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn any(octets: &'a [u8]) -> Result<Self, DecodeError> {
        let packet = Reader::datagram(octets)?;
        match packet.typ {
            LP_PACKET => Self::read(packet.inside()),
            INTEREST | DATA => Ok(Self {
                fragment: octets,
                ..Self::default()
            }),
            _ => Err(packet.error(ErrorKind::BadType)),
        }
    }

    /// Reads header fields up to the fragment, which must be the last element.
    fn read(mut reader: Reader<'a>) -> Result<Self, DecodeError> {
        let mut packet = Self::default();
        let start = reader;
        let mut last = 0;
        while !reader.is_empty() {
            let before = reader;
            let element = reader.element()?;
            match element.typ {
                FRAGMENT if element.value.is_empty() => {
                    return Err(element.error(ErrorKind::Missing));
                }
                FRAGMENT if !reader.is_empty() => {
                    return Err(reader.error(ErrorKind::Critical));
                }
                FRAGMENT => packet.fragment = element.value,
                late if late <= last => return Err(element.error(ErrorKind::Critical)),
                NACK => packet.nack = Some(NackReason::read(element)?),
                ACK => {
                    reader = before;
                    packet.header.acks = Acks::read(&mut reader)?;
                }
                typ => {
                    if !packet.header.read_field(element)? && !is_ignorable(typ) {
                        return Err(element.error(ErrorKind::Critical));
                    }
                }
            }
            last = element.typ;
        }
        let fault = |kind| DecodeError {
            offset: start.offset(),
            kind,
        };
        packet.header.check_fragment().map_err(fault)?;
        Ok(packet)
    }

    /// Decodes what is inside. A piece of a fragmented packet is left as it is.
    ///
    /// # Errors
    /// The first fault, with its offset in [`Self::fragment`].
    pub fn body(&self) -> Result<Body<'a>, DecodeError> {
        if self.fragment.is_empty() {
            return Ok(Body::Idle);
        }
        if self.header.is_fragmented() {
            return Ok(Body::Fragment {
                nack: self.nack,
                octets: self.fragment,
            });
        }
        Body::decode(self.fragment, self.nack)
    }

    /// Octets that [`Self::encode`] writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        let fields = self.header.encoded_len(self.nack);
        wrapped_len(fields, self.fragment.len())
    }

    /// Writes it to the front of `out`; says how many octets that took.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`]; [`EncodeError::Invalid`] for header fields that a decoder
    /// would refuse, and above [`MAX_PACKET`](crate::MAX_PACKET) octets. The fragment is not looked
    /// into.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let fields = self.header.encoded_len(self.nack);
        self.header.check().map_err(EncodeError::Invalid)?;
        Writer::packet(wrapped_len(fields, self.fragment.len()), out, |w| {
            write_wrapper(&self.header, self.nack, fields, self.fragment.len(), w);
            w.put(self.fragment);
        })
    }

    /// Octets that [`Self::encode_head`] writes.
    #[must_use]
    pub fn head_len(&self) -> usize {
        self.encoded_len().saturating_sub(self.fragment.len())
    }

    /// Writes everything but the fragment, so that a host can send the two from where they are.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_head(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        match self.encode_head_usual(out) {
            Some(len) => Ok(len),
            None => self.encode_head_any(out),
        }
    }

    /// Writes that if there is nothing unusual about it: around a large fragment.
    #[inline(always)]
    fn encode_head_usual(&self, out: &mut [u8]) -> Option<usize> {
        let fragment = self.fragment.len();
        if self.nack.is_some() || !(1..=crate::MAX_PACKET - MOST_AROUND).contains(&fragment) {
            return None;
        }
        let room = out.len();
        let mut pen = Pen::new(out);
        if fragment > 252 {
            let head = pen.slot::<4>()?;
            self.header.write_usual(&mut pen)?;
            pen.array(Pen::long_head(FRAGMENT, fragment)?)?;
            let len = room.wrapping_sub(pen.room());
            *head = Pen::long_head(LP_PACKET, len.wrapping_sub(4).wrapping_add(fragment))?;
            Some(len)
        } else {
            let head = pen.slot::<2>()?;
            self.header.write_usual(&mut pen)?;
            pen.array(Pen::short_head(FRAGMENT, fragment)?)?;
            let len = room.wrapping_sub(pen.room());
            *head = Pen::short_head(LP_PACKET, len.wrapping_sub(2).wrapping_add(fragment))?;
            Some(len)
        }
    }

    #[cold]
    #[inline(never)]
    fn encode_head_any(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        self.header.check().map_err(EncodeError::Invalid)?;
        let fields = self.header.encoded_len(self.nack);
        let whole = wrapped_len(fields, self.fragment.len());
        if whole > crate::MAX_PACKET {
            return Err(EncodeError::Invalid(ErrorKind::TooLong));
        }
        Writer::exactly(whole.saturating_sub(self.fragment.len()), out, |w| {
            write_wrapper(&self.header, self.nack, fields, self.fragment.len(), w);
        })
    }
}

/// Where the parts of a usual packet stand, which has no header fields but those that MARS sends. They
/// are decoded last, because what is decoded has to be kept somewhere.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pit_token: Option<&'a [u8]>,
    pub(crate) nack: Option<NackReason>,
    mars: Option<&'a [u8]>,
    pub(crate) fragment: &'a [u8],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    pub(crate) fn usual(octets: &'a [u8]) -> Option<Self> {
        let Some(mut packet) = Usual::packet(octets, LP_PACKET) else {
            // Network packets are only looked at to see that they are whole.
            Usual::packet(octets, INTEREST).or_else(|| Usual::packet(octets, DATA))?;
            return Some(Self {
                pit_token: None,
                nack: None,
                mars: None,
                fragment: octets,
            });
        };
        let parts = Self {
            pit_token: packet.small(PIT_TOKEN),
            nack: match packet.wide(NACK) {
                Some(nack) => Some(NackReason::usual(nack)?),
                None => None,
            },
            mars: packet.wide(MARS),
            fragment: packet.large(FRAGMENT)?,
        };
        (packet.is_empty() && !parts.fragment.is_empty()).then_some(parts)
    }

    #[inline(always)]
    pub(crate) fn header(self) -> Option<LinkHeader<'a>> {
        let pit_token = match self.pit_token {
            Some(token) => Some(PitToken::new(token)?),
            None => None,
        };
        let mars = match self.mars {
            Some(mars) => MarsHeader::usual(mars)?,
            None => MarsHeader::default(),
        };
        Some(LinkHeader::new(pit_token, mars))
    }
}

/// More octets than a PIT token, a MARS header and what is around them can take.
const MOST_AROUND: usize = 100;

/// Octets of a datagram with `fields` octets of header fields around `fragment` octets.
#[inline(always)]
pub(crate) const fn wrapped_len(fields: usize, fragment: usize) -> usize {
    match (fields, fragment) {
        (0, 1..) => fragment,
        (_, 0) => element_len(LP_PACKET, fields),
        _ => element_len(LP_PACKET, fields + element_len(FRAGMENT, fragment)),
    }
}

/// Writes what stands before the fragment. Without header fields a packet goes bare.
#[inline(always)]
pub(crate) fn write_wrapper(
    header: &LinkHeader<'_>,
    nack: Option<NackReason>,
    fields: usize,
    fragment: usize,
    w: &mut Writer<'_>,
) {
    match (fields, fragment) {
        (0, 1..) => {}
        (_, 0) => {
            w.head(LP_PACKET, fields);
            header.write(nack, w);
        }
        _ => {
            w.head(LP_PACKET, fields + element_len(FRAGMENT, fragment));
            header.write(nack, w);
            w.head(FRAGMENT, fragment);
        }
    }
}
