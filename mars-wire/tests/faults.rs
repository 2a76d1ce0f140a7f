//! One fault at a time, at every depth: where it is found, and what it is called.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use mars_wire::ErrorKind::{
    self, BadFragment, BadLength, BadType, Critical, Missing, NackedData, NonMinimal,
    ParametersDigest, TooLong, Trailing, Truncated,
};
use mars_wire::LinkPacket;

/// An element with a short TYPE and LENGTH; `typ` above 252 takes the form of three octets.
fn tlv(typ: u16, value: &[u8]) -> Vec<u8> {
    let mut out = match u8::try_from(typ) {
        Ok(typ) if typ <= 252 => vec![typ],
        _ => vec![0xFD, typ.to_be_bytes()[0], typ.to_be_bytes()[1]],
    };
    match u8::try_from(value.len()) {
        Ok(len) if len <= 252 => out.push(len),
        _ => {
            out.push(0xFD);
            out.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        }
    }
    out.extend(value);
    out
}

/// The name `/A`.
const NAME: [u8; 5] = [7, 3, 8, 1, b'A'];
/// `SignatureInfo` of `DigestSha256`, and a value without octets.
const SIGNATURE: [u8; 7] = [22, 3, 27, 1, 0, 23, 0];

/// An Interest for `/A` with these elements behind the name.
fn interest(rest: &[u8]) -> Vec<u8> {
    tlv(5, &[&NAME[..], rest].concat())
}

/// A Data of name `/A` with these elements between name and signature.
fn data(rest: &[u8]) -> Vec<u8> {
    tlv(6, &[&NAME[..], rest, &SIGNATURE].concat())
}

/// A Data of name `/A` with this `SignatureInfo`.
fn signed(info: &[u8]) -> Vec<u8> {
    tlv(6, &[&NAME[..], &tlv(22, info), &[23, 0]].concat())
}

/// An Interest for `/A` in an `LpPacket` with these header fields.
fn link(fields: &[u8]) -> Vec<u8> {
    tlv(100, &[fields, &tlv(80, &interest(&[]))].concat())
}

/// Nothing, or where and what the fault is.
type Verdict = Result<(), (usize, ErrorKind)>;

fn verdict(octets: &[u8]) -> Verdict {
    match LinkPacket::decode(octets) {
        Ok(_) => Ok(()),
        Err(error) => Err((error.offset, error.kind)),
    }
}

fn check(table: &[(Vec<u8>, Verdict)]) {
    for (octets, expected) in table {
        assert_eq!(verdict(octets), *expected, "{octets:02x?}");
    }
}

#[test]
fn datagrams() {
    let long = tlv(
        6,
        &[&NAME[..], &tlv(21, &vec![0; 8000]), &SIGNATURE].concat(),
    );
    let fill = |octets: usize| {
        let content = tlv(21, &vec![0; octets]);
        tlv(6, &[&NAME[..], &content, &SIGNATURE].concat())
    };
    check(&[
        (vec![], Err((0, Truncated))),
        (vec![5], Err((1, Truncated))),
        (vec![7, 0], Err((0, BadType))),
        (vec![8, 0], Err((0, BadType))),
        (vec![80, 0], Err((0, BadType))),
        (vec![5, 0], Err((0, Missing))),
        (vec![6, 0], Err((0, Missing))),
        (vec![0; 9000], Err((0, TooLong))),
        (long, Ok(())),
        // 8800 octets and no more: 4 + 5 + 4 + content + 7.
        (fill(8780), Ok(())),
        (fill(8781), Err((0, TooLong))),
        ([interest(&[]), interest(&[])].concat(), Err((7, Trailing))),
    ]);
}

