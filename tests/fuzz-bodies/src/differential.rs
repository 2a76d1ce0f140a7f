//! Body for `mars-wire` against `ndn-protocol` and `ndn-ndnlp`, which share no line of code with it.
//!
//! Only what both accept is compared: these crates take much that we refuse. Where they are known to
//! misread what they accept, the comparison stops, and says why.

use bytes::Bytes;
use mars_wire::sample::{NearlyValidPacket, ValidPacket};
use mars_wire::{Body, Component, Data, Interest, KeyLocator, LpPacket, Name, SignatureInfo};
use ndn_protocol::signature::KeyLocatorData;
use ndn_protocol::{DigestSha256, NameComponent};
use ndn_tlv::{TlvDecode, TlvEncode};

/// What we and they read in the same octets is the same: in these, and in the packets that these
/// stand for as a tape.
pub fn differential(octets: &[u8]) {
    compare(octets);
    compare(&ValidPacket::from_tape(octets).octets);
    compare(&NearlyValidPacket::from_tape(octets).octets);
}

fn compare(octets: &[u8]) {
    let Ok(ours) = LpPacket::decode(octets) else {
        return;
    };
    let Ok(body) = ours.body() else {
        return;
    };
    link(&ours, octets);
    match body {
        Body::Interest(packet) | Body::Nack(_, packet) => interest(&packet, ours.fragment),
        Body::Data(packet) => data(&packet, ours.fragment),
        Body::Idle | Body::Fragment { .. } => {}
    }
}

/// Decoded by them, if they take it.
fn theirs<T: TlvDecode>(octets: &[u8]) -> Option<T> {
    T::decode(&mut Bytes::copy_from_slice(octets)).ok()
}

fn link(ours: &LpPacket<'_>, octets: &[u8]) {
    let Some(100) = octets.first() else {
        return;
    };
    let Some(theirs) = theirs::<ndn_ndnlp::LpPacket>(octets) else {
        return;
    };
    let header = &ours.header;
    let sequence = header.sequence.map(u64::to_be_bytes);
    assert_eq!(
        theirs.seq_num().as_deref(),
        sequence.as_ref().map(|octets| octets.as_slice())
    );
    assert_eq!(
        theirs.frag_index.map(|index| index.0.as_u64()),
        header.frag_index
    );
    assert_eq!(
        theirs.frag_count.map(|count| count.0.as_u64()),
        header.frag_count
    );
    assert_eq!(theirs.is_nack(), ours.nack.is_some());
    assert_eq!(theirs.fragment().unwrap_or_default(), ours.fragment);
    let token = theirs
        .other_headers()
        .iter()
        .find(|header| header.0.typ.value() == 98)
        .map(|header| &*header.0.content);
    assert_eq!(
        token,
        header.pit_token.as_ref().map(|token| token.as_slice())
    );
}

fn interest(ours: &Interest<'_>, octets: &[u8]) {
    let Some(theirs) = theirs::<ndn_protocol::Interest<Bytes>>(octets) else {
        return;
    };
    let hint = ours.forwarding_hint.and_then(|hint| hint.names().next());
    if !readable(ours.name) || !hint.is_none_or(readable) {
        return;
    }
    same_name(ours.name, theirs.name());
    assert_eq!(theirs.can_be_prefix(), ours.can_be_prefix);
    assert_eq!(theirs.must_be_fresh(), ours.must_be_fresh);
    assert_eq!(theirs.forwarding_hint().is_some(), hint.is_some());
    if let (Some(ours), Some(theirs)) = (hint, theirs.forwarding_hint()) {
        same_name(ours, theirs);
    }
    assert_eq!(
        theirs.nonce().map(|nonce| u32::from_be_bytes(*nonce)),
        ours.nonce
    );
    assert_eq!(
        theirs.interest_lifetime().map(|lifetime| lifetime.as_u64()),
        ours.lifetime_ms
    );
    // The types from here on may be passed over, and they pass over more than what is unknown: a
    // late HopLimit hides the parameters from them.
    if !canonical(octets, ours.encoded_len(), |out| ours.encode(out).is_ok()) {
        return;
    }
    let Some(parameters) = ours.parameters else {
        assert_eq!(theirs.hop_limit(), ours.hop_limit);
        assert!(theirs.application_parameters().is_none() && !theirs.is_signed());
        return;
    };
    // Octets behind the parameters are kept as they are, and so are always canonical: there may be
    // a late HopLimit among them, which they take for the one.
    if theirs.encode() != octets {
        return;
    }
    assert_eq!(theirs.hop_limit(), ours.hop_limit);
    assert_eq!(
        theirs.application_parameters().map(|octets| &**octets),
        Some(parameters.application())
    );
    assert_eq!(theirs.is_signed(), parameters.signature_info().is_some());
    let verified = theirs.verify(&DigestSha256::new()).is_ok();
    match (parameters.signature_info(), theirs.signature_info()) {
        (Some(ours_info), Some(info)) => {
            assert_eq!(
                info.nonce().map(|octets| &**octets),
                ours_info.nonce(),
                "signature nonce"
            );
            assert_eq!(info.time().map(|time| time.as_u64()), ours_info.time_ms());
            assert_eq!(info.seq_num().map(|n| n.as_u64()), ours_info.sequence());
            same_signer(
                &ours_info,
                info.signature_type().value(),
                info.key_locator(),
            );
            // They want the digest last in the name.
            let last = ours.name.last().map(Component::typ);
            if ours_info.signature_type.0 == 0 && last == Some(Component::PARAMETERS_DIGEST) {
                let both = ours.verify_parameters_digest() && ours.verify_digest();
                assert_eq!(verified, both);
            }
        }
        _ => assert_eq!(verified, ours.verify_parameters_digest()),
    }
}

