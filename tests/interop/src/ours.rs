//! `mars-wire`, behind the same two verbs as the foreign stacks.

use mars_wire::{
    Body, Component, Data, ForwardingHint, Interest, KeyLocator, LinkHeader, LinkPacket, LpPacket,
    MAX_PACKET, MarsHeader, MetaInfo, NackReason, Name, NameBuf, Parameters, PitToken,
    SignatureInfo, SignatureType,
};
use serde_json::Value;

use crate::fields::{
    Fields, component, component_text, components, flag, hex, number, octets, text,
};
use crate::keys::Scheme;
use crate::stack::Stack;

/// `mars-wire` itself.
#[derive(Debug)]
pub struct Ours;

impl Stack for Ours {
    fn name(&self) -> &'static str {
        "mars-wire"
    }

    fn decode(&mut self, octets: &[u8]) -> Result<Fields, String> {
        let packet = LinkPacket::decode(octets).map_err(|error| error.to_string())?;
        let fragment = LpPacket::decode(octets).expect("decoded").fragment;
        let mut out = Fields::new();
        link_fields(&packet.header, &mut out);
        let kind = match packet.body {
            Body::Idle => "idle",
            Body::Interest(interest) => {
                interest_fields(&interest, &mut out);
                "interest"
            }
            Body::Data(data) => {
                data_fields(&data, fragment, &mut out);
                "data"
            }
            Body::Nack(reason, interest) => {
                nack_field(reason, &mut out);
                interest_fields(&interest, &mut out);
                "nack"
            }
            Body::Fragment { nack, octets } => {
                nack.into_iter()
                    .for_each(|reason| nack_field(reason, &mut out));
                put(&mut out, "fragment", hex(octets));
                "fragment"
            }
        };
        put(&mut out, "kind", kind);
        Ok(out)
    }

    fn encode(&mut self, fields: &Fields) -> Result<Vec<u8>, String> {
        let packet = if text(fields, "kind") == Some("data") {
            encode_data(fields)
        } else {
            encode_interest(fields)
        };
        let wrapped = LpPacket {
            header: LinkHeader {
                pit_token: octets(fields, "pit_token").and_then(|token| PitToken::new(&token)),
                congestion_mark: number(fields, "congestion_mark"),
                mars: octets(fields, "mars").map_or(MarsHeader::default(), |header| {
                    MarsHeader::decode(&header).expect("a MARS header")
                }),
                ..LinkHeader::default()
            },
            nack: text(fields, "nack").map(|reason| {
                reason
                    .parse()
                    .map_or(NackReason::None, NackReason::from_code)
            }),
            fragment: &packet,
        };
        Ok(written(|out| wrapped.encode(out).expect("room")))
    }
}

fn put(out: &mut Fields, key: &str, value: impl Into<Value>) {
    out.insert(key.to_owned(), value.into());
}

fn put_number(out: &mut Fields, key: &str, number: Option<u64>) {
    if let Some(number) = number {
        put(out, key, number.to_string());
    }
}

fn put_flag(out: &mut Fields, key: &str, set: bool) {
    if set {
        put(out, key, true);
    }
}

fn name_value(name: Name<'_>) -> Value {
    name.components()
        .map(|part| component_text(part.typ().into(), part.value()))
        .collect()
}

fn link_fields(header: &LinkHeader<'_>, out: &mut Fields) {
    put_number(out, "sequence", header.sequence);
    put_number(out, "frag_index", header.frag_index);
    put_number(out, "frag_count", header.frag_count);
    if let Some(token) = &header.pit_token {
        put(out, "pit_token", hex(token.as_slice()));
    }
    put_number(out, "incoming_face_id", header.incoming_face_id);
    put_number(out, "next_hop_face_id", header.next_hop_face_id);
    put_number(out, "cache_policy", header.cache_policy);
    put_number(out, "congestion_mark", header.congestion_mark);
    let acks: Vec<_> = header.acks.sequences().map(|ack| ack.to_string()).collect();
    if !acks.is_empty() {
        put(out, "acks", acks);
    }
    put_number(out, "tx_sequence", header.tx_sequence);
    put_flag(out, "non_discovery", header.non_discovery);
    if let Some(data) = header.prefix_announcement {
        put(out, "prefix_announcement", hex(data));
    }
    if !header.mars.is_empty() {
        put(
            out,
            "mars",
            hex(&written(|out| header.mars.encode(out).expect("room"))),
        );
    }
}

