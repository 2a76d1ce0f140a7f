//! The consumer against a small local forwarder with delay, loss, reordering, duplication and queues.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test may fail"
)]

mod discovery;
mod host;
mod properties;
mod reader;
mod retrieval;
mod world;
