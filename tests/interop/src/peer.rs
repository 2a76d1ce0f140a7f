//! The foreign stacks, and in what they are known to differ: what is left of a packet after they
//! read it, what they trip over, and what they can write. The tests hold every packet against this,
//! so a stack that starts to behave, or stops to, is noticed.

use serde_json::Value;

use crate::crates::{NdnNdnlp, NdnProtocol};
use crate::fields::{Fields, component, components, number, text, unhex};
use crate::script::Script;
use crate::stack::Stack;

/// A foreign stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// `@ndn/packet` and `@ndn/lp`, in JavaScript.
    Ndnts,
    /// python-ndn.
    PythonNdn,
    /// The crate `ndn-protocol`: packets without a link header.
    NdnProtocol,
    /// The crate `ndn-ndnlp`: the same with one.
    NdnNdnlp,
}

/// What a stack does with a packet that it trips over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// Refuses it.
    Refuses(&'static str),
    /// Takes it for something else.
    Misreads(&'static str),
}

/// Fields of the link header that not every stack knows.
const RARE_LINK_FIELDS: [&str; 8] = [
    "incoming_face_id",
    "next_hop_face_id",
    "cache_policy",
    "acks",
    "tx_sequence",
    "non_discovery",
    "prefix_announcement",
    "mars",
];

impl Peer {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Ndnts,
        Self::PythonNdn,
        Self::NdnProtocol,
        Self::NdnNdnlp,
    ];

    /// Starts it, if it is installed.
    #[must_use]
    pub fn open(self) -> Option<Box<dyn Stack>> {
        match self {
            Self::Ndnts => Some(Box::new(Script::ndnts()?)),
            Self::PythonNdn => Some(Box::new(Script::python_ndn()?)),
            Self::NdnProtocol => Some(Box::new(NdnProtocol)),
            Self::NdnNdnlp => Some(Box::new(NdnNdnlp)),
        }
    }

    /// Whether it is one of the crates.
    #[must_use]
    pub fn is_crate(self) -> bool {
        matches!(self, Self::NdnProtocol | Self::NdnNdnlp)
    }

    /// What is left of a packet after it read it. Where a stack cannot tell a default from nothing,
    /// it is nothing here; apply this to what we read and to what it read alike.
    #[must_use]
    pub fn sees(self, fields: &Fields) -> Fields {
        let mut out = fields.clone();
        match self {
            Self::Ndnts => {
                remove(&mut out, &RARE_LINK_FIELDS);
                let defaults = [
                    ("lifetime", "4000"),
                    ("hop_limit", "255"),
                    ("content_type", "0"),
                    ("freshness", "0"),
                    ("content", ""),
                    ("frag_index", "0"),
                    ("frag_count", "1"),
                    ("congestion_mark", "0"),
                ];
                for (key, value) in defaults {
                    remove_if(&mut out, key, value);
                }
                if text(&out, "nack") == Some("0") {
                    put(&mut out, "nack", "");
                }
            }
            Self::PythonNdn => {
                remove(&mut out, &["mars", "sequence", "validity"]);
                remove_if(&mut out, "content_type", "0");
                // It expects 840 before 836, and one Ack.
                if let Some(Value::Array(acks)) = out.get_mut("acks") {
                    acks.truncate(1);
                    out.remove("tx_sequence");
                }
            }
            Self::NdnProtocol | Self::NdnNdnlp => {
                remove(&mut out, &["validity", "sig_value", "congestion_mark"]);
                remove(&mut out, &RARE_LINK_FIELDS[..7]);
                if let Some(Value::Array(names)) = out.get_mut("hint") {
                    names.truncate(1);
                }
                if out.contains_key("nack") {
                    put(&mut out, "nack", "");
                }
            }
        }
        if self == Self::NdnProtocol {
            let link = [
                "sequence",
                "frag_index",
                "frag_count",
                "pit_token",
                "nack",
                "mars",
            ];
            remove(&mut out, &link);
            if text(&out, "kind") == Some("nack") {
                put(&mut out, "kind", "interest");
            }
        }
        if self.prints_otherwise(fields) {
            out.remove("uri");
        }
        out
    }

    /// Whether its URI of this name is another than ours.
    fn prints_otherwise(self, fields: &Fields) -> bool {
        let numbered = |typ: u16| matches!(typ, 50 | 52 | 54 | 56 | 58);
        fields.get("name").is_some_and(|name| {
            components(name).iter().any(|(typ, value)| {
                let periods = value.iter().all(|octet| *octet == b'.');
                let longer = value.len() > 1 && value[..value.len() / 2].iter().all(|o| *o == 0);
                match self {
                    // Numbers in a longer form than needed are printed as numbers.
                    Self::Ndnts => numbered(*typ) && longer,
                    // So are octets of any length; and a value of periods gains none.
                    Self::PythonNdn => {
                        periods
                            || numbered(*typ) && (longer || !matches!(value.len(), 1 | 2 | 4 | 8))
                    }
                    // Only generic components gain periods.
                    Self::NdnProtocol | Self::NdnNdnlp => {
                        periods && *typ != 8 || numbered(*typ) && longer
                    }
                }
            })
        })
    }

    /// What it trips over in a packet that we take, if anything.
    #[must_use]
    pub fn trouble(self, fields: &Fields) -> Option<Trouble> {
        use Trouble::{Misreads, Refuses};
        match self {
            Self::Ndnts => {
                let numbers = [
                    "lifetime",
                    "content_type",
                    "freshness",
                    "sig_type",
                    "sig_time",
                    "nack",
                    "congestion_mark",
                ];
                numbers
                    .iter()
                    .any(|key| {
                        text(fields, key) != Some("") && number(fields, key) >= Some(1 << 53)
                    })
                    .then_some(Refuses("a number of more than 53 bits"))
            }
            Self::PythonNdn => (fields.contains_key("frag_count")
                || fields.contains_key("frag_index"))
            .then_some(Refuses("fragments are not implemented")),
            Self::NdnProtocol => crate_trouble(fields),
            Self::NdnNdnlp => {
                let low = ["sequence", "frag_index", "frag_count", "pit_token"];
                let high = RARE_LINK_FIELDS.iter().chain(&["nack", "congestion_mark"]);
                let is = |key: &&str| fields.contains_key(*key);
                if low.iter().any(is) && !high.copied().any(|key| is(&key)) {
                    let idle = text(fields, "kind") == Some("idle");
                    (!idle).then_some(Refuses("the fragment must not follow a header below 800"))
                } else {
                    crate_trouble(fields)
                }
            }
        }
        .or(match (self, fields.get("kind").and_then(Value::as_str)) {
            (Self::NdnProtocol, Some("idle" | "fragment")) => {
                Some(Misreads("it has no link layer"))
            }
            _ => None,
        })
    }

    /// What of these fields it can write, and is asked to.
    #[must_use]
    pub fn writes(self, fields: &Fields) -> Fields {
        let mut out = fields.clone();
        match self {
            Self::Ndnts => {
                // It makes one up if there is none.
                if text(&out, "kind") != Some("data") && !out.contains_key("nonce") {
                    put(&mut out, "nonce", "7");
                }
            }
            Self::PythonNdn => {}
            Self::NdnProtocol | Self::NdnNdnlp => {
                // It takes them from its own clock, dice and certificates.
                let own = ["sig_time", "sig_nonce", "sig_seq", "key_name", "key_digest"];
                remove(&mut out, &own);
                if let Some(Value::Array(names)) = out.get_mut("hint") {
                    names.truncate(1);
                }
                if out.contains_key("nack") {
                    put(&mut out, "nack", "");
                }
            }
        }
        if self == Self::NdnProtocol {
            remove(&mut out, &["pit_token", "congestion_mark", "nack"]);
            if text(&out, "kind") == Some("nack") {
                put(&mut out, "kind", "interest");
            }
        }
        out
    }
}