#[test]
fn interests() {
    let digest = tlv(2, &[0; 32]);
    let name = tlv(7, &[&[8, 1, b'A'][..], &digest].concat());
    let with_parameters = |rest: &[u8]| tlv(5, &[&name[..], &[36, 0], rest].concat());
    let info = [44, 3, 27, 1, 0];
    let behind = 2 + name.len() + 2;
    check(&[
        (interest(&[]), Ok(())),
        (
            interest(&[
                33, 0, 18, 0, 30, 2, 7, 0, 10, 4, 1, 2, 3, 4, 12, 1, 9, 34, 1, 9,
            ]),
            Ok(()),
        ),
        (interest(&[18, 1, 0]), Err((7, BadLength))),
        (interest(&[18, 0, 33, 0]), Err((9, Critical))),
        (interest(&[33, 0, 33, 0]), Err((9, Critical))),
        (interest(&[18, 0, 18, 0]), Err((9, Critical))),
        (interest(&[30, 2, 7, 0, 30, 2, 7, 0]), Err((11, Critical))),
        (interest(&[30, 2, 7, 0, 18, 0]), Err((11, Critical))),
        (
            interest(&[10, 4, 0, 0, 0, 0, 30, 2, 7, 0]),
            Err((13, Critical)),
        ),
        (
            interest(&[10, 4, 0, 0, 0, 0, 10, 4, 0, 0, 0, 0]),
            Err((13, Critical)),
        ),
        (interest(&[12, 1, 0, 12, 1, 0]), Err((10, Critical))),
        (interest(&[10, 3, 0, 0, 0]), Err((7, BadLength))),
        (interest(&[10, 0]), Err((7, BadLength))),
        (interest(&[12, 0]), Err((7, BadLength))),
        (
            interest(&[12, 8, 255, 255, 255, 255, 255, 255, 255, 255]),
            Ok(()),
        ),
        (interest(&[34, 0]), Err((7, BadLength))),
        // Hop limits behind their place are skipped, whatever is in them.
        (interest(&[34, 1, 1, 34, 9]), Err((10, Truncated))),
        (interest(&[34, 1, 1, 34, 2, 0, 0]), Ok(())),
        (interest(&[34, 1, 1, 12, 1, 0]), Err((10, Critical))),
        (interest(&NAME), Err((7, Critical))),
        // Unknown elements, at the edges of "critical".
        (interest(&[31, 0]), Err((7, Critical))),
        (interest(&[32, 0]), Ok(())),
        (interest(&[35, 0]), Err((7, Critical))),
        (interest(&tlv(254, &[])), Ok(())),
        (interest(&tlv(255, &[])), Err((7, Critical))),
        (interest(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFE, 0]), Ok(())),
        (
            interest(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0]),
            Err((7, Critical)),
        ),
        (interest(&[0, 0]), Err((7, BadType))),
        (
            interest(&[0xFD, 0, 10, 4, 1, 2, 3, 4]),
            Err((7, NonMinimal)),
        ),
        // Forwarding hints.
        (interest(&[30, 4, 7, 0, 7, 0]), Ok(())),
        (interest(&[30, 2, 8, 0]), Err((9, Critical))),
        (interest(&[30, 2, 31, 0]), Err((9, Critical))),
        (interest(&[30, 2, 32, 0]), Err((9, Missing))),
        (interest(&[30, 4, 7, 2, 8, 9]), Err((11, Truncated))),
        // Parameters and their digest.
        (with_parameters(&[]), Ok(())),
        (with_parameters(&[36, 0]), Ok(())),
        (
            with_parameters(&[10, 4, 1, 2, 3, 4]),
            Err((behind, Critical)),
        ),
        (with_parameters(&[34, 1, 1]), Ok(())),
        (with_parameters(&[&info[..], &[46, 0]].concat()), Ok(())),
        (with_parameters(&info), Err((behind, Missing))),
        (with_parameters(&[46, 0]), Err((behind, Missing))),
        (with_parameters(&[44, 0, 46, 0]), Err((behind, Missing))),
        (interest(&[36, 0]), Err((2, ParametersDigest))),
        // A signature without parameters must not pass for no signature.
        (interest(&[&info[..], &[46, 0]].concat()), Err((7, Missing))),
        (interest(&[46, 0]), Err((7, Missing))),
        (tlv(5, &name), Err((2, ParametersDigest))),
    ]);
}

