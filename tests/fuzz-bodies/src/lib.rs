//! What the fuzz targets do, as functions that run on stable Rust too.
//!
//! Each takes any octets and panics if a law is broken. The targets in `fuzz/` are one line each;
//! the corpora in `fuzz/corpus` are replayed by the tests of this package.

pub mod counting;
mod differential;
mod reassemble;
mod stream;
mod wire;

pub use differential::differential;
pub use reassemble::reassemble;
pub use stream::stream;
pub use wire::{decode, round_trip, structured, uri};

/// A body: takes any octets.
pub type Body = fn(&[u8]);

/// Every body, by the name of its target and its corpus.
pub const BODIES: [(&str, Body); 7] = [
    ("decode", decode),
    ("differential", differential),
    ("reassemble", reassemble),
    ("round_trip", round_trip),
    ("stream", stream),
    ("structured", structured),
    ("uri", uri),
];
