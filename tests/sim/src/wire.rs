//! Between the decoded form and the octets of `mars-wire`.
//!
//! A frame's length is always that of its encoding, whether it is encoded or not, and a decoded
//! frame is rounded as its encoding would be, so that both ways give the same run.

use std::sync::Arc;
use std::time::Duration;

use mars_forwarder_core::Edit;
use mars_wire::{
    Body as WireBody, Data, DecodeError, EncodeError, Interest, LinkHeader, LinkPacket, MarsHeader,
    NameBuf, Number, PitToken,
};

use crate::packet::{Body, Content, Frame, Kind, Packet, Trace};

/// Octets of a packet on the wire, link header included, once `edit` is written into it.
#[must_use]
pub fn frame_len(packet: &Packet, edit: &Edit) -> u32 {
    let last = last_segment(&packet.body);
    let len = view(packet, edit, last.as_ref()).encoded_len();
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Octets of a frame on the wire.
#[must_use]
pub fn sealed_len(frame: &Frame) -> u32 {
    match frame {
        Frame::Decoded { packet, edit, .. } => frame_len(packet, edit),
        Frame::Octets { octets, .. } => u32::try_from(octets.len()).unwrap_or(u32::MAX),
    }
}

/// Makes a frame, encoded or not.
///
/// # Errors
/// The packet cannot be encoded.
pub fn seal(
    mut packet: Packet,
    edit: Edit,
    tunnel: Option<u32>,
    encode: bool,
) -> Result<Frame, EncodeError> {
    if encode {
        let last = last_segment(&packet.body);
        let view = view(&packet, &edit, last.as_ref());
        let mut octets = vec![0; view.encoded_len()];
        view.encode(&mut octets)?;
        return Ok(Frame::Octets {
            octets: octets.into(),
            trace: packet.trace,
            tunnel,
        });
    }
    if let Kind::Interest { .. } = packet.body.kind {
        packet.lifetime = whole_millis(lifetime(&packet, &edit));
        packet.hop_limit = hop_limit(&packet, &edit);
    }
    Ok(Frame::Decoded {
        packet,
        edit,
        tunnel,
    })
}

/// Opens a frame. What the sender wrote stands in the edit, as if it had travelled decoded.
///
/// # Errors
/// The octets are not a packet that nodes send to one another.
pub fn open(frame: Frame) -> Result<(Packet, Edit), OpenError> {
    match frame {
        Frame::Decoded { packet, edit, .. } => Ok((packet, edit)),
        Frame::Octets { octets, trace, .. } => decode(&octets, trace),
    }
}

/// Why a frame could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The decoder refused it.
    Decode(DecodeError),
    /// It is of a kind that no node sends.
    Kind,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Kind => f.write_str("neither Interest, Data nor Nack"),
        }
    }
}

fn decode(octets: &Arc<[u8]>, trace: Trace) -> Result<(Packet, Edit), OpenError> {
    let packet = LinkPacket::decode(octets).map_err(OpenError::Decode)?;
    let header = packet.header.mars;
    let pit_token = packet.header.pit_token;
    match packet.body {
        WireBody::Interest(interest) => {
            let edit = Edit::Interest {
                hop_limit: interest.hop_limit,
                nonce: interest.nonce.unwrap_or(0),
                lifetime: None,
                header,
            };
            Ok((own_interest(&interest, trace), edit))
        }
        WireBody::Nack(reason, interest) => {
            let edit = Edit::Nack {
                nonce: interest.nonce.unwrap_or(0),
                reason,
                pit_token,
                header,
            };
            Ok((own_interest(&interest, trace), edit))
        }
        WireBody::Data(data) => {
            let content = Content::Own(data.content.unwrap_or_default().into());
            let last = data
                .final_block_id()
                .and_then(mars_wire::Component::to_segment);
            let packet = Packet::data(data.name.into(), content, last, trace);
            Ok((packet, Edit::Data { pit_token, header }))
        }
        _ => Err(OpenError::Kind),
    }
}

fn own_interest(interest: &Interest<'_>, trace: Trace) -> Packet {
    let mut packet = Packet::interest(NameBuf::from(interest.name), interest.lifetime(), trace);
    packet.hop_limit = interest.hop_limit;
    packet
}

/// What goes over the wire, borrowed. `last` is the `FinalBlockId` of the body.
fn view<'a>(packet: &'a Packet, edit: &Edit, last: Option<&'a Number>) -> LinkPacket<'a> {
    let (pit_token, mars): (Option<PitToken>, MarsHeader) = match *edit {
        Edit::Interest { header, .. } => (None, header),
        Edit::Data { pit_token, header }
        | Edit::Nack {
            pit_token, header, ..
        } => (pit_token, header),
    };
    let body = match (&packet.body.kind, edit) {
        (Kind::Data { content, .. }, _) => WireBody::Data(data_view(&packet.body, content, last)),
        (Kind::Interest { must_be_fresh }, _) => {
            let mut interest = Interest::new(packet.name())
                .with_lifetime(lifetime(packet, edit))
                .with_nonce(nonce(edit));
            interest.must_be_fresh = *must_be_fresh;
            interest.hop_limit = hop_limit(packet, edit);
            match *edit {
                Edit::Nack { reason, .. } => WireBody::Nack(reason, interest),
                Edit::Interest { .. } | Edit::Data { .. } => WireBody::Interest(interest),
            }
        }
    };
    LinkPacket {
        header: LinkHeader::new(pit_token, mars),
        body,
    }
}