#[test]
fn data_packets() {
    check(&[
        (data(&[]), Ok(())),
        (data(&[20, 0, 21, 0]), Ok(())),
        (data(&[20, 3, 24, 1, 2]), Ok(())),
        (data(&[20, 2, 24, 0]), Err((9, BadLength))),
        (data(&[20, 5, 25, 3, 0, 0, 0]), Err((9, BadLength))),
        (data(&[20, 6, 25, 1, 0, 24, 1, 0]), Err((12, Critical))),
        (data(&[20, 4, 26, 2, 8, 0]), Ok(())),
        (
            data(&[20, 8, 26, 2, 8, 0, 26, 2, 8, 0]),
            Err((13, Critical)),
        ),
        (data(&[20, 6, 24, 1, 0, 24, 1, 0]), Err((12, Critical))),
        (data(&[20, 6, 25, 1, 0, 25, 1, 0]), Err((12, Critical))),
        (data(&[20, 7, 26, 2, 8, 0, 25, 1, 0]), Err((13, Critical))),
        (data(&[23, 0]), Err((9, Critical))),
        (data(&[21, 0, 20, 0]), Err((9, Critical))),
        (data(&[20, 6, 26, 4, 8, 0, 8, 0]), Err((13, Trailing))),
        (data(&[20, 4, 26, 2, 0, 0]), Err((11, BadType))),
        (data(&[20, 5, 26, 3, 1, 1, 0]), Err((11, BadLength))),
        (data(&[20, 2, 32, 0]), Ok(())),
        (data(&[20, 2, 33, 0]), Err((9, Critical))),
        (data(&[20, 3, 26, 9, 8]), Err((9, Truncated))),
        (data(&[21, 0, 21, 0]), Err((9, Critical))),
        (data(&[20, 0, 20, 0]), Err((9, Critical))),
        (data(&NAME), Err((7, Critical))),
        (data(&[10, 4, 1, 2, 3, 4]), Err((7, Critical))),
        (tlv(6, &SIGNATURE), Err((2, Missing))),
        (
            tlv(6, &[&[32, 0], &NAME[..], &SIGNATURE].concat()),
            Err((2, Missing)),
        ),
    ]);
}

#[test]
fn signatures() {
    let typ = [27, 1, 3];
    let with = |rest: &[u8]| signed(&[&typ[..], rest].concat());
    let period = |from: &[u8], to: &[u8]| {
        let (from, to) = (tlv(254, from), tlv(255, to));
        with(&tlv(253, &[from, to].concat()))
    };
    let date = b"20200101T000000";
    check(&[
        (with(&[]), Ok(())),
        (signed(&[27, 2, 1, 0]), Ok(())),
        (signed(&[27, 0]), Err((9, BadLength))),
        (
            signed(&[27, 8, 255, 255, 255, 255, 255, 255, 255, 255]),
            Ok(()),
        ),
        (signed(&[28, 2, 29, 0]), Err((9, Missing))),
        (with(&[27, 1, 3]), Err((12, Critical))),
        (with(&[28, 0]), Err((12, Missing))),
        (with(&[28, 2, 29, 0]), Ok(())),
        (with(&[28, 2, 7, 0]), Ok(())),
        (with(&[28, 5, 7, 3, 8, 1, b'K']), Ok(())),
        (with(&[28, 2, 8, 0]), Err((14, BadType))),
        (with(&[28, 4, 29, 0, 29, 0]), Err((16, Critical))),
        (with(&[28, 4, 29, 0, 32, 0]), Ok(())),
        (with(&[28, 4, 7, 2, 0, 0]), Err((16, BadType))),
        (with(&[28, 2, 29, 0, 28, 2, 29, 0]), Err((16, Critical))),
        (with(&[38, 1, 7, 40, 1, 0, 42, 1, 0]), Ok(())),
        (with(&[38, 0]), Err((12, BadLength))),
        (with(&[40, 3, 0, 0, 0]), Err((12, BadLength))),
        (with(&[42, 0]), Err((12, BadLength))),
        // Out of order, these are even and so not critical.
        (with(&[42, 1, 0, 38, 0]), Ok(())),
        (with(&[38, 1, 7, 28, 2, 29, 0]), Err((15, Critical))),
        (with(&[33, 0]), Err((12, Critical))),
        (with(&[44, 0]), Ok(())),
        (period(date, date), Ok(())),
        (period(date, &date[1..]), Err((35, BadLength))),
        (period(&date[1..], date), Err((16, BadLength))),
        (with(&tlv(253, &tlv(254, date))), Err((12, Missing))),
        (with(&tlv(253, &[])), Err((12, Missing))),
        (with(&tlv(253, &tlv(255, date))), Err((16, Missing))),
    ]);
}

