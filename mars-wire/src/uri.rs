//! Names as people write them: `/example/32=metadata/seg=7`.
//!
//! The printer percent-encodes every octet but letters, digits and `- . _ ~`; a value of nothing but
//! periods gains three, so that the empty value is `...`. What it prints, the parser reads back to
//! the same octets. The parser takes other characters as they are, but no malformed `%`.

use core::fmt;
#[cfg(feature = "alloc")]
use core::str::FromStr;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::{Component, Name};
#[cfg(feature = "alloc")]
use crate::{DecodeError, ErrorKind, NameBuf, Number};

/// Types whose value is a number, and how they are called.
const NUMBERED: [(u16, &str); 5] = [
    (Component::SEGMENT, "seg"),
    (Component::BYTE_OFFSET, "off"),
    (Component::VERSION, "v"),
    (Component::TIMESTAMP, "t"),
    (Component::SEQUENCE, "seq"),
];

/// Types whose value is a digest, and how they are called.
const DIGESTS: [(u16, &str); 2] = [
    (Component::IMPLICIT_DIGEST, "sha256digest"),
    (Component::PARAMETERS_DIGEST, "params-sha256"),
];

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("/");
        }
        for component in self.components() {
            write!(f, "/{component}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Component<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, label)) = DIGESTS.iter().find(|(typ, _)| *typ == self.typ()) {
            write!(f, "{label}=")?;
            return self.value().iter().try_for_each(|b| write!(f, "{b:02x}"));
        }
        // A number in a longer form than needed would not be read back as it was.
        if let Some((_, label)) = NUMBERED.iter().find(|(typ, _)| *typ == self.typ())
            && let Some(number) = self.to_shortest_number()
        {
            return write!(f, "{label}={number}");
        }
        if self.typ() != Component::GENERIC {
            write!(f, "{}=", self.typ())?;
        }
        if self.value().iter().all(|octet| *octet == b'.') {
            f.write_str("...")?;
        }
        for octet in self.value() {
            match octet {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    write!(f, "{}", char::from(*octet))?;
                }
                _ => write!(f, "%{octet:02X}")?,
            }
        }
        Ok(())
    }
}

#[cfg(feature = "alloc")]
impl fmt::Display for NameBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_name().fmt(f)
    }
}

#[cfg(feature = "alloc")]
impl FromStr for NameBuf {
    type Err = DecodeError;

    /// Reads a name as it is printed, with or without `ndn:` before it.
    fn from_str(uri: &str) -> Result<Self, DecodeError> {
        let path = uri.strip_prefix("ndn:").unwrap_or(uri);
        let mut at = uri.len() - path.len();
        let path = path.strip_prefix('/').ok_or(DecodeError {
            offset: at,
            kind: ErrorKind::NoSlash,
        })?;
        at += 1;
        let mut name = Self::new();
        if path.is_empty() {
            return Ok(name);
        }
        let mut value = Vec::with_capacity(path.len());
        for segment in path.split('/') {
            value.clear();
            let fault = |error: DecodeError| error.shifted(at);
            let typ = read_segment(segment, &mut value).map_err(fault)?;
            name.push(Component::trusted(typ, &value));
            at += segment.len() + 1;
        }
        Ok(name)
    }
}

/// The fault `kind` at the start of a segment.
#[cfg(feature = "alloc")]
const fn fault(kind: ErrorKind) -> DecodeError {
    DecodeError { offset: 0, kind }
}

/// Reads one segment: gives the type and appends the value to `out`.
#[cfg(feature = "alloc")]
fn read_segment(segment: &str, out: &mut Vec<u8>) -> Result<u16, DecodeError> {
    let Some((label, text)) = segment.split_once('=') else {
        read_value(segment, out)?;
        return Ok(Component::GENERIC);
    };
    if let Some((typ, _)) = NUMBERED.iter().find(|(_, name)| *name == label) {
        let number = read_number(text).ok_or(fault(ErrorKind::BadNumber))?;
        out.extend_from_slice(Number::new(number).as_slice());
        return Ok(*typ);
    }
    if let Some((typ, _)) = DIGESTS.iter().find(|(_, name)| *name == label) {
        read_digest(text, out).ok_or(fault(ErrorKind::BadHex))?;
        return Ok(*typ);
    }
    let typ = read_number(label)
        .and_then(|typ| u16::try_from(typ).ok())
        .ok_or(fault(ErrorKind::BadType))?;
    read_value(text, out).map_err(|error| error.shifted(label.len() + 1))?;
    match Component::new(typ, out) {
        Some(_) => Ok(typ),
        None if typ == 0 => Err(fault(ErrorKind::BadType)),
        None => Err(fault(ErrorKind::BadLength)),
    }
}

