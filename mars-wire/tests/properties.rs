//! Laws that hold for every packet, and for anything that is none.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod tree;

use mars_wire::sample::{NearlyValidPacket, ValidPacket};
use mars_wire::{
    Body, Data, ErrorKind, Interest, LinkPacket, LpPacket, MarsHeader, MarsName, Name, NameBuf,
    Parameters,
};
use proptest::prelude::*;

use tree::{Form, Tree};

fn encode(packet: &LinkPacket<'_>) -> Vec<u8> {
    let mut out = vec![0xEE; packet.encoded_len() + 1];
    let len = packet.encode(&mut out).unwrap();
    assert_eq!(len, packet.encoded_len());
    assert_eq!(out.pop(), Some(0xEE), "nothing written behind the end");
    out
}

/// Whatever decodes can be encoded, and decodes to the same again.
fn settles(octets: &[u8]) {
    if let Ok(packet) = LinkPacket::decode(octets) {
        let again = encode(&packet);
        assert_eq!(LinkPacket::decode(&again), Ok(packet));
        assert_eq!(encode(&LinkPacket::decode(&again).unwrap()), again);
    }
}

fn every_decoder(octets: &[u8]) {
    settles(octets);
    let _ = LpPacket::decode(octets).map(|packet| packet.body());
    let _ = Interest::decode(octets);
    let _ = Data::decode(octets);
    let _ = Data::signed_portion(octets);
    let _ = MarsHeader::decode(octets);
    let _ = Parameters::from_octets(octets);
    let _ = Name::from_value(octets).map(MarsName::parse);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn valid_packets_encode_to_themselves(packet: ValidPacket) {
        let octets = &packet.octets;
        let decoded = LinkPacket::decode(octets).unwrap();
        prop_assert_eq!(&encode(&decoded), octets);
        let link = LpPacket::decode(octets).unwrap();
        let mut out = vec![0; link.encoded_len()];
        link.encode(&mut out).unwrap();
        prop_assert_eq!(&out, octets);
        let head = link.encode_head(&mut out).unwrap();
        prop_assert_eq!(head + link.fragment.len(), octets.len());
        prop_assert_eq!(&out[..head], &octets[..head]);
    }

    #[test]
    fn any_octets_do_no_harm(octets: Vec<u8>) {
        every_decoder(&octets);
    }

    #[test]
    fn nearly_valid_packets_do_no_harm(packet: NearlyValidPacket) {
        every_decoder(&packet.octets);
    }

    #[test]
    fn every_truncation_is_refused(packet: ValidPacket) {
        for len in 0..packet.octets.len() {
            let result = LinkPacket::decode(&packet.octets[..len]);
            prop_assert_eq!(result.unwrap_err().kind, ErrorKind::Truncated);
        }
    }

    #[test]
    fn octets_behind_the_end_are_refused(packet: ValidPacket, behind: u8) {
        let mut octets = packet.octets;
        let offset = octets.len();
        octets.push(behind);
        let error = LinkPacket::decode(&octets).unwrap_err();
        prop_assert_eq!((error.offset, error.kind), (offset, ErrorKind::Trailing));
    }

    #[test]
    fn too_small_a_buffer_is_refused(packet: ValidPacket) {
        let decoded = LinkPacket::decode(&packet.octets).unwrap();
        let needed = packet.octets.len();
        let mut out = vec![0; needed - 1];
        prop_assert_eq!(
            decoded.encode(&mut out),
            Err(mars_wire::EncodeError::BufferTooSmall { needed })
        );
    }

    /// Every TYPE and LENGTH of the packet, at every depth, in every longer form.
    #[test]
    fn longer_forms_are_refused_everywhere(packet: ValidPacket) {
        let tree = Tree::read(&packet.octets);
        prop_assert_eq!(&tree.write(None), &packet.octets);
        for element in 0..tree.len() {
            for form in Form::ALL {
                let Some(octets) = tree.write_with(element, form) else { continue };
                let error = LinkPacket::decode(&octets).unwrap_err();
                prop_assert_eq!(error.kind, ErrorKind::NonMinimal, "{:?} {:?}", element, form);
            }
        }
    }

    /// Every element of the packet, at every depth, one octet longer than its enclosing element.
    #[test]
    fn lengths_that_reach_too_far_are_refused_everywhere(packet: ValidPacket) {
        let tree = Tree::read(&packet.octets);
        for element in 0..tree.len() {
            for length in [1 << 31, 1 << 32, 1 << 63, u64::MAX] {
                let octets = tree.write_with_length(element, length);
                let error = LinkPacket::decode(&octets).unwrap_err();
                prop_assert_eq!(error.kind, ErrorKind::Truncated, "{:?} {:?}", element, length);
            }
        }
    }

    /// Type 0 is refused everywhere.
    #[test]
    fn type_zero_is_refused_everywhere(packet: ValidPacket) {
        let tree = Tree::read(&packet.octets);
        for element in 0..tree.len() {
            prop_assert!(LinkPacket::decode(&tree.write_with_type(element, 0)).is_err());
        }
    }

    #[test]
    fn uris_are_read_back(name: NameBuf) {
        let uri = name.to_string();
        prop_assert_eq!(uri.parse::<NameBuf>(), Ok(name.clone()));
        prop_assert_eq!(format!("ndn:{uri}").parse::<NameBuf>(), Ok(name));
    }

    #[test]
    fn any_text_does_no_harm(text: String) {
        if let Ok(name) = text.parse::<NameBuf>() {
            prop_assert_eq!(name.to_string().parse::<NameBuf>(), Ok(name));
        }
    }

    #[test]
    fn near_uris_do_no_harm(text in "(ndn:)?(/(seg=|8=|sha256digest=|[0-9]{1,6}=)?[a-f0-9.%=]{0,6}){0,4}") {
        if let Ok(name) = text.parse::<NameBuf>() {
            prop_assert_eq!(name.to_string().parse::<NameBuf>(), Ok(name));
        }
    }

    /// The order of names is that of their components: by type, then length, then octets.
    #[test]
    fn order_of_names_is_by_components(a: NameBuf, b: NameBuf) {
        let keys = |name: &NameBuf| -> Vec<(u16, usize, Vec<u8>)> {
            name.as_name()
                .components()
                .map(|c| (c.typ(), c.value().len(), c.value().to_vec()))
                .collect()
        };
        prop_assert_eq!(a.as_name().cmp(&b.as_name()), keys(&a).cmp(&keys(&b)));
    }
}

