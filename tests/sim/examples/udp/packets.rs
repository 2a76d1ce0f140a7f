//! Between octets and what the forwarder takes and gives.

use mars_forwarder_core::{Data, Edit, FaceId, Input, Interest, Nack};
use mars_wire::{Body, DecodeError, InterestEdit, LinkHeader, LpPacket};

use crate::Fault;

/// What to tell the forwarder about a datagram. The handle of a packet is its octets without the
/// link header: they go out again as they came, but for what changes in an Interest at each hop.
pub(crate) fn decoded(face: FaceId, octets: &[u8]) -> Result<Input<'_, Vec<u8>>, DecodeError> {
    let link = LpPacket::decode(octets)?;
    let header = link.header.mars;
    let packet = link.fragment.to_vec();
    Ok(match link.body()? {
        Body::Interest(interest) => {
            let interest = Interest {
                name: interest.name,
                nonce: interest.nonce,
                lifetime: interest.lifetime(),
                hop_limit: interest.hop_limit,
                pit_token: link.header.pit_token,
                must_be_fresh: interest.must_be_fresh,
                header,
            };
            Input::Interest {
                face,
                interest,
                packet,
            }
        }
        Body::Data(data) => {
            let freshness = data.freshness();
            let data = Data {
                name: data.name,
                freshness: (!freshness.is_zero()).then_some(freshness),
                octets: packet.len().try_into().unwrap_or(u32::MAX),
                header,
            };
            Input::Data { face, data, packet }
        }
        Body::Nack(reason, interest) => {
            let nack = Nack {
                name: interest.name,
                nonce: interest.nonce,
                reason,
                header,
            };
            Input::Nack { face, nack }
        }
        // No packet in it, or a piece of one: this link takes all packets whole.
        Body::Idle | Body::Fragment { .. } => Input::Timeout,
    })
}

/// The datagram to send, with what the forwarder wants written into the packet.
pub(crate) fn encoded(edit: Edit, packet: &[u8]) -> Result<Vec<u8>, Fault> {
    let changed;
    let mut link = LpPacket {
        fragment: packet,
        ..LpPacket::default()
    };
    match edit {
        Edit::Interest {
            hop_limit,
            nonce,
            lifetime,
            header,
        } => {
            let edit = InterestEdit {
                hop_limit,
                nonce: Some(nonce),
                lifetime_ms: match lifetime {
                    Some(lifetime) => Some(lifetime.as_micros().div_ceil(1_000).try_into()?),
                    None => None,
                },
            };
            changed = rewritten(edit, packet)?;
            link.fragment = &changed;
            link.header = LinkHeader::new(None, header);
        }
        Edit::Data { pit_token, header } => link.header = LinkHeader::new(pit_token, header),
        Edit::Nack {
            nonce,
            reason,
            pit_token,
            header,
        } => {
            let edit = InterestEdit {
                nonce: Some(nonce),
                ..InterestEdit::default()
            };
            changed = rewritten(edit, packet)?;
            link.fragment = &changed;
            link.nack = Some(reason);
            link.header = LinkHeader::new(pit_token, header);
        }
    }
    let mut octets = vec![0; link.encoded_len()];
    link.encode(&mut octets)?;
    Ok(octets)
}

fn rewritten(edit: InterestEdit, interest: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut octets = vec![0; edit.encoded_len(interest)?];
    edit.encode(interest, &mut octets)?;
    Ok(octets)
}
