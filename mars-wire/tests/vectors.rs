//! Every verdict of the published vectors.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use mars_wire::{Body, DecodeError, ErrorKind, LinkPacket, NackReason};

struct Vector {
    name: String,
    octets: Vec<u8>,
    verdict: String,
}

fn vectors() -> Vec<Vector> {
    let json: serde_json::Value = serde_json::from_str(include_str!("vectors/wire.json")).unwrap();
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    json.as_array()
        .unwrap()
        .iter()
        .map(|entry| Vector {
            name: text(entry, "name"),
            octets: unhex(&text(entry, "hex")),
            verdict: text(entry, "strict"),
        })
        .collect()
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

#[test]
fn every_verdict() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 62);
    for Vector {
        name,
        octets,
        verdict,
    } in &vectors
    {
        let result = LinkPacket::decode(octets);
        let accepted = match verdict.as_str() {
            "A" | "A ign" | "A idle" | "A sat" => true,
            "R" | "R (ABNF)" | "R (unspec)" => false,
            other => panic!("{name}: unknown verdict {other}"),
        };
        assert_eq!(result.is_ok(), accepted, "{name}: {result:?}");
    }
}

/// What each accepted vector decodes to, in one word.
#[test]
fn kinds_of_the_accepted() {
    let kinds: Vec<String> = vectors()
        .iter()
        .filter_map(|vector| {
            let packet = LinkPacket::decode(&vector.octets).ok()?;
            let kind = match packet.body {
                Body::Idle => "idle",
                Body::Interest(_) => "interest",
                Body::Data(_) => "data",
                Body::Nack(NackReason::None, _) => "nack",
                Body::Nack(NackReason::Congestion, _) => "nack congestion",
                Body::Nack(..) => "nack other",
                Body::Fragment { .. } => "fragment",
            };
            Some(format!("{}: {kind}", vector.name))
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "bare I: interest",
            "I no nonce: interest",
            "Nack empty: nack",
            "LP unk 804+I: interest",
            "LP five sep + D: data",
            "LP comb + Nack: nack congestion",
            "LP cong + comb + I: interest",
            "LP pit token + I: interest",
            "LP pit token + comb + I: interest",
            "IDLE 6400: idle",
            "LP frag 0/2: fragment",
            "I unk noncrit 0x80: interest",
            "D unk noncrit after sig: data",
            "D empty name: data",
            "D freshness 2^64-1: data",
        ]
    );
}

/// Where and why each refused vector is refused.
#[test]
fn faults_of_the_refused() {
    use ErrorKind::{
        BadFragment, BadLength, BadType, Critical, Missing, NackedData, NonMinimal,
        ParametersDigest, Trailing, Truncated,
    };
    let faults: Vec<(String, usize, ErrorKind)> = vectors()
        .into_iter()
        .filter_map(|vector| {
            let DecodeError { offset, kind } = LinkPacket::decode(&vector.octets).err()?;
            Some((vector.name, offset, kind))
        })
        .collect();
    let table = [
        ("LP unk 802+I", 2, Critical),
        ("LP unk 805+I", 2, Critical),
        ("LP unk 806+I", 2, Critical),
        ("LP unk 881+I", 2, Critical),
        ("LP unk 882+I", 2, Critical),
        ("LP unk 883+I", 2, Critical),
        ("LP unk 960+I", 2, Critical),
        ("LP unk 964+I", 2, Critical),
        ("LP unk 1000+I", 2, Critical),
        ("LP comb after Fragment", 43, Critical),
        ("LP type nonminimal 880 as FE", 2, NonMinimal),
        ("LP empty fragment", 2, Missing),
        ("LP frag idx>=cnt", 2, BadFragment),
        ("LP frag cnt 0", 2, BadFragment),
        ("LP frag nested LP", 4, BadType),
        ("LP seq 1-byte + I", 2, BadLength),
        ("Nack + Data", 13, NackedData),
        ("I empty name", 2, Missing),
        ("I dup Nonce", 39, Critical),
        ("I nonce 5 bytes", 33, BadLength),
        ("I hoplimit 2 bytes", 39, BadLength),
        ("I lifetime 3 bytes", 39, BadLength),
        ("I lifetime before nonce", 36, Critical),
        ("I unk crit 0x1e-like 0x0e", 39, Critical),
        ("I unk noncrit before Name", 2, Missing),
        ("I CanBePrefix len1", 33, BadLength),
        ("I AppParams no digest", 2, ParametersDigest),
        ("I digest no AppParams", 2, ParametersDigest),
        ("I two digests", 2, ParametersDigest),
        ("I implicit digest 31", 7, BadLength),
        ("I comp type 0", 4, BadType),
        ("I nonminimal name len", 3, NonMinimal),
        ("I comp overruns name", 4, Truncated),
        ("I trailing byte", 39, Trailing),
        ("I truncated", 0, Truncated),
        ("I len 2^63", 0, Truncated),
        ("I len 2^64-1", 0, Truncated),
        ("I fwhint empty", 35, Missing),
        ("D no siginfo", 0, Missing),
        ("D no sigvalue", 0, Missing),
        ("D siginfo empty", 33, Missing),
        ("D sigvalue before siginfo", 35, Critical),
        ("D content before meta", 35, Critical),
        ("D finalblockid empty", 35, Missing),
        ("LP nackreason 3 bytes", 6, BadLength),
        ("LP nack unk crit sub", 6, Critical),
        ("LP cong 3 bytes", 2, BadLength),
    ]
    .map(|(name, offset, kind)| (name.to_owned(), offset, kind));
    assert_eq!(faults, table);
}
