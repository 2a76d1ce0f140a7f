//! The same packets through ndn-protocol and ndn-ndnlp.

use bytes::Bytes;
use ndn_ndnlp::Packet;
use ndn_protocol::{Data, Interest};
use ndn_tlv::{TlvDecode, TlvEncode};

use super::packets;
use crate::{Case, keep};

/// A bare Interest, decoded by ndn-protocol.
///
/// # Panics
/// It is refused.
#[must_use]
pub fn interest(octets: &Bytes) -> Interest<Bytes> {
    Interest::decode(&mut octets.clone()).unwrap()
}

/// A bare Data, decoded by ndn-protocol.
///
/// # Panics
/// It is refused.
#[must_use]
pub fn data(octets: &Bytes) -> Data<Bytes> {
    Data::decode(&mut octets.clone()).unwrap()
}

/// A packet on a link, and what is inside, decoded by ndn-ndnlp and ndn-protocol.
///
/// # Panics
/// It is refused.
#[must_use]
pub fn packet(octets: &Bytes) -> (Packet, Packet) {
    let packet = Packet::decode(&mut octets.clone()).unwrap();
    let Packet::LpPacket(link) = &packet else {
        panic!("on a link")
    };
    let mut fragment = link.fragment().unwrap();
    let inside = Packet::decode(&mut fragment).unwrap();
    (packet, inside)
}

/// What peers take for the same work.
pub(super) fn cases() -> Vec<Case> {
    let cases = [
        Case::new(
            "ndn-protocol: decode Interest",
            || Bytes::from(packets::bare_interest()),
            |octets| keep(&interest(octets)),
        ),
        Case::new(
            "ndn-protocol: decode Data",
            || Bytes::from(packets::bare_data()),
            |octets| keep(&data(octets)),
        ),
        Case::new(
            "ndn-ndnlp: decode Interest on a link",
            || Bytes::from(packets::linked_interest()),
            |octets| keep(&packet(octets)),
        ),
        Case::new(
            "ndn-ndnlp: decode Data on a link",
            || Bytes::from(packets::linked_data()),
            |octets| keep(&packet(octets)),
        ),
        Case::new(
            "ndn-protocol: encode Interest",
            || interest(&Bytes::from(packets::bare_interest())),
            |interest| keep(&interest.encode()),
        ),
        Case::new(
            "ndn-protocol: encode Data",
            || data(&Bytes::from(packets::bare_data())),
            |data| keep(&data.encode()),
        ),
    ];
    cases.into_iter().map(Case::peer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They do the same work: what they decode, they encode to the same octets.
    #[test]
    fn peers_read_all_of_it() {
        let octets = Bytes::from(packets::bare_interest());
        assert_eq!(interest(&octets).encode(), octets);
        let octets = Bytes::from(packets::bare_data());
        assert_eq!(data(&octets).encode(), octets);
    }
}