/// The samples are worth something: each kind and each field comes up.
#[test]
fn samples_reach_every_field() {
    let mut seen = std::collections::BTreeSet::new();
    let mut state = 1_u64;
    for _ in 0..4000 {
        let tape: Vec<u8> = (0..300)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                state.to_be_bytes()[0]
            })
            .collect();
        let octets = ValidPacket::from_tape(&tape).octets;
        let LinkPacket { header, body } = LinkPacket::decode(&octets).unwrap();
        let mut see = |name: &'static str, present: bool| present.then(|| seen.insert(name));
        see("sequence", header.sequence.is_some());
        see("frag_index", header.frag_index.is_some());
        see("frag_count", header.frag_count.is_some());
        see("pit_token", header.pit_token.is_some());
        see("incoming_face_id", header.incoming_face_id.is_some());
        see("next_hop_face_id", header.next_hop_face_id.is_some());
        see("cache_policy", header.cache_policy.is_some());
        see("congestion_mark", header.congestion_mark.is_some());
        see("acks", header.acks.sequences().count() == 2);
        see("tx_sequence", header.tx_sequence.is_some());
        see("non_discovery", header.non_discovery);
        see("announcement", header.prefix_announcement.is_some());
        see("interest_queue", header.mars.interest_queue.is_some());
        see("data_queue", header.mars.data_queue.is_some());
        see("generation", header.mars.generation.is_some());
        see("label", header.mars.label.is_some());
        see("nack_detail", header.mars.nack_detail.is_some());
        match body {
            Body::Idle => drop(see("idle", true)),
            Body::Nack(..) => drop(see("nack", true)),
            Body::Fragment { .. } => drop(see("fragment", true)),
            Body::Interest(interest) => {
                let signed = interest.parameters.and_then(Parameters::signature_info);
                see("can_be_prefix", interest.can_be_prefix);
                see("must_be_fresh", interest.must_be_fresh);
                see("forwarding_hint", interest.forwarding_hint.is_some());
                see("no nonce", interest.nonce.is_none());
                see("lifetime", interest.lifetime_ms.is_some());
                see("hop_limit", interest.hop_limit.is_some());
                see("parameters", interest.parameters.is_some());
                see("signed interest", signed.is_some());
                see("signature time", signed.and_then(|s| s.time_ms()).is_some());
            }
            Body::Data(data) => {
                let info = data.signature_info;
                see("no name", data.name.is_empty());
                see("no meta", data.meta.is_none());
                see("content", data.content.is_some_and(|c| c.len() > 252));
                see("final block", data.final_block_id().is_some());
                see("key locator", info.key_locator.is_some());
                see("validity period", info.validity_period().is_some());
            }
        }
    }
    assert_eq!(seen.len(), 35, "{seen:?}");
}
