//! Cases of `mars-wire`, and of its peers with the same packets.

pub mod packets;
pub mod peers;

use mars_wire::{Data, Interest, LinkPacket, LpPacket, MarsName, Name, NameBuf};

use crate::{Case, keep};

/// All of them.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = decoding();
    cases.extend(encoding());
    cases.extend(names());
    cases.extend(peers::cases());
    cases
}

fn decoding() -> Vec<Case> {
    vec![
        Case::new("decode Interest", packets::bare_interest, |octets| {
            keep(&Interest::decode(octets));
        })
        .bar(225),
        Case::new("decode Data", packets::bare_data, |octets| {
            keep(&Data::decode(octets));
        })
        .bar(260),
        Case::new(
            "decode Interest on a link",
            packets::linked_interest,
            |octets| {
                keep(&LinkPacket::decode(octets));
            },
        )
        .bar(370),
        Case::new("decode Data on a link", packets::linked_data, |octets| {
            keep(&LinkPacket::decode(octets));
        })
        .bar(410),
        Case::new("decode ten shapes, each", packets::ten_shapes, |packets| {
            for octets in packets {
                keep(&LinkPacket::decode(octets));
            }
        })
        .per(10),
        Case::new("decode link layer only", packets::linked_data, |octets| {
            keep(&LpPacket::decode(octets));
        }),
    ]
}

/// A buffer that every packet here fits in.
fn buffer() -> Vec<u8> {
    vec![0; 2000]
}

fn encoding() -> Vec<Case> {
    vec![
        Case::new(
            "encode Interest",
            || (packets::discovery_name(), buffer()),
            |(name, out)| keep(&packets::interest(name).encode(out)),
        )
        .bar(155),
        Case::new(
            "encode Interest from components",
            || (packets::dest(), buffer()),
            |(dest, out)| {
                let mut name = [0; 64];
                let name = packets::discovery(dest).name(&mut name).unwrap_or_default();
                keep(&packets::interest_for(name).encode(out));
            },
        )
        .bar(530),
        Case::new(
            "encode Data",
            || (packets::data_name(), packets::last(), buffer()),
            |(name, last, out)| keep(&packets::data(name, last).encode(out)),
        )
        .bar(680),
        Case::new(
            "encode link header",
            || (packets::header(), buffer()),
            |(header, out)| {
                let packet = LpPacket {
                    header: *header,
                    nack: None,
                    fragment: &packets::CONTENT,
                };
                keep(&packet.encode_head(out));
            },
        ),
    ]
}

fn names() -> Vec<Case> {
    vec![
        Case::new("check a name", packets::discovery_name, |name| {
            keep(&Name::from_value(name.as_name().as_value()));
        }),
        Case::new("parse a MARS name", packets::discovery_name, |name| {
            keep(&MarsName::parse(name.as_name()));
        }),
        Case::new(
            "parse a URI",
            || packets::discovery_name().to_string(),
            |uri| keep(&uri.parse::<NameBuf>()),
        ),
    ]
}
