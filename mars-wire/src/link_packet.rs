//! A datagram with everything in it decoded.

use crate::lp_packet::{wrapped_len, write_wrapper};
use crate::writer::Writer;
use crate::{
    Data, DecodeError, EncodeError, ErrorKind, Interest, LinkHeader, LpPacket, NackReason,
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

impl Body<'_> {
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
            Self::Interest(interest) | Self::Nack(_, interest) => interest.write(w),
            Self::Data(data) => data.write(w),
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
