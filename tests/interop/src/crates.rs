//! The Rust crates `ndn-protocol`, which reads Interests and Data, and `ndn-ndnlp`, which reads the
//! link layer with its help.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use ndn_ndnlp::{Fragment, LpPacket, Nack, Packet, UnknownHeader};
use ndn_protocol::error::VerifyError;
use ndn_protocol::signature::{KeyLocatorData, SignMethod, SignatureVerifier};
use ndn_protocol::{
    Certificate, ContentType, Data, FinalBlockId, FreshnessPeriod, Interest, MetaInfo, Name,
    NameComponent, SignSettings,
};
use ndn_tlv::{GenericTlv, NonNegativeInteger, TlvDecode, TlvEncode, VarNum};
use serde_json::Value;

use crate::fields::{Fields, component, component_text, flag, hex, number, octets, text};
use crate::keys::Scheme;
use crate::stack::Stack;

/// `ndn-protocol`, for packets without a link header.
#[derive(Debug)]
pub struct NdnProtocol;

/// `ndn-ndnlp`, for any datagram.
#[derive(Debug)]
pub struct NdnNdnlp;

impl Stack for NdnProtocol {
    fn name(&self) -> &'static str {
        "ndn-protocol 0.4.1"
    }

    fn decode(&mut self, octets: &[u8]) -> Result<Fields, String> {
        refuse_panics(|| {
            let mut out = Fields::new();
            network_fields(Bytes::copy_from_slice(octets), &mut out)?;
            Ok(out)
        })
    }

    fn encode(&mut self, fields: &Fields) -> Result<Vec<u8>, String> {
        refuse_panics(|| Ok(network_packet(fields)?.to_vec()))
    }
}

impl Stack for NdnNdnlp {
    fn name(&self) -> &'static str {
        "ndn-ndnlp 0.4.1"
    }

    fn decode(&mut self, octets: &[u8]) -> Result<Fields, String> {
        refuse_panics(|| {
            let mut out = Fields::new();
            let packet = Packet::decode(&mut Bytes::copy_from_slice(octets));
            match packet.map_err(|error| error.to_string())? {
                Packet::Interest(interest) => interest_fields(&interest, &mut out),
                Packet::Data(data) => data_fields(&data, &mut out),
                Packet::LpPacket(link) => {
                    link_fields(&link, &mut out);
                    let whole = number(&out, "frag_count").unwrap_or(1) == 1;
                    match link.fragment() {
                        None => put(&mut out, "kind", "idle"),
                        Some(fragment) if whole => network_fields(fragment, &mut out)?,
                        Some(fragment) => {
                            put(&mut out, "kind", "fragment");
                            put(&mut out, "fragment", hex(&fragment));
                        }
                    }
                }
            }
            Ok(out)
        })
    }

    fn encode(&mut self, fields: &Fields) -> Result<Vec<u8>, String> {
        refuse_panics(|| {
            let packet = network_packet(fields)?;
            let mut headers = Vec::new();
            if let Some(token) = octets(fields, "pit_token") {
                headers.push(header(98, token));
            }
            if let Some(mark) = number(fields, "congestion_mark") {
                headers.push(header(832, NonNegativeInteger::new(mark).encode().to_vec()));
            }
            let nack = fields.contains_key("nack").then_some(Nack);
            if headers.is_empty() && nack.is_none() {
                return Ok(packet.to_vec());
            }
            let link = LpPacket {
                sequence: None,
                frag_index: None,
                frag_count: None,
                nack,
                other_headers: headers,
                fragment: Some(Fragment { data: packet }),
            };
            Ok(link.encode().to_vec())
        })
    }
}

fn header(typ: u64, value: Vec<u8>) -> UnknownHeader {
    UnknownHeader(GenericTlv {
        typ: VarNum::new(typ),
        len: VarNum::from(value.len()),
        content: value.into(),
    })
}

/// These crates panic at some inputs.
fn refuse_panics<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

fn put(out: &mut Fields, key: &str, value: impl Into<Value>) {
    out.insert(key.to_owned(), value.into());
}

fn put_number(out: &mut Fields, key: &str, number: Option<impl Into<u64>>) {
    if let Some(number) = number {
        put(out, key, number.into().to_string());
    }
}

