//! What the law does on a network: full links, short queues, fair shares.
//!
//! Every test runs in the small deterministic network of [`net`]; [`scenes`] holds the set-ups.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::unreachable,
    clippy::too_many_arguments
)]

mod changes;
mod endpoint;
mod grid;
mod hops;
mod net;
mod scenes;
mod start;