#[test]
fn link_headers() {
    let eight = [0; 8];
    for typ in [812, 816, 832] {
        check(&[
            (link(&tlv(typ, &[0])), Ok(())),
            (link(&tlv(typ, &[0; 4])), Ok(())),
            (link(&tlv(typ, &eight)), Ok(())),
            (link(&tlv(typ, &[])), Err((2, BadLength))),
            (link(&tlv(typ, &[0; 3])), Err((2, BadLength))),
            (link(&tlv(typ, &[0; 9])), Err((2, BadLength))),
            (
                link(&[tlv(typ, &[0]), tlv(typ, &[0])].concat()),
                Err((7, Critical)),
            ),
        ]);
    }
    for typ in [81, 836, 840] {
        check(&[
            (link(&tlv(typ, &eight)), Ok(())),
            (link(&tlv(typ, &[0; 7])), Err((2, BadLength))),
            (link(&tlv(typ, &[0; 9])), Err((2, BadLength))),
            (link(&tlv(typ, &[])), Err((2, BadLength))),
        ]);
    }
    let ack = tlv(836, &eight);
    check(&[
        // Acks repeat, the others do not.
        (link(&[&ack[..], &ack, &ack].concat()), Ok(())),
        (
            link(&[tlv(840, &eight), tlv(840, &eight)].concat()),
            Err((14, Critical)),
        ),
        (
            link(&[&ack[..], &tlv(840, &eight), &ack].concat()),
            Err((26, Critical)),
        ),
        (
            link(&[&ack[..], &tlv(836, &[0])].concat()),
            Err((14, BadLength)),
        ),
        (
            link(&[tlv(840, &eight), ack.clone()].concat()),
            Err((14, Critical)),
        ),
        (link(&tlv(98, &[0; 32])), Ok(())),
        (link(&tlv(98, &[0; 33])), Err((2, BadLength))),
        (link(&tlv(98, &[])), Err((2, BadLength))),
        (link(&tlv(844, &[])), Ok(())),
        (link(&tlv(844, &[0])), Err((2, BadLength))),
        (link(&tlv(820, &tlv(821, &[1]))), Ok(())),
        (link(&tlv(820, &[])), Err((2, Missing))),
        (link(&tlv(820, &tlv(821, &[]))), Err((6, BadLength))),
        (link(&tlv(820, &tlv(824, &[]))), Err((2, Missing))),
        (link(&tlv(820, &tlv(822, &[]))), Err((6, Critical))),
        (link(&tlv(848, &data(&[]))), Ok(())),
        (link(&tlv(848, &interest(&[]))), Err((6, BadType))),
        (link(&tlv(848, &[])), Err((6, Truncated))),
        (link(&tlv(848, &data(&NAME))), Err((13, Critical))),
        (link(&tlv(928, &[0])), Ok(())),
        (link(&tlv(928, &[])), Err((2, BadLength))),
        (link(&tlv(928, &[0x01, 0])), Err((2, BadLength))),
        (
            link(&[tlv(928, &[4]), tlv(928, &[4])].concat()),
            Err((7, Critical)),
        ),
        (
            link(&[tlv(928, &[4]), tlv(844, &[])].concat()),
            Err((7, Critical)),
        ),
        // Unknown ones, at the edges of "may be ignored".
        (link(&tlv(796, &[])), Err((2, Critical))),
        (link(&tlv(804, &[])), Ok(())),
        (link(&tlv(956, &[])), Ok(())),
        (link(&tlv(957, &[])), Err((2, Critical))),
        (link(&tlv(96, &[])), Err((2, Critical))),
        (
            link(&[tlv(804, &[]), tlv(804, &[])].concat()),
            Err((6, Critical)),
        ),
        (link(&[0, 0]), Err((2, BadType))),
    ]);
}

