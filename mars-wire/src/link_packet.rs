//! A datagram with everything in it decoded.

use crate::lp_packet::{Parts, wrapped_len, write_wrapper};
use crate::pen::Pen;
use crate::tlv::Reader;
use crate::types::{FRAGMENT, LP_PACKET};
use crate::writer::Writer;
use crate::{
    Data, DecodeError, EncodeError, ErrorKind, Interest, LinkHeader, LpPacket, MAX_PACKET,
    NackReason,
};

/// What a datagram carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body<'a> {
    /// Nothing: header fields only, if any.
    Idle,
    /// A request.
    Interest(Interest<'a>),
    /// An answer.
    Data(Data<'a>),
    /// A request that came back, and why. Never to be taken for a new one.
    Nack(NackReason, Interest<'a>),
    /// A piece of a fragmented packet.
    Fragment {
        /// Whether the packet is a Nack, if the first fragment says so.
        nack: Option<NackReason>,
        /// The piece, never empty.
        octets: &'a [u8],
    },
}

impl<'a> Body<'a> {
    /// Decodes the network packet `octets`, and puts it into a Nack if there is a reason.
    pub(crate) fn decode(octets: &'a [u8], nack: Option<NackReason>) -> Result<Self, DecodeError> {
        // Types of one octet, as they stand before a packet.
        match (octets, nack) {
            ([5, ..], None) => Ok(Self::Interest(Interest::decode(octets)?)),
            ([5, ..], Some(reason)) => Ok(Self::Nack(reason, Interest::decode(octets)?)),
            ([6, ..], None) => Ok(Self::Data(Data::decode(octets)?)),
            ([6, ..], Some(_)) => Err(Reader::datagram(octets)?.error(ErrorKind::NackedData)),
            _ => Err(Reader::datagram(octets)?.error(ErrorKind::BadType)),
        }
    }

    /// The same if there is nothing unusual about it.
    #[inline(always)]
    fn usual(octets: &'a [u8], nack: Option<NackReason>) -> Option<Self> {
        match (octets, nack) {
            ([5, ..], None) => Some(Self::Interest(Interest::usual(octets)?)),
            ([5, ..], Some(reason)) => Some(Self::Nack(reason, Interest::usual(octets)?)),
            ([6, ..], None) => Some(Self::Data(Data::usual(octets)?)),
            _ => None,
        }
    }

    #[inline(always)]
    fn nack(&self) -> Option<NackReason> {
        match *self {
            Self::Nack(reason, _) => Some(reason),
            Self::Fragment { nack, .. } => nack,
            Self::Idle | Self::Interest(_) | Self::Data(_) => None,
        }
    }

    fn encoded_len(&self) -> usize {
        match self {
            Self::Idle => 0,
            Self::Interest(interest) | Self::Nack(_, interest) => interest.encoded_len(),
            Self::Data(data) => data.encoded_len(),
            Self::Fragment { octets, .. } => octets.len(),
        }
    }

    fn write(&self, w: &mut Writer<'_>) {
        match self {
            Self::Idle => {}
            Self::Interest(interest) | Self::Nack(_, interest) => {
                interest.write(interest.value_len(), w);
            }
            Self::Data(data) => data.write(data.value_len(), w),
            Self::Fragment { octets, .. } => w.put(octets),
        }
    }

    fn check(&self, fragmented: bool) -> Result<(), ErrorKind> {
        match self {
            Self::Fragment { octets, .. } if !fragmented || octets.is_empty() => {
                Err(ErrorKind::BadFragment)
            }
            Self::Idle | Self::Fragment { .. } => Ok(()),
            Self::Interest(_) | Self::Data(_) | Self::Nack(..) if fragmented => {
                Err(ErrorKind::BadFragment)
            }
            Self::Interest(interest) | Self::Nack(_, interest) => interest.check(),
            Self::Data(data) => data.check(),
        }
    }
}

/// A datagram, decoded or to be encoded: bare, in an `LpPacket`, or IDLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkPacket<'a> {
    /// The header fields; none if the packet is bare.
    pub header: LinkHeader<'a>,
    /// The rest.
    pub body: Body<'a>,
}

impl<'a> LinkPacket<'a> {
    /// Decodes the datagram `octets`, whole. To keep the octets of the network packet too, call
    /// [`LpPacket::decode`] and [`LpPacket::body`], which is the same in two steps.
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
        let body = Body::usual(parts.fragment, parts.nack)?;
        let header = parts.header()?;
        Some(Self { header, body })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn any(octets: &'a [u8]) -> Result<Self, DecodeError> {
        let packet = LpPacket::decode(octets)?;
        // The fragment is the end of the datagram.
        let at = octets.len().saturating_sub(packet.fragment.len());
        let body = packet.body().map_err(|error| error.shifted(at))?;
        Ok(Self {
            header: packet.header,
            body,
        })
    }

    /// Octets that [`Self::encode`] writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        let fields = self.header.encoded_len(self.body.nack());
        wrapped_len(fields, self.body.encoded_len())
    }

    /// Writes it to the front of `out`; says how many octets that took. Without header fields a
    /// packet goes bare.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`]; [`EncodeError::Invalid`] for a packet that a decoder would
    /// refuse, and above [`MAX_PACKET`](crate::MAX_PACKET) octets.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        match self.encode_usual(out) {
            Some(len) => Ok(len),
            None => self.encode_any(out),
        }
    }

    /// Writes it if there is nothing unusual about it.
    #[inline(always)]
    fn encode_usual(&self, out: &mut [u8]) -> Option<usize> {
        let room = out.len();
        let mut pen = Pen::new(out);
        match &self.body {
            Body::Interest(interest) => {
                let head = pen.slot::<2>()?;
                self.header.write_usual(&mut pen)?;
                let fragment = pen.slot::<2>()?;
                *fragment = Pen::short_head(FRAGMENT, interest.write_usual(&mut pen)?)?;
                let len = room.wrapping_sub(pen.room());
                *head = Pen::short_head(LP_PACKET, len.wrapping_sub(2))?;
                Some(len)
            }
            Body::Data(data) => {
                let head = pen.slot::<4>()?;
                self.header.write_usual(&mut pen)?;
                let fragment = pen.slot::<4>()?;
                *fragment = Pen::long_head(FRAGMENT, data.write_usual(&mut pen)?)?;
                let len = room.wrapping_sub(pen.room());
                *head = Pen::long_head(LP_PACKET, len.wrapping_sub(4))?;
                (len <= MAX_PACKET).then_some(len)
            }
            Body::Idle | Body::Nack(..) | Body::Fragment { .. } => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn encode_any(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        self.header.check().map_err(EncodeError::Invalid)?;
        self.body
            .check(self.header.is_fragmented())
            .map_err(EncodeError::Invalid)?;
        let nack = self.body.nack();
        let fields = self.header.encoded_len(nack);
        let fragment = self.body.encoded_len();
        Writer::packet(wrapped_len(fields, fragment), out, |w| {
            write_wrapper(&self.header, nack, fields, fragment, w);
            self.body.write(w);
        })
    }
}
