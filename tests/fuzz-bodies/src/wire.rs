//! Bodies for `mars-wire`.

use mars_wire::sample::{NearlyValidPacket, ValidPacket};
use mars_wire::{
    Body, Data, DecodeError, Interest, InterestEdit, LinkPacket, LpPacket, MarsHeader, MarsName,
    Name, NameBuf, Parameters,
};

/// Any octets through every decoder: no panic, and faults are within the input.
pub fn decode(octets: &[u8]) {
    let within = |error: Option<DecodeError>| {
        assert!(error.is_none_or(|error| error.offset <= octets.len()));
    };
    let whole = LinkPacket::decode(octets);
    within(whole.err());
    let link = LpPacket::decode(octets);
    within(link.err());
    match (whole, link) {
        (Ok(whole), Ok(link)) => {
            assert_eq!(whole.header, link.header);
            assert_eq!(Ok(whole.body), link.body());
            read_everything(&whole);
        }
        (Err(_), Ok(link)) => assert!(link.body().is_err()),
        (Err(fault), Err(same)) => assert_eq!(fault, same),
        (Ok(_), Err(error)) => panic!("accepted and refused: {error}"),
    }
    within(Interest::decode(octets).err());
    within(Data::decode(octets).err());
    within(Data::signed_portion(octets).err());
    within(MarsHeader::decode(octets).err());
    within(Parameters::from_octets(octets).err());
    within(Name::from_value(octets).err());
}

/// Every accessor of every part.
fn read_everything(packet: &LinkPacket<'_>) {
    packet.header.acks.sequences().for_each(drop);
    if let Some(data) = packet.header.prefix_announcement {
        Data::decode(data).expect("a prefix announcement was checked");
    }
    match packet.body {
        Body::Idle | Body::Fragment { .. } => {}
        Body::Interest(interest) | Body::Nack(_, interest) => {
            read_name(interest.name);
            let _ = (interest.lifetime(), interest.signed_portion());
            if let Some(hint) = interest.forwarding_hint {
                assert_ne!(hint.names().map(read_name).count(), 0);
            }
            if let Some(parameters) = interest.parameters {
                let _ = parameters.application();
                let info = parameters.signature_info();
                assert_eq!(info.is_some(), parameters.signature_value().is_some());
                let _ = info.map(|info| (info.nonce(), info.time_ms(), info.sequence()));
            }
        }
        Body::Data(data) => {
            read_name(data.name);
            let _ = (data.freshness(), data.final_block_id());
            let _ = data.signature_info.validity_period();
        }
    }
}

fn read_name(name: Name<'_>) {
    let count = name.component_count();
    assert_eq!(name.prefix(count), name);
    if let Some(parsed) = MarsName::parse(name) {
        assert_eq!(parsed.to_name_buf().as_name(), name);
    }
}

/// What decodes can be encoded, decodes to the same again, and then encodes to the same octets. An
/// Interest that is patched decodes to one that was changed.
pub fn round_trip(octets: &[u8]) {
    let Ok(packet) = LinkPacket::decode(octets) else {
        return;
    };
    let again = encode(&packet);
    assert_eq!(LinkPacket::decode(&again), Ok(packet));
    if let Body::Interest(interest) = packet.body {
        let fragment = LpPacket::decode(octets).unwrap().fragment;
        edit(interest, fragment);
    }
}

fn encode(packet: &LinkPacket<'_>) -> Vec<u8> {
    let mut out = vec![0; packet.encoded_len()];
    assert_eq!(packet.encode(&mut out), Ok(out.len()));
    out
}

fn edit(interest: Interest<'_>, octets: &[u8]) {
    let edit = InterestEdit {
        hop_limit: Some(1),
        nonce: Some(2),
        lifetime_ms: Some(3),
    };
    let expected = Interest {
        hop_limit: interest.hop_limit.and(Some(1)),
        nonce: Some(2),
        lifetime_ms: Some(3),
        ..interest
    };
    let mut out = vec![0; edit.encoded_len(octets).unwrap()];
    match edit.encode(octets, &mut out) {
        Ok(len) => {
            assert_eq!(len, out.len());
            assert_eq!(Interest::decode(&out), Ok(expected));
        }
        Err(_) => assert!(out.len() > mars_wire::MAX_PACKET),
    }
    let mut patched = octets.to_vec();
    if edit.patch(&mut patched) == Ok(true) {
        assert_eq!(patched, out);
    } else {
        assert_eq!(patched, octets);
    }
}

/// A packet read off the octets as off a tape decodes and encodes to itself; one with a few octets
/// wrong does no harm.
pub fn structured(tape: &[u8]) {
    let valid = ValidPacket::from_tape(tape).octets;
    let packet = LinkPacket::decode(&valid).expect("valid");
    assert_eq!(encode(&packet), valid);
    let near = NearlyValidPacket::from_tape(tape).octets;
    decode(&near);
    round_trip(&near);
}

/// Text that parses as a name prints and parses to the same name again; octets that are a name
/// print to text that parses to the same octets.
pub fn uri(octets: &[u8]) {
    if let Ok(text) = str::from_utf8(octets)
        && let Ok(name) = text.parse::<NameBuf>()
    {
        Name::from_value(name.as_name().as_value()).expect("a parsed name is a name");
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    if let Ok(name) = Name::from_value(octets) {
        assert_eq!(name.to_string().parse(), Ok(NameBuf::from(name)));
    }
}