#[test]
fn nacks_and_fragments() {
    let nack = |inner: &[u8]| link(&tlv(800, inner));
    let eight = [0; 8];
    let fragment = |index: &[u8], count: &[u8], rest: &[u8], piece: &[u8]| {
        let fields = [&tlv(81, &eight)[..], &tlv(82, index), &tlv(83, count), rest].concat();
        tlv(100, &[fields, tlv(80, piece)].concat())
    };
    check(&[
        (nack(&[]), Ok(())),
        (nack(&tlv(801, &[50])), Ok(())),
        (nack(&tlv(801, &[])), Err((6, BadLength))),
        (
            nack(&[tlv(801, &[50]), tlv(801, &[50])].concat()),
            Err((11, Critical)),
        ),
        (nack(&tlv(804, &[])), Ok(())),
        (nack(&tlv(802, &[])), Err((6, Critical))),
        (nack(&[0xFD, 0x03]), Err((6, Truncated))),
        (
            tlv(100, &[tlv(800, &[]), tlv(80, &data(&[]))].concat()),
            Err((8, NackedData)),
        ),
        (tlv(100, &tlv(98, &[1])), Ok(())),
        (tlv(100, &tlv(80, &[])), Err((2, Missing))),
        (tlv(100, &tlv(80, &tlv(100, &[]))), Err((4, BadType))),
        (
            tlv(100, &tlv(80, &[&interest(&[])[..], &[0]].concat())),
            Err((11, Trailing)),
        ),
        (
            tlv(
                100,
                &[tlv(80, &interest(&[])), tlv(80, &interest(&[]))].concat(),
            ),
            Err((11, Critical)),
        ),
        (
            tlv(100, &[tlv(80, &interest(&[])), tlv(804, &[])].concat()),
            Err((11, Critical)),
        ),
        // Pieces are not looked into.
        (fragment(&[0], &[2], &[], &[0xFF]), Ok(())),
        (fragment(&[1], &[2], &[], &[0xFF]), Ok(())),
        (fragment(&[2], &[2], &[], &[0xFF]), Err((2, BadFragment))),
        (fragment(&[0], &[1], &[], &interest(&[])), Ok(())),
        (fragment(&[0], &[1], &[], &[0xFF]), Err((20, Truncated))),
        (
            fragment(&[], &[1], &[], &interest(&[])),
            Err((12, BadLength)),
        ),
        (link(&tlv(82, &[0])), Ok(())),
        (link(&tlv(82, &[1])), Err((2, BadFragment))),
        (link(&tlv(83, &[2])), Err((2, BadFragment))),
        (link(&tlv(83, &[0])), Err((2, BadFragment))),
        // The MARS header belongs to the first piece.
        (fragment(&[0], &[2], &tlv(928, &[4]), &[0xFF]), Ok(())),
        (
            fragment(&[1], &[2], &tlv(928, &[4]), &[0xFF]),
            Err((2, BadFragment)),
        ),
    ]);
}
