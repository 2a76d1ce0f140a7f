//! MARS packets against other people's NDN stacks, in both directions.
//!
//! A stack is anything with two verbs ([`Stack`]): *decode* a datagram into what it says, *encode* a
//! datagram that says it. What a packet says is a JSON object ([`mod@fields`]), so that it can be held
//! against what another stack says, field by field, in whatever language that is written. There are
//! five: `mars-wire` itself ([`Ours`]), and four foreign ones ([`Peer`]):
//!
//! | stack | language | how it is driven |
//! |---|---|---|
//! | `NDNts` (`@ndn/packet`, `@ndn/lp`) | JavaScript | `ndnts/script.mjs`, a line of JSON in, a line out |
//! | python-ndn | Python | `python/script.py`, likewise |
//! | `ndn-protocol` | Rust | linked in |
//! | `ndn-ndnlp` | Rust | linked in |
//!
//! `run.sh` installs the first two, each package by its exact version, and runs these tests. Without
//! it (`cargo test` alone) the two crates are tested, and the tests say loudly that the others were
//! not.
//!
//! Foreign decoders differ from one another and from the specification. In what way is data too:
//! [`Peer::sees`], [`Peer::trouble`] and the table of `tests/vectors.rs`, all of which the tests hold
//! each stack to, so that nothing is excused that no longer happens.
//!
//! What this does not do: no forwarder is started and nothing crosses a network. A packet that a
//! stack decodes is a packet that its forwarder would carry, as far as decoding goes.

mod crates;
pub mod fields;
pub mod keys;
pub mod made_up;
mod ours;
mod peer;
mod script;
mod stack;

pub use crates::{NdnNdnlp, NdnProtocol};
pub use ours::Ours;
pub use peer::{Peer, Trouble, vectors};
pub use script::Script;
pub use stack::Stack;