fn name_value(name: &Name) -> Value {
    name.iter().map(component_value).collect()
}

fn name_fields(name: &Name, out: &mut Fields) {
    put(out, "name", name_value(name));
    let uri = name.to_uri();
    put(
        out,
        "uri",
        uri.as_str().strip_prefix("ndn:").expect("its scheme"),
    );
}

fn component_value(component: &NameComponent) -> Value {
    let mut octets = component.encode();
    let typ = VarNum::decode(&mut octets).expect("its own").value();
    let _ = VarNum::decode(&mut octets).expect("its own");
    component_text(typ, &octets)
}

fn link_fields(link: &LpPacket, out: &mut Fields) {
    if let Some(sequence) = link.seq_num() {
        let sequence = NonNegativeInteger::decode(&mut sequence.clone()).expect("8 octets");
        put_number(out, "sequence", Some(sequence));
    }
    put_number(out, "frag_index", link.frag_index.map(|index| index.0));
    put_number(out, "frag_count", link.frag_count.map(|count| count.0));
    if link.is_nack() {
        put(out, "nack", "");
    }
    for UnknownHeader(header) in link.other_headers() {
        match header.typ.value() {
            98 => put(out, "pit_token", hex(&header.content)),
            928 => put(out, "mars", hex(&header.encode())),
            _ => {}
        }
    }
}

fn network_fields(mut packet: Bytes, out: &mut Fields) -> Result<(), String> {
    match packet.first() {
        Some(5) => {
            let interest = Interest::decode(&mut packet).map_err(|error| error.to_string())?;
            interest_fields(&interest, out);
        }
        Some(6) if !out.contains_key("nack") => {
            let data = Data::decode(&mut packet).map_err(|error| error.to_string())?;
            data_fields(&data, out);
        }
        _ => return Err("neither Interest nor Data".to_owned()),
    }
    Ok(())
}

fn interest_fields(interest: &Interest<Bytes>, out: &mut Fields) {
    let nack = out.contains_key("nack");
    put(out, "kind", if nack { "nack" } else { "interest" });
    name_fields(interest.name(), out);
    if interest.can_be_prefix() {
        put(out, "can_be_prefix", true);
    }
    if interest.must_be_fresh() {
        put(out, "must_be_fresh", true);
    }
    if let Some(hint) = interest.forwarding_hint() {
        put(out, "hint", vec![name_value(hint)]);
    }
    put_number(
        out,
        "nonce",
        interest.nonce().map(|nonce| u32::from_be_bytes(*nonce)),
    );
    put_number(out, "lifetime", interest.interest_lifetime());
    put_number(out, "hop_limit", interest.hop_limit());
    if let Some(parameters) = interest.application_parameters() {
        put(out, "parameters", hex(parameters));
        let digest = interest.verify(&Verifier(Scheme::Digest));
        let right = !matches!(digest, Err(VerifyError::InvalidParameterDigest));
        put(out, "parameters_digest", right);
    }
    if let Some(info) = interest.signature_info() {
        let typ = info.signature_type().value();
        put_number(out, "sig_type", Some(typ));
        key_fields(info.key_locator(), out);
        if let Some(nonce) = info.nonce() {
            put(out, "sig_nonce", hex(nonce));
        }
        put_number(out, "sig_time", info.time());
        put_number(out, "sig_seq", info.seq_num());
        if let Some(scheme) = Scheme::of(typ) {
            put(out, "verified", interest.verify(&Verifier(scheme)).is_ok());
        }
    }
}

fn data_fields(data: &Data<Bytes>, out: &mut Fields) {
    put(out, "kind", "data");
    name_fields(data.name(), out);
    if let Some(meta) = data.meta_info() {
        put_number(
            out,
            "content_type",
            meta.content_type.clone().map(|typ| typ.content_type),
        );
        let freshness = meta.freshness_period.clone();
        put_number(
            out,
            "freshness",
            freshness.map(|period| period.freshness_period),
        );
        if let Some(last) = &meta.final_block_id {
            put(out, "final_block", component_value(&last.final_block_id));
        }
    }
    if let Some(content) = data.content() {
        put(out, "content", hex(content));
    }
    if let Some(info) = data.signature_info() {
        let typ = info.signature_type().value();
        put_number(out, "sig_type", Some(typ));
        key_fields(info.key_locator(), out);
        if let Some(scheme) = Scheme::of(typ) {
            put(out, "verified", data.verify(&Verifier(scheme)).is_ok());
        }
    }
}