fn data_view<'a>(body: &'a Body, content: &'a Content, last: Option<&'a Number>) -> Data<'a> {
    let name = body.name.as_name();
    if body.discovery {
        return Data::discovery_answer(name);
    }
    let data = Data::new(name, content.as_slice());
    match last {
        Some(last) => data.with_final_block_id(last.segment()),
        None => data,
    }
}

fn last_segment(body: &Body) -> Option<Number> {
    match body.kind {
        Kind::Data { final_segment, .. } => final_segment.map(Number::new),
        Kind::Interest { .. } => None,
    }
}

const fn nonce(edit: &Edit) -> u32 {
    match edit {
        Edit::Interest { nonce, .. } | Edit::Nack { nonce, .. } => *nonce,
        Edit::Data { .. } => 0,
    }
}

fn lifetime(packet: &Packet, edit: &Edit) -> Duration {
    match edit {
        Edit::Interest {
            lifetime: Some(lifetime),
            ..
        } => *lifetime,
        _ => packet.lifetime,
    }
}

fn hop_limit(packet: &Packet, edit: &Edit) -> Option<u8> {
    match edit {
        Edit::Interest { hop_limit, .. } => packet.hop_limit.and(*hop_limit),
        Edit::Data { .. } | Edit::Nack { .. } => packet.hop_limit,
    }
}

/// As `InterestLifetime` rounds.
fn whole_millis(span: Duration) -> Duration {
    let millis = span.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use mars_time::Instant;
    use mars_wire::{Label, NackDetail, NackReason};

    use super::*;

    fn name(segment: u64) -> NameBuf {
        NameBuf::new()
            .generic(b"client1")
            .generic(b"data")
            .segment(segment)
    }

    fn probe() -> NameBuf {
        NameBuf::new()
            .generic(b"client1")
            .generic(b"server1")
            .generic(b"pd")
            .sequence(3)
            .sequence(42)
    }

    fn trace() -> Trace {
        Trace::new(0, Instant::ZERO)
    }

    fn header() -> MarsHeader {
        MarsHeader {
            generation: Some(7),
            label: Some(Label::ONE),
            interest_queue: Some(3),
            ..MarsHeader::default()
        }
    }

    /// Both ways over a link: what comes out must not depend on the way.
    fn both_ways(packet: &Packet, edit: Edit) {
        let decoded = open(seal(packet.clone(), edit, None, false).unwrap()).unwrap();
        let sealed = seal(packet.clone(), edit, None, true).unwrap();
        assert_eq!(sealed_len(&sealed), frame_len(packet, &edit));
        let coded = open(sealed).unwrap();
        for (got, edit_got) in [&decoded, &coded] {
            assert_eq!(got.name(), packet.name());
            assert_eq!(got.body.discovery, packet.body.discovery);
            assert_eq!(got.hop_limit, decoded.0.hop_limit);
            assert_eq!(got.lifetime, decoded.0.lifetime);
            assert_eq!(nonce(edit_got), nonce(&edit));
            assert_eq!(edit_got.header(), edit.header());
            let fields = |p: &Packet| p.data_fields().map(|(l, c)| (l, c.as_slice().to_vec()));
            assert_eq!(fields(got), fields(packet));
        }
    }

    #[test]
    fn interests_cross_a_link_alike_both_ways() {
        for name in [name(9), probe()] {
            let packet = Packet::interest(name, Duration::from_micros(1_500), trace());
            for (hop_limit, lifetime) in [
                (Some(9), None),
                (None, Some(Duration::from_nanos(7_000_001))),
                (Some(1), Some(Duration::from_secs(4))),
            ] {
                both_ways(
                    &packet,
                    Edit::Interest {
                        hop_limit,
                        nonce: 77,
                        lifetime,
                        header: header(),
                    },
                );
            }
        }
    }

    #[test]
    fn data_and_nacks_cross_a_link_alike_both_ways() {
        for (content, last) in [
            (Content::Zeros(1_200), None),
            (Content::Own([1, 2].into()), Some(300)),
        ] {
            let data = Packet::data(name(4), content, last, trace());
            both_ways(
                &data,
                Edit::Data {
                    pit_token: PitToken::new(&[1, 2, 3]),
                    header: header(),
                },
            );
            both_ways(
                &data,
                Edit::Data {
                    pit_token: None,
                    header: MarsHeader::default(),
                },
            );
        }
        let interest = Packet::interest(probe(), Duration::from_secs(2), trace());
        let mut header = header();
        header.nack_detail = Some(NackDetail::Order);
        both_ways(
            &interest,
            Edit::Nack {
                nonce: 5,
                reason: NackReason::NoRoute,
                pit_token: None,
                header,
            },
        );
    }

    #[test]
    fn a_chunk_of_1200_octets_stays_within_the_calibrated_packet() {
        let data = Packet::data(name(29_999), Content::Zeros(1_200), Some(29_999), trace());
        let mut header = MarsHeader {
            interest_queue: Some(1),
            data_queue: Some(1),
            ..MarsHeader::default()
        };
        header.generation = None;
        let octets = frame_len(
            &data,
            &Edit::Data {
                pit_token: None,
                header,
            },
        );
        assert!((1_201..=1_300).contains(&octets), "{octets}");
    }
}
