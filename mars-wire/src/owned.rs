//! A packet together with the buffer that it came in.

use core::ops::Range;

use bytes::Bytes;

use crate::{Body, DecodeError, LinkHeader, LinkPacket, LpPacket};

/// A datagram that was checked once and owns its octets. What it hands out shares one buffer with
/// it; nothing is copied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnedPacket {
    octets: Bytes,
    network: Range<usize>,
    content: Option<Range<usize>>,
}

impl OwnedPacket {
    /// Decodes the datagram `octets`, whole.
    ///
    /// # Errors
    /// As [`LinkPacket::decode`].
    pub fn decode(octets: Bytes) -> Result<Self, DecodeError> {
        let packet = LinkPacket::decode(&octets)?;
        let network = range_of(&octets, LpPacket::decode(&octets)?.fragment);
        let content = match packet.body {
            Body::Data(data) => data.content.map(|content| range_of(&octets, content)),
            Body::Idle | Body::Interest(_) | Body::Nack(..) | Body::Fragment { .. } => None,
        };
        Ok(Self {
            octets,
            network,
            content,
        })
    }

    /// The whole datagram.
    #[must_use]
    pub const fn octets(&self) -> &Bytes {
        &self.octets
    }

    /// The bare Interest or Data inside, or the piece of one; empty if the packet is IDLE.
    #[must_use]
    pub fn network(&self) -> Bytes {
        self.octets.slice(self.network.clone())
    }

    /// The content, if it is a Data that has one.
    #[must_use]
    pub fn content(&self) -> Option<Bytes> {
        Some(self.octets.slice(self.content.clone()?))
    }

    /// The fields. They are decoded again at each call.
    #[must_use]
    pub fn packet(&self) -> LinkPacket<'_> {
        // The octets were accepted before and have not changed.
        LinkPacket::decode(&self.octets).unwrap_or(LinkPacket {
            header: LinkHeader::default(),
            body: Body::Idle,
        })
    }
}

/// Where `part` stands in `whole`, of which it is a part.
fn range_of(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr().wrapping_sub(whole.as_ptr().addr());
    let inside = start..start.wrapping_add(part.len());
    if whole.get(inside.clone()).is_some() {
        inside
    } else {
        // An empty slice may stand anywhere.
        0..0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, MarsHeader, Name};
    use alloc::vec;

    #[test]
    fn shares_the_buffer() {
        let data = Data::new(Name::from_value(&[8, 1, b'A']).unwrap(), b"content");
        let mars = MarsHeader {
            tier_conv: true,
            ..MarsHeader::default()
        };
        let packet = LinkPacket {
            header: LinkHeader::new(None, mars),
            body: Body::Data(data),
        };
        let mut octets = vec![0; packet.encoded_len()];
        packet.encode(&mut octets).unwrap();
        let owned = OwnedPacket::decode(octets.into()).unwrap();
        assert_eq!(owned.packet(), packet);
        assert_eq!(Data::decode(&owned.network()), Ok(data));
        let content = owned.content().unwrap();
        assert_eq!(content, &b"content"[..]);
        let buffer = owned.octets().as_ptr_range();
        assert!(buffer.contains(&content.as_ptr()), "not a copy");
        assert!(buffer.contains(&owned.network().as_ptr()), "not a copy");
    }

    #[test]
    fn idle_has_neither_packet_nor_content() {
        let owned = OwnedPacket::decode(Bytes::from_static(&[100, 0])).unwrap();
        assert_eq!(owned.packet().body, Body::Idle);
        assert!(owned.network().is_empty());
        assert_eq!(owned.content(), None);
    }
}