fn key_fields(locator: Option<&KeyLocatorData>, out: &mut Fields) {
    match locator {
        None => {}
        Some(KeyLocatorData::Name(name)) => put(out, "key_name", name_value(name)),
        Some(KeyLocatorData::KeyDigest(digest)) => {
            put(out, "key_digest", hex(&Bytes::from(digest.clone())));
        }
    }
}

/// One of our schemes where the crate asks for one. The crate has no HMAC and no Ed25519 of its own,
/// but finds the portion that a signature covers.
#[derive(Clone, Copy)]
struct Verifier(Scheme);

impl SignatureVerifier for Verifier {
    fn verify(&self, portion: &[u8], signature: &[u8]) -> bool {
        self.0.verify(portion, signature)
    }

    fn certificate(&self) -> Option<Certificate> {
        None
    }

    fn from_data(_: Data<Bytes>) -> Option<Self> {
        None
    }
}

impl SignMethod for Verifier {
    fn signature_type(&self) -> u64 {
        self.0.signature_type()
    }

    fn next_seq_num(&mut self) -> u64 {
        0
    }

    fn certificate(&self) -> Option<Certificate> {
        None
    }

    fn sign(&self, portion: &[u8]) -> Bytes {
        self.0.sign(portion).into()
    }
}

fn name_of(value: &Value) -> Result<Name, String> {
    let parts = value.as_array().expect("a name is an array");
    parts.iter().map(component_of).collect()
}

fn component_of(text: &Value) -> Result<NameComponent, String> {
    let (typ, value) = component(text);
    let tlv = GenericTlv {
        typ: VarNum::from(typ),
        len: VarNum::from(value.len()),
        content: Bytes::from(value),
    };
    NameComponent::decode(&mut tlv.encode()).map_err(|error| error.to_string())
}

fn network_packet(fields: &Fields) -> Result<Bytes, String> {
    let name = name_of(fields.get("name").expect("a name"))?;
    let scheme = number(fields, "sig_type").and_then(Scheme::of);
    if text(fields, "kind") == Some("data") {
        let mut data = Data::new(name, Bytes::new());
        let last = fields.get("final_block").map(component_of).transpose()?;
        data.set_meta_info(Some(MetaInfo {
            content_type: number(fields, "content_type").map(ContentType::new),
            freshness_period: number(fields, "freshness").map(FreshnessPeriod::new),
            final_block_id: last.map(|final_block_id| FinalBlockId { final_block_id }),
        }));
        data.set_content(octets(fields, "content").map(Bytes::from));
        data.sign(&mut Verifier(scheme.expect("a Data is signed")));
        return Ok(data.encode());
    }
    let mut interest = Interest::<Bytes>::new(name);
    interest
        .set_can_be_prefix(flag(fields, "can_be_prefix"))
        .set_must_be_fresh(flag(fields, "must_be_fresh"))
        .set_nonce(
            number(fields, "nonce")
                .map(|nonce| u32::try_from(nonce).expect("32 bits").to_be_bytes()),
        )
        .set_interest_lifetime(number(fields, "lifetime").map(NonNegativeInteger::new))
        .set_hop_limit(number(fields, "hop_limit").map(|hops| hops.try_into().expect("8 bits")));
    if let Some(hint) = fields.get("hint") {
        interest.set_forwarding_hint(Some(name_of(&hint[0])?));
    }
    if let Some(parameters) = octets(fields, "parameters") {
        interest.set_application_parameters(Some(parameters.into()));
        match scheme {
            None => drop(interest.add_parameters_digest()),
            Some(scheme) => {
                let settings = SignSettings {
                    include_time: false,
                    include_seq_num: fields.contains_key("sig_seq"),
                    nonce_length: octets(fields, "sig_nonce").map_or(0, |nonce| nonce.len()),
                };
                interest
                    .sign_checked(&mut Verifier(scheme), settings)
                    .map_err(|error| format!("{error:?}"))?;
            }
        }
    }
    Ok(interest.encode())
}