/// Reads a percent-encoded value.
#[cfg(feature = "alloc")]
fn read_value(text: &str, out: &mut Vec<u8>) -> Result<(), DecodeError> {
    let mut rest = text.as_bytes();
    while let Some((octet, behind)) = rest.split_first() {
        rest = match (octet, behind) {
            (b'%', [high, low, behind @ ..]) if let Some(octet) = hex_octet(*high, *low) => {
                out.push(octet);
                behind
            }
            (b'%', _) => {
                return Err(fault(ErrorKind::BadPercent).shifted(text.len() - rest.len()));
            }
            (octet, behind) => {
                out.push(*octet);
                behind
            }
        };
    }
    // Only periods: three of them are not part of the value.
    if out.iter().all(|octet| *octet == b'.') {
        let periods = out.len().checked_sub(3);
        out.truncate(periods.ok_or(fault(ErrorKind::EmptySegment))?);
    }
    Ok(())
}

/// A decimal number without sign or leading zeros.
#[cfg(feature = "alloc")]
fn read_number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|c| c.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    text.parse().ok().filter(|_| plain && !leading_zero)
}

#[cfg(feature = "alloc")]
fn read_digest(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let (pairs, []) = text.as_bytes().as_chunks() else {
        return None;
    };
    for [high, low] in pairs {
        out.push(hex_octet(*high, *low)?);
    }
    (out.len() == 32).then_some(())
}

