//! The packets that are decoded and encoded: a discovery Interest of 67 octets, and a Data of 1286
//! with 1200 octets of content and `DigestSha256` fields; each bare, and in an `LpPacket` with a PIT
//! token and a MARS header.

use std::time::Duration;

use mars_wire::{
    Body, Component, Data, Interest, Label, LinkHeader, LinkPacket, MarsHeader, MarsName,
    NackDetail, Name, NameBuf, Number, PitToken,
};

/// Octets of content of the Data.
pub const CONTENT: [u8; 1200] = [0x5A; 1200];

/// `/edge/client1/server1.example.local/pd/3/42`, taken apart.
#[must_use]
pub fn discovery(dest: &NameBuf) -> MarsName<'_> {
    MarsName::Discovery {
        dest: dest.as_name(),
        src: Component::generic(b"server1.example.local"),
        probe_idx: 3,
        seq: 42,
    }
}

/// `/edge/client1`.
#[must_use]
pub fn dest() -> NameBuf {
    NameBuf::new().generic(b"edge").generic(b"client1")
}

/// `/edge/client1/server1.example.local/pd/3/42`.
#[must_use]
pub fn discovery_name() -> NameBuf {
    discovery(&dest()).to_name_buf()
}

/// `/edge/client1/data/1000`.
#[must_use]
pub fn data_name() -> NameBuf {
    dest().generic(b"data").segment(1000)
}

/// The discovery Interest.
#[must_use]
pub fn interest(name: &NameBuf) -> Interest<'_> {
    interest_for(name.as_name())
}

/// The discovery Interest, for any name.
#[must_use]
#[inline]
pub fn interest_for(name: Name<'_>) -> Interest<'_> {
    let mut interest = Interest::new(name)
        .with_nonce(0xA1A2_A3A4)
        .with_lifetime(Duration::from_secs(2))
        .with_hop_limit(32);
    interest.must_be_fresh = true;
    interest
}

/// The Data, whose object ends with the component `last`.
#[must_use]
pub fn data<'a>(name: &'a NameBuf, last: &'a Number) -> Data<'a> {
    Data::new(name.as_name(), &CONTENT)
        .with_freshness(Duration::from_secs(10))
        .with_final_block_id(last.segment())
}

/// Number of the last segment of the object.
#[must_use]
pub const fn last() -> Number {
    Number::new(29_999)
}

/// A PIT token and a MARS header, as MARS sends them.
#[must_use]
pub fn header() -> LinkHeader<'static> {
    let mars = MarsHeader {
        interest_queue: Some(3),
        generation: Some(1),
        label: Some(Label::ONE),
        ..MarsHeader::default()
    };
    LinkHeader::new(PitToken::new(&[1, 2, 3, 4, 5, 6, 7, 8]), mars)
}

fn encoded(header: LinkHeader<'_>, body: Body<'_>) -> Vec<u8> {
    let packet = LinkPacket { header, body };
    let mut out = vec![0; packet.encoded_len()];
    let len = packet.encode(&mut out);
    assert_eq!(len, Ok(out.len()));
    out
}

/// Octets of the discovery Interest.
#[must_use]
pub fn bare_interest() -> Vec<u8> {
    encoded(
        LinkHeader::default(),
        Body::Interest(interest(&discovery_name())),
    )
}

/// Octets of the Data.
#[must_use]
pub fn bare_data() -> Vec<u8> {
    encoded(
        LinkHeader::default(),
        Body::Data(data(&data_name(), &last())),
    )
}

/// Octets of the discovery Interest in an `LpPacket`.
#[must_use]
pub fn linked_interest() -> Vec<u8> {
    encoded(header(), Body::Interest(interest(&discovery_name())))
}

/// Octets of the Data in an `LpPacket`.
#[must_use]
pub fn linked_data() -> Vec<u8> {
    encoded(header(), Body::Data(data(&data_name(), &last())))
}

/// Ten shapes of packets that a forwarder meets.
#[must_use]
pub fn ten_shapes() -> [Vec<u8>; 10] {
    let (name, data_name, last) = (discovery_name(), data_name(), last());
    let mars = |mars| LinkHeader::new(None, mars);
    let plain = Interest::new(data_name.as_name()).with_nonce(7);
    let stale = MarsHeader {
        generation: Some(2),
        nack_detail: Some(NackDetail::Stale),
        ..MarsHeader::default()
    };
    let answer = MarsHeader {
        data_queue: Some(9),
        tier_conv: true,
        node_conv: true,
        generation: Some(1),
        label: Some(Label::ONE),
        ..MarsHeader::default()
    };
    let queue = MarsHeader {
        interest_queue: Some(40),
        ..MarsHeader::default()
    };
    [
        bare_interest(),
        bare_data(),
        linked_interest(),
        linked_data(),
        encoded(LinkHeader::default(), Body::Interest(plain)),
        encoded(mars(queue), Body::Interest(plain.with_hop_limit(9))),
        encoded(
            mars(stale),
            Body::Nack(NackDetail::Stale.reason(), interest(&name)),
        ),
        encoded(
            mars(answer),
            Body::Data(Data::discovery_answer(name.as_name())),
        ),
        encoded(
            mars(queue),
            Body::Data(
                Data::new(data_name.as_name(), &[7; 64]).with_final_block_id(last.segment()),
            ),
        ),
        encoded(LinkHeader::new(PitToken::new(&[1]), stale), Body::Idle),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(bare_interest().len(), 67);
        assert_eq!(bare_data().len(), 1286);
    }
}
