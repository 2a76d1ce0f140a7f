//! Cases of `mars-wire`, and of its peers with the same packets.

pub mod floor;
pub mod packets;
pub mod peers;

use mars_wire::{Body, Data, Interest, LinkPacket, LpPacket, MarsName, Name, NameBuf};

use crate::{Case, keep};

/// All of them.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = decoding();
    cases.extend(encoding());
    cases.extend(names());
    cases.extend(floors());
    cases.extend(peers::cases());
    cases
}

fn floors() -> Vec<Case> {
    vec![
        Case::new("floor: decode Interest", packets::bare_interest, |octets| {
            keep(&floor::interest(octets));
        }),
        Case::new("floor: decode Data", packets::bare_data, |octets| {
            keep(&floor::data(octets));
        }),
        Case::new(
            "floor: decode Interest on a link",
            packets::linked_interest,
            |octets| keep(&floor::linked_interest(octets)),
        ),
        Case::new(
            "floor: decode Data on a link",
            packets::linked_data,
            |octets| keep(&floor::linked_data(octets)),
        ),
        Case::new(
            "floor: encode Interest",
            || (packets::bare_interest(), buffer()),
            |(octets, out)| {
                if let Some(request) = floor::interest(octets) {
                    keep(&floor::encode_interest(&request, out));
                }
            },
        ),
    ]
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

/// A value for views to borrow from for as long as the program runs.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// In an `LpPacket` with a PIT token and a MARS header.
fn on_a_link(body: Body<'static>) -> LinkPacket<'static> {
    LinkPacket {
        header: packets::header(),
        body,
    }
}

/// A buffer that every packet here fits in.
fn buffer() -> Vec<u8> {
    vec![0; 2000]
}

fn encoding() -> Vec<Case> {
    vec![
        Case::new(
            "encode Interest",
            || (packets::interest(leak(packets::discovery_name())), buffer()),
            |(interest, out)| keep(&interest.encode(out)),
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
            || {
                let (name, last) = (leak(packets::data_name()), leak(packets::last()));
                (packets::data(name, last), buffer())
            },
            |(data, out)| keep(&data.encode(out)),
        )
        .bar(680),
        Case::new(
            "encode Interest on a link",
            || {
                let interest = packets::interest(leak(packets::discovery_name()));
                (on_a_link(Body::Interest(interest)), buffer())
            },
            |(packet, out)| keep(&packet.encode(out)),
        ),
        Case::new(
            "encode Data on a link",
            || {
                let (name, last) = (leak(packets::data_name()), leak(packets::last()));
                let data = packets::data(name, last);
                (on_a_link(Body::Data(data)), buffer())
            },
            |(packet, out)| keep(&packet.encode(out)),
        ),
        Case::new(
            "encode link header",
            || {
                let packet = LpPacket {
                    header: packets::header(),
                    nack: None,
                    fragment: leak(packets::CONTENT),
                };
                (packet, buffer())
            },
            |(packet, out)| keep(&packet.encode_head(out)),
        ),
    ]
}

fn names() -> Vec<Case> {
    vec![
        Case::new(
            "encode MARS header",
            || (packets::header().mars, buffer()),
            |(header, out)| keep(&header.encode(out)),
        ),
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
