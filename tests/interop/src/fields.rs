//! What a packet says, in the words that the scripts share: one JSON object, each field under its
//! name, absent where the packet has none.
//!
//! Octets are hexadecimal, numbers are decimal text (JSON's own lose precision in JavaScript), a
//! component is `TYPE=HEX`, a name is an array of components.

use serde_json::{Map, Value};

/// The fields of one packet.
pub type Fields = Map<String, Value>;

/// Fields out of an object literal.
#[macro_export]
macro_rules! fields {
    ($($object:tt)*) => {
        match serde_json::json!({ $($object)* }) {
            serde_json::Value::Object(fields) => fields,
            _ => unreachable!(),
        }
    };
}

/// Octets as text.
#[must_use]
pub fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// Text as octets.
#[must_use]
pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

/// The text of a field.
#[must_use]
pub fn text<'a>(fields: &'a Fields, key: &str) -> Option<&'a str> {
    fields.get(key)?.as_str()
}

/// A field that is a number.
#[must_use]
pub fn number(fields: &Fields, key: &str) -> Option<u64> {
    Some(text(fields, key)?.parse().expect("a decimal number"))
}

/// A field that is octets.
#[must_use]
pub fn octets(fields: &Fields, key: &str) -> Option<Vec<u8>> {
    text(fields, key).map(unhex)
}

/// Whether a flag is set.
#[must_use]
pub fn flag(fields: &Fields, key: &str) -> bool {
    fields.get(key) == Some(&Value::Bool(true))
}

/// The components of a name.
#[must_use]
pub fn components(name: &Value) -> Vec<(u16, Vec<u8>)> {
    let texts = name.as_array().expect("a name is an array");
    texts.iter().map(component).collect()
}

/// The type and value of a component.
#[must_use]
pub fn component(text: &Value) -> (u16, Vec<u8>) {
    let text = text.as_str().expect("a component is text");
    let (typ, value) = text.split_once('=').expect("TYPE=HEX");
    (typ.parse().expect("a type"), unhex(value))
}

/// A component as text.
#[must_use]
pub fn component_text(typ: u64, value: &[u8]) -> Value {
    Value::String(format!("{typ}={}", hex(value)))
}