fn nack_field(reason: NackReason, out: &mut Fields) {
    let reason = reason.code().map_or(String::new(), |code| code.to_string());
    put(out, "nack", reason);
}

fn interest_fields(interest: &Interest<'_>, out: &mut Fields) {
    put(out, "name", name_value(interest.name));
    put(out, "uri", interest.name.to_string());
    put_flag(out, "can_be_prefix", interest.can_be_prefix);
    put_flag(out, "must_be_fresh", interest.must_be_fresh);
    if let Some(hint) = interest.forwarding_hint {
        put(out, "hint", hint.names().map(name_value).collect::<Value>());
    }
    put_number(out, "nonce", interest.nonce.map(u64::from));
    put_number(out, "lifetime", interest.lifetime_ms);
    put_number(out, "hop_limit", interest.hop_limit.map(u64::from));
    let Some(parameters) = interest.parameters else {
        return;
    };
    put(out, "parameters", hex(parameters.application()));
    let digest = interest.verify_parameters_digest();
    put(out, "parameters_digest", digest);
    if let (Some(info), Some(value)) = (parameters.signature_info(), parameters.signature_value()) {
        let portion = interest.signed_portion().concat();
        signature_fields(&info, &portion, value, digest, out);
    }
}

fn data_fields(data: &Data<'_>, packet: &[u8], out: &mut Fields) {
    put(out, "name", name_value(data.name));
    put(out, "uri", data.name.to_string());
    let meta = data.meta.unwrap_or_default();
    put_number(out, "content_type", meta.content_type);
    put_number(out, "freshness", meta.freshness_ms);
    if let Some(last) = meta.final_block_id {
        put(
            out,
            "final_block",
            component_text(last.typ().into(), last.value()),
        );
    }
    if let Some(content) = data.content {
        put(out, "content", hex(content));
    }
    let portion = Data::signed_portion(packet).expect("decoded");
    signature_fields(
        &data.signature_info,
        portion,
        data.signature_value,
        true,
        out,
    );
}

fn signature_fields(
    info: &SignatureInfo<'_>,
    portion: &[u8],
    value: &[u8],
    digest: bool,
    out: &mut Fields,
) {
    put_number(out, "sig_type", Some(info.signature_type.0));
    match info.key_locator {
        None => {}
        Some(KeyLocator::Name(name)) => put(out, "key_name", name_value(name)),
        Some(KeyLocator::Digest(digest)) => put(out, "key_digest", hex(digest)),
    }
    if let Some(nonce) = info.nonce() {
        put(out, "sig_nonce", hex(nonce));
    }
    put_number(out, "sig_time", info.time_ms());
    put_number(out, "sig_seq", info.sequence());
    if let Some((from, to)) = info.validity_period() {
        let text = |time: [u8; 15]| String::from_utf8_lossy(&time).into_owned();
        put(out, "validity", vec![text(from), text(to)]);
    }
    put(out, "sig_value", hex(value));
    if let Some(scheme) = Scheme::of(info.signature_type.0) {
        put(out, "verified", digest && scheme.verify(portion, value));
    }
}

fn written(write: impl FnOnce(&mut [u8]) -> usize) -> Vec<u8> {
    let mut out = vec![0; MAX_PACKET];
    let len = write(&mut out);
    out.truncate(len);
    out
}

fn name_buf(name: &Value) -> NameBuf {
    let mut out = NameBuf::new();
    for (typ, value) in components(name) {
        out.push(Component::new(typ, &value).expect("a component"));
    }
    out
}

fn name_of(fields: &Fields) -> NameBuf {
    name_buf(fields.get("name").expect("a name"))
}

fn element(typ: u8, value: &[u8]) -> Vec<u8> {
    let len = u8::try_from(value.len()).expect("a short element");
    assert!(len < 253);
    [&[typ, len], value].concat()
}

