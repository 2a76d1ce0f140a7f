//! The dearest packets: of every kind of packet that makes a decoder work most per octet, one of half
//! the greatest length and one of all of it. No kind may cost more than twice as much when it is
//! twice as long, and none more than a small multiple of a normal packet.

use mars_wire::LinkPacket;

use crate::{Case, keep};

/// Octets of the shorter and the longer packet of each kind: half of the greatest length, and nearly
/// that.
pub const LENGTHS: [usize; 2] = [4400, 8800];

/// A kind of packet, made of as many of its parts as fit.
struct Kind {
    name: &'static str,
    make: fn(room: usize) -> Vec<u8>,
}

/// An element.
fn tlv(typ: u16, value: &[u8]) -> Vec<u8> {
    let mut out = match u8::try_from(typ) {
        Ok(typ @ 0..=252) => vec![typ],
        _ => [&[0xFD], &typ.to_be_bytes()[..]].concat(),
    };
    match u16::try_from(value.len()) {
        Ok(len @ 0..=252) => out.extend(&len.to_be_bytes()[1..]),
        Ok(len) => out.extend([&[0xFD], &len.to_be_bytes()[..]].concat()),
        Err(_) => unreachable!("values are short"),
    }
    out.extend(value);
    out
}

/// As many times `part` as there is room for.
fn fill(part: &[u8], room: usize) -> Vec<u8> {
    part.repeat(room / part.len())
}

/// The name `/A`.
const NAME: [u8; 5] = [7, 3, 8, 1, b'A'];
/// `SignatureInfo` of `DigestSha256`, and a value without octets.
const SIGNATURE: [u8; 7] = [22, 3, 27, 1, 0, 23, 0];

/// An Interest for `/A` with these elements behind the name.
fn interest(rest: &[u8]) -> Vec<u8> {
    tlv(5, &[&NAME, rest].concat())
}

/// An Interest with this name.
fn named(value: &[u8]) -> Vec<u8> {
    tlv(5, &tlv(7, value))
}

/// A Data with these elements between name and signature.
fn data(rest: &[u8]) -> Vec<u8> {
    tlv(6, &[&NAME, rest, &SIGNATURE].concat())
}

/// A Data with this `SignatureInfo`.
fn signed(info: &[u8]) -> Vec<u8> {
    tlv(6, &[&NAME[..], &tlv(22, info), &[23, 0]].concat())
}

/// An Interest for `/A` in an `LpPacket` with these header fields.
fn link(fields: &[u8]) -> Vec<u8> {
    tlv(100, &[fields, &tlv(80, &interest(&[]))].concat())
}

/// Room that is left for parts after what stands around them.
const AROUND: usize = 80;