#[cfg(feature = "alloc")]
fn hex_octet(high: u8, low: u8) -> Option<u8> {
    let digit = |c: u8| {
        char::from(c)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
#[cfg(feature = "alloc")]
mod tests {
    extern crate std;

    use super::*;
    use std::format;
    use std::string::{String, ToString};

    fn parse(uri: &str) -> Result<NameBuf, (usize, ErrorKind)> {
        uri.parse()
            .map_err(|error: DecodeError| (error.offset, error.kind))
    }

    fn name(components: &[(u16, &[u8])]) -> NameBuf {
        let mut name = NameBuf::new();
        for (typ, value) in components {
            name.push(Component::new(*typ, value).unwrap());
        }
        name
    }

    type Components<'a> = &'a [(u16, &'a [u8])];

    const DIGEST: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn digest() -> [u8; 32] {
        core::array::from_fn(|i| u8::try_from(i).unwrap())
    }

    #[test]
    fn printed_and_read_back() {
        let digest = digest();
        let table: &[(Components<'_>, String)] = &[
            (&[], "/".into()),
            (&[(8, b"a")], "/a".into()),
            (&[(8, b"a"), (8, b"b")], "/a/b".into()),
            (&[(8, b"A-Z_a.z~09")], "/A-Z_a.z~09".into()),
            (&[(8, b"")], "/...".into()),
            (&[(8, b".")], "/....".into()),
            (&[(8, b"..")], "/.....".into()),
            (&[(8, b"...")], "/......".into()),
            (&[(8, b"a..")], "/a..".into()),
            (&[(8, b"\0b")], "/%00b".into()),
            (&[(8, b"a/b=c%d e\xFF")], "/a%2Fb%3Dc%25d%20e%FF".into()),
            (&[(32, b"metadata")], "/32=metadata".into()),
            (&[(32, b"")], "/32=...".into()),
            (&[(65535, b"x")], "/65535=x".into()),
            (&[(253, b".")], "/253=....".into()),
            (&[(50, &[0])], "/seg=0".into()),
            (&[(50, &[1, 0])], "/seg=256".into()),
            (&[(52, &[7])], "/off=7".into()),
            (&[(54, &[255; 8])], "/v=18446744073709551615".into()),
            (&[(56, &[0, 1, 0, 0])], "/t=65536".into()),
            (&[(58, &[42])], "/seq=42".into()),
            (&[(50, &[0, 1])], "/50=%00%01".into()),
            (&[(50, &[])], "/50=...".into()),
            (&[(58, &[1, 2, 3])], "/58=%01%02%03".into()),
            (&[(1, &digest)], format!("/sha256digest={DIGEST}")),
            (&[(2, &digest)], format!("/params-sha256={DIGEST}")),
        ];
        for (components, uri) in table {
            let name = name(components);
            assert_eq!(name.to_string(), *uri);
            assert_eq!(parse(uri), Ok(name.clone()), "{uri}");
            assert_eq!(parse(&format!("ndn:{uri}")), Ok(name), "ndn:{uri}");
        }
    }

    #[test]
    fn other_spellings() {
        assert_eq!(parse("/8=a"), parse("/a"));
        assert_eq!(parse("/%61"), parse("/a"));
        assert_eq!(parse("/%2f"), parse("/%2F"));
        assert_eq!(parse("/a+b@c:d"), Ok(name(&[(8, b"a+b@c:d")])));
        assert_eq!(parse("/50=%07"), parse("/seg=7"));
        assert_eq!(
            parse(&format!("/sha256digest={}", DIGEST.to_uppercase())),
            parse(&format!("/sha256digest={DIGEST}"))
        );
        assert_eq!(parse("/8=a=b"), Ok(name(&[(8, b"a=b")])));
    }

    #[test]
    fn refused() {
        use ErrorKind::{BadHex, BadLength, BadNumber, BadPercent, BadType, EmptySegment, NoSlash};
        let table = [
            ("", 0, NoSlash),
            ("a/b", 0, NoSlash),
            ("ndn:", 4, NoSlash),
            ("NDN:/a", 0, NoSlash),
            ("http:/a", 0, NoSlash),
            ("//", 1, EmptySegment),
            ("/a/", 3, EmptySegment),
            ("/a//b", 3, EmptySegment),
            ("ndn://a", 5, EmptySegment),
            ("/.", 1, EmptySegment),
            ("/..", 1, EmptySegment),
            ("/a/../b", 3, EmptySegment),
            ("/%2E%2e", 1, EmptySegment),
            ("/8=", 3, EmptySegment),
            ("/32=..", 4, EmptySegment),
            ("/08=a", 1, BadType),
            ("/0=a", 1, BadType),
            ("/65536=a", 1, BadType),
            ("/-1=a", 1, BadType),
            ("/+8=a", 1, BadType),
            ("/=a", 1, BadType),
            ("/foo=a", 1, BadType),
            ("/SEG=1", 1, BadType),
            ("/seg=", 1, BadNumber),
            ("/seg=01", 1, BadNumber),
            ("/seg=+1", 1, BadNumber),
            ("/seg=-1", 1, BadNumber),
            ("/seg=0x1", 1, BadNumber),
            ("/seg=%31", 1, BadNumber),
            ("/v=18446744073709551616", 1, BadNumber),
            ("/%", 1, BadPercent),
            ("/a%4", 2, BadPercent),
            ("/a/b%4g", 4, BadPercent),
            ("/32=%zz", 4, BadPercent),
            ("/%+1", 1, BadPercent),
            ("/sha256digest=", 1, BadHex),
            ("/sha256digest=00", 1, BadHex),
            ("/1=a", 1, BadLength),
        ];
        for (uri, offset, kind) in table {
            assert_eq!(parse(uri), Err((offset, kind)), "{uri}");
        }
        for digest in [
            &DIGEST[1..],
            &DIGEST[2..],
            &format!("{DIGEST}00"),
            &DIGEST.replace("0f", "0g"),
        ] {
            let uri = format!("/x/params-sha256={digest}");
            assert_eq!(parse(&uri), Err((3, BadHex)), "{uri}");
        }
    }
}