/// Calls `then` with what the fields say about the signature, if anything.
fn with_signature<R>(
    fields: &Fields,
    then: impl FnOnce(Option<(Scheme, SignatureInfo<'_>)>) -> R,
) -> R {
    let Some(typ) = number(fields, "sig_type") else {
        return then(None);
    };
    let key_name = fields.get("key_name").map(name_buf);
    let key_digest = octets(fields, "key_digest");
    let mut extensions = Vec::new();
    if let Some(nonce) = octets(fields, "sig_nonce") {
        extensions.extend(element(38, &nonce));
    }
    for (typ, key) in [(40, "sig_time"), (42, "sig_seq")] {
        if let Some(n) = number(fields, key) {
            extensions.extend(element(typ, mars_wire::Number::new(n).as_slice()));
        }
    }
    let locator = match (&key_name, &key_digest) {
        (Some(name), _) => Some(KeyLocator::Name(name.as_name())),
        (None, Some(digest)) => Some(KeyLocator::Digest(digest)),
        (None, None) => None,
    };
    let info = SignatureInfo {
        extensions: &extensions,
        ..SignatureInfo::new(SignatureType(typ), locator)
    };
    then(Some((
        Scheme::of(typ).expect("a scheme that we know"),
        info,
    )))
}

fn encode_data(fields: &Fields) -> Vec<u8> {
    let name = name_of(fields);
    let last = fields.get("final_block").map(component);
    let meta = MetaInfo {
        content_type: number(fields, "content_type"),
        freshness_ms: number(fields, "freshness"),
        final_block_id: last
            .as_ref()
            .map(|(typ, value)| Component::new(*typ, value).expect("a component")),
    };
    let content = octets(fields, "content");
    with_signature(fields, |signature| {
        let (scheme, signature_info) = signature.expect("a Data is signed");
        let data = Data {
            name: name.as_name(),
            meta: (meta != MetaInfo::default()).then_some(meta),
            content: content.as_deref(),
            signature_info,
            signature_value: &[0; 64][..scheme.signature_len()],
        };
        written(|out| {
            data.encode_with(out, |portion, value| {
                value.copy_from_slice(&scheme.sign(portion));
            })
            .expect("room")
        })
    })
}

fn encode_interest(fields: &Fields) -> Vec<u8> {
    let mut name = name_of(fields);
    let parameters = octets(fields, "parameters").map(|application| {
        with_signature(fields, |signature| match signature {
            None => written_parameters(&application, None),
            Some((scheme, info)) => {
                let blank = vec![0; scheme.signature_len()];
                let blank = written_parameters(&application, Some((info, &blank)));
                let unsigned = Parameters::from_octets(&blank).expect("just written");
                let portion = [name.as_name().as_value(), unsigned.signed_portion()].concat();
                written_parameters(&application, Some((info, &scheme.sign(&portion))))
            }
        })
    });
    let parameters = parameters
        .as_deref()
        .map(|octets| Parameters::from_octets(octets).expect("just written"));
    if let Some(parameters) = parameters {
        let digest = parameters.digest();
        name.push(Component::new(Component::PARAMETERS_DIGEST, &digest).expect("32 octets"));
    }
    let hint: Option<Vec<u8>> = fields.get("hint").map(|names| {
        let names = names.as_array().expect("names");
        let names = names.iter().map(name_buf);
        names
            .flat_map(|name| element(7, name.as_name().as_value()))
            .collect()
    });
    let interest = Interest {
        name: name.as_name(),
        can_be_prefix: flag(fields, "can_be_prefix"),
        must_be_fresh: flag(fields, "must_be_fresh"),
        forwarding_hint: hint
            .as_deref()
            .map(|names| ForwardingHint::from_value(names).expect("names")),
        nonce: number(fields, "nonce").map(|nonce| nonce.try_into().expect("32 bits")),
        lifetime_ms: number(fields, "lifetime"),
        hop_limit: number(fields, "hop_limit").map(|hops| hops.try_into().expect("8 bits")),
        parameters,
    };
    written(|out| interest.encode(out).expect("room"))
}

fn written_parameters(
    application: &[u8],
    signature: Option<(SignatureInfo<'_>, &[u8])>,
) -> Vec<u8> {
    written(|out| {
        Parameters::encode(application, signature, out)
            .expect("room")
            .as_octets()
            .len()
    })
}