const KINDS: [Kind; 18] = [
    Kind {
        name: "one Data, all content",
        make: |room| data(&tlv(21, &fill(&[0], room))),
    },
    Kind {
        name: "components without octets",
        make: |room| named(&fill(&[8, 0], room)),
    },
    Kind {
        name: "components of one octet",
        make: |room| named(&fill(&[8, 1, 7], room)),
    },
    Kind {
        name: "components with wide types",
        make: |room| named(&fill(&[0xFD, 1, 0, 0], room)),
    },
    Kind {
        name: "components that are digests",
        make: |room| named(&fill(&tlv(1, &[0; 32]), room)),
    },
    Kind {
        name: "components, every other wide",
        make: |room| named(&fill(&[8, 0, 0xFD, 1, 0, 0], room)),
    },
    Kind {
        name: "elements passed over",
        make: |room| interest(&fill(&[0x80, 0], room)),
    },
    Kind {
        name: "elements with wide types passed over",
        make: |room| interest(&fill(&[0xFD, 1, 0, 0], room)),
    },
    Kind {
        name: "elements passed over behind parameters",
        make: |room| {
            let name = tlv(7, &tlv(2, &[0; 32]));
            tlv(5, &[&name[..], &[36, 0], &fill(&[0x80, 0], room)].concat())
        },
    },
    Kind {
        name: "forwarding hint of empty names",
        make: |room| interest(&tlv(30, &fill(&[7, 0], room))),
    },
    Kind {
        name: "elements passed over in MetaInfo",
        make: |room| data(&tlv(20, &fill(&[0x80, 0], room))),
    },
    Kind {
        name: "elements passed over in SignatureInfo",
        make: |room| signed(&[&[27, 1, 0][..], &fill(&[0x80, 0], room)].concat()),
    },
    Kind {
        name: "elements passed over behind extensions",
        make: |room| signed(&[&[27, 1, 0, 38, 1, 0][..], &fill(&[0x80, 0], room)].concat()),
    },
    Kind {
        name: "elements passed over in a key locator",
        make: |room| {
            let locator = [&[29, 0][..], &fill(&[0x80, 0], room)].concat();
            signed(&[&[27, 1, 0][..], &tlv(28, &locator)].concat())
        },
    },
    Kind {
        name: "acknowledgements",
        make: |room| link(&fill(&tlv(836, &[0; 8]), room)),
    },
    Kind {
        name: "elements ignored in a Nack",
        make: |room| link(&tlv(800, &fill(&tlv(804, &[]), room))),
    },
    Kind {
        name: "elements ignored in a cache policy",
        make: |room| {
            let policy = [tlv(821, &[1]), fill(&tlv(804, &[]), room)].concat();
            link(&tlv(820, &policy))
        },
    },
    Kind {
        name: "prefix announcement of components",
        make: |room| {
            let name = tlv(7, &fill(&[8, 0], room));
            let announcement = tlv(6, &[&name[..], &SIGNATURE].concat());
            link(&tlv(848, &announcement))
        },
    },
];

/// All kinds, in both lengths.
#[must_use]
pub fn cases() -> Vec<Case> {
    let of_kind = |kind: &Kind| {
        let make = kind.make;
        LENGTHS.map(|length| {
            Case::new(
                format!("{}, {length}", kind.name),
                move || make(length - AROUND),
                |packet| keep(&LinkPacket::decode(packet)),
            )
            .long()
        })
    };
    KINDS.iter().flat_map(of_kind).collect()
}

/// What the counts of [`cases`] say: the most instructions per octet, in thousandths, and by which
/// kind; or which kind grows faster than its length.
///
/// # Errors
/// In words.
pub fn verdict(counts: &[(String, u64)]) -> Result<String, String> {
    let mut most = (0, "");
    for pair in counts.chunks_exact(2) {
        let [(name, short), (_, long)] = pair else {
            unreachable!("chunks of two")
        };
        // A little for what does not grow.
        if *long > short * 2 + short / 20 + 100 {
            return Err(format!(
                "{name}: {short} instructions, twice the length {long}"
            ));
        }
        most = most.max((*long, name));
    }
    let per_octet = |count: u64| count * 10 / LENGTHS[1] as u64;
    let (count, name) = most;
    let tenths = per_octet(count);
    Ok(format!(
        "the dearest of {} octets takes {count} instructions, {}.{} per octet: {name}",
        LENGTHS[1],
        tenths / 10,
        tenths % 10,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_noticed() {
        let counts = |short, long| [("a".into(), short), ("b".into(), long)];
        assert!(verdict(&counts(1000, 2100)).is_ok());
        assert!(verdict(&counts(1000, 2151)).is_err());
        assert!(verdict(&counts(10_000, 40_000)).is_err());
    }

    #[test]
    fn every_kind_decodes_and_is_as_long_as_it_can_be() {
        for Kind { name, make } in KINDS {
            for length in LENGTHS {
                let packet = make(length - AROUND);
                assert!(packet.len() <= length, "{name}");
                assert!(packet.len() + AROUND + 40 > length, "{name}");
                assert!(LinkPacket::decode(&packet).is_ok(), "{name}");
            }
        }
    }
}