fn data(ours: &Data<'_>, octets: &[u8]) {
    let Some(theirs) = theirs::<ndn_protocol::Data<Bytes>>(octets) else {
        return;
    };
    if !readable(ours.name) {
        return;
    }
    same_name(ours.name, theirs.name());
    assert_eq!(theirs.meta_info().is_some(), ours.meta.is_some());
    if let (Some(ours), Some(theirs)) = (ours.meta, theirs.meta_info()) {
        let typ = theirs.content_type.as_ref();
        assert_eq!(typ.map(|typ| typ.content_type.as_u64()), ours.content_type);
        let freshness = theirs.freshness_period.as_ref();
        assert_eq!(
            freshness.map(|period| period.freshness_period.as_u64()),
            ours.freshness_ms
        );
        if ours.final_block_id.is_none_or(readable_component) {
            let last = theirs.final_block_id.as_ref();
            assert_eq!(
                last.map(|last| last.final_block_id.encode()),
                ours.final_block_id.map(element)
            );
        }
    }
    assert_eq!(theirs.content().map(|octets| &**octets), ours.content);
    // They read a signature type as if it were a TYPE: right only if it is in its shortest form.
    if !canonical(octets, ours.encoded_len(), |out| ours.encode(out).is_ok()) {
        return;
    }
    if let Some(info) = theirs.signature_info() {
        same_signer(
            &ours.signature_info,
            info.signature_type().value(),
            info.key_locator(),
        );
    } else {
        assert!(ours.signature_info.signature_type.0 >= 253);
    }
    // What they verify is what they would write.
    if ours.signature_info.signature_type.0 == 0 && theirs.encode() == octets {
        assert_eq!(
            Ok(theirs.verify(&DigestSha256::new()).is_ok()),
            Data::verify_digest(octets)
        );
    }
}

fn same_signer(ours: &SignatureInfo<'_>, signature_type: u64, locator: Option<&KeyLocatorData>) {
    if ours.signature_type.0 >= 253 {
        return;
    }
    assert_eq!(signature_type, ours.signature_type.0);
    match (ours.key_locator, locator) {
        (Some(KeyLocator::Name(ours)), Some(KeyLocatorData::Name(theirs))) => {
            if readable(ours) {
                same_name(ours, theirs);
            }
        }
        (Some(KeyLocator::Digest(ours)), Some(KeyLocatorData::KeyDigest(theirs))) => {
            assert_eq!(Bytes::from(theirs.clone()), ours);
        }
        (None, None) => {}
        // Its components were taken for something else, and then it was taken for absent.
        (Some(KeyLocator::Name(ours)), None) => assert!(!readable(ours)),
        (ours, theirs) => panic!("{ours:?} {theirs:?}"),
    }
}

fn same_name(ours: Name<'_>, theirs: &ndn_protocol::Name) {
    let theirs: Vec<u8> = theirs.iter().flat_map(NameComponent::encode).collect();
    assert_eq!(theirs, ours.as_value());
}

/// Whether they keep the value of every component: they lose those of types that they have no name
/// for, and take the octets for components.
fn readable(name: Name<'_>) -> bool {
    name.components().all(readable_component)
}

fn readable_component(component: Component<'_>) -> bool {
    matches!(component.typ(), 1 | 2 | 8 | 32 | 50 | 52 | 54 | 56 | 58)
        || component.value().is_empty()
}

/// A component as they write it.
fn element(component: Component<'_>) -> Bytes {
    let name = mars_wire::NameBuf::new().with(component);
    Bytes::copy_from_slice(name.as_name().as_value())
}

/// Whether encoding gives `octets` again.
fn canonical(octets: &[u8], len: usize, encode: impl FnOnce(&mut [u8]) -> bool) -> bool {
    let mut out = vec![0; len];
    encode(&mut out) && out == octets
}
