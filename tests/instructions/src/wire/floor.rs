//! The floor: the tightest safe code for these very packets. It knows where everything stands and
//! checks only the lengths that it must, so it would take nearly anything for such a packet. No
//! decoder that says no can be as fast.

// Octets of numbers, named in their order.
#![allow(clippy::many_single_char_names)]

/// The fields of the discovery Interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Value of the Name.
    pub name: &'a [u8],
    /// Nonce.
    pub nonce: u32,
    /// In milliseconds.
    pub lifetime: u16,
    /// Hops left.
    pub hop_limit: u8,
}

/// The fields of the Data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Value of the Name.
    pub name: &'a [u8],
    /// In milliseconds.
    pub freshness: u16,
    /// Number of the last segment.
    pub last: u16,
    /// The content.
    pub content: &'a [u8],
    /// Number of the scheme.
    pub signature_type: u8,
    /// The signature.
    pub signature: &'a [u8],
}

/// The header fields of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// PIT token.
    pub pit_token: u64,
    /// Interest queue.
    pub queue: u16,
    /// Generation.
    pub generation: u32,
    /// Bits of the label.
    pub label: u64,
}

/// Decodes the discovery Interest.
#[must_use]
pub fn interest(octets: &[u8]) -> Option<Request<'_>> {
    let [_, _, _, len, rest @ ..] = octets else {
        return None;
    };
    let (name, rest) = rest.split_at_checked(usize::from(*len))?;
    let [_, _, _, _, a, b, c, d, _, _, e, f, _, _, hop_limit] = rest else {
        return None;
    };
    Some(Request {
        name,
        nonce: u32::from_be_bytes([*a, *b, *c, *d]),
        lifetime: u16::from_be_bytes([*e, *f]),
        hop_limit: *hop_limit,
    })
}

/// Decodes the Data.
#[must_use]
pub fn data(octets: &[u8]) -> Option<Answer<'_>> {
    let [_, _, _, _, _, len, rest @ ..] = octets else {
        return None;
    };
    let (name, rest) = rest.split_at_checked(usize::from(*len))?;
    let [
        _,
        _,
        _,
        _,
        a,
        b,
        _,
        _,
        _,
        _,
        c,
        d,
        _,
        _,
        high,
        low,
        rest @ ..,
    ] = rest
    else {
        return None;
    };
    let content = usize::from(u16::from_be_bytes([*high, *low]));
    let (content, rest) = rest.split_at_checked(content)?;
    let [_, _, _, _, signature_type, _, _, signature @ ..] = rest else {
        return None;
    };
    Some(Answer {
        name,
        freshness: u16::from_be_bytes([*a, *b]),
        last: u16::from_be_bytes([*c, *d]),
        content,
        signature_type: *signature_type,
        signature,
    })
}

/// Octets of PIT token and MARS header.
const FIELDS: usize = 29;

fn link(octets: &[u8; FIELDS]) -> Link {
    let [
        _,
        _,
        t0,
        t1,
        t2,
        t3,
        t4,
        t5,
        t6,
        t7,
        _,
        _,
        _,
        _,
        _,
        mars @ ..,
    ] = octets;
    let [q0, q1, g0, g1, g2, g3, label @ ..] = mars;
    Link {
        pit_token: u64::from_be_bytes([*t0, *t1, *t2, *t3, *t4, *t5, *t6, *t7]),
        queue: u16::from_be_bytes([*q0, *q1]),
        generation: u32::from_be_bytes([*g0, *g1, *g2, *g3]),
        label: u64::from_be_bytes(*label),
    }
}

/// Decodes the discovery Interest on a link.
#[must_use]
pub fn linked_interest(octets: &[u8]) -> Option<(Link, Request<'_>)> {
    let (fields, rest) = octets.get(2..)?.split_first_chunk()?;
    Some((link(fields), interest(rest.get(2..)?)?))
}

/// Decodes the Data on a link.
#[must_use]
pub fn linked_data(octets: &[u8]) -> Option<(Link, Answer<'_>)> {
    let (fields, rest) = octets.get(4..)?.split_first_chunk()?;
    Some((link(fields), data(rest.get(4..)?)?))
}

/// Encodes the discovery Interest; says how many octets that took.
#[must_use]
pub fn encode_interest(request: &Request<'_>, out: &mut [u8]) -> Option<usize> {
    let len = u8::try_from(request.name.len()).ok()?;
    let (head, rest) = out.split_first_chunk_mut()?;
    *head = [5, len + 17, 7, len];
    let (name, rest) = rest.split_at_mut_checked(request.name.len())?;
    name.copy_from_slice(request.name);
    let ([a, b, c, d], [e, f]) = (request.nonce.to_be_bytes(), request.lifetime.to_be_bytes());
    *rest.first_chunk_mut()? = [
        18,
        0,
        10,
        4,
        a,
        b,
        c,
        d,
        12,
        2,
        e,
        f,
        34,
        1,
        request.hop_limit,
    ];
    Some(request.name.len() + 19)
}

#[cfg(test)]
mod tests {
    use super::super::packets;
    use super::*;

    #[test]
    fn the_floor_reads_what_is_there() {
        let name = packets::discovery_name();
        let expected = Request {
            name: name.as_name().as_value(),
            nonce: 0xA1A2_A3A4,
            lifetime: 2000,
            hop_limit: 32,
        };
        let fields = Link {
            pit_token: 0x0102_0304_0506_0708,
            queue: 3,
            generation: 1,
            label: 1 << 32,
        };
        assert_eq!(interest(&packets::bare_interest()), Some(expected));
        let linked = packets::linked_interest();
        assert_eq!(linked_interest(&linked), Some((fields, expected)));
        let mut out = [0; 100];
        assert_eq!(encode_interest(&expected, &mut out), Some(67));
        assert_eq!(out[..67], packets::bare_interest());

        let name = packets::data_name();
        let expected = Answer {
            name: name.as_name().as_value(),
            freshness: 10_000,
            last: 29_999,
            content: &packets::CONTENT,
            signature_type: 0,
            signature: &[0; 32],
        };
        assert_eq!(data(&packets::bare_data()), Some(expected));
        let linked = packets::linked_data();
        assert_eq!(linked_data(&linked), Some((fields, expected)));
    }
}