/// What `ndn-protocol` trips over.
fn crate_trouble(fields: &Fields) -> Option<Trouble> {
    use Trouble::{Misreads, Refuses};
    let mut other = false;
    for (typ, value) in all_components(fields) {
        match (typ, value.len()) {
            (1 | 2 | 8 | 32, _) | (50 | 52 | 54 | 56 | 58, 1 | 2 | 4 | 8) => {}
            (50 | 52 | 54 | 56 | 58, _) if !other => {
                return Some(Refuses("a numbered component that holds no number"));
            }
            // No value to lose.
            (_, 0) => {}
            _ => other = true,
        }
    }
    if other {
        return Some(Misreads("a component of another type loses its value"));
    }
    (number(fields, "sig_type") >= Some(253))
        .then_some(Misreads("a signature type is read as if it were a TYPE"))
}

/// The components that `ndn-protocol` looks into: those of the name, of the first hint and of the
/// key's name, and that of `FinalBlockId`.
fn all_components(fields: &Fields) -> Vec<(u16, Vec<u8>)> {
    let hint = fields.get("hint").and_then(|hint| hint.get(0));
    let names = [fields.get("name"), hint, fields.get("key_name")];
    let last = fields.get("final_block").map(component);
    names
        .into_iter()
        .flatten()
        .flat_map(components)
        .chain(last)
        .collect()
}

fn put(fields: &mut Fields, key: &str, value: &str) {
    fields.insert(key.to_owned(), value.into());
}

fn remove(fields: &mut Fields, keys: &[&str]) {
    for key in keys {
        fields.remove(*key);
    }
}

fn remove_if(fields: &mut Fields, key: &str, value: &str) {
    if text(fields, key) == Some(value) {
        fields.remove(key);
    }
}

/// The vectors that are published with `mars-wire`: name, octets, and whether we take them.
///
/// # Panics
/// If the file is not as it should be.
#[must_use]
pub fn vectors() -> Vec<(String, Vec<u8>, bool)> {
    let json: Value =
        serde_json::from_str(include_str!("../../../mars-wire/tests/vectors/wire.json"))
            .expect("vectors are JSON");
    let vectors = json.as_array().expect("an array");
    let text = |vector: &Value, key: &str| vector[key].as_str().expect("text").to_owned();
    vectors
        .iter()
        .map(|vector| {
            let accepted = text(vector, "strict").starts_with('A');
            (text(vector, "name"), unhex(&text(vector, "hex")), accepted)
        })
        .collect()
}
