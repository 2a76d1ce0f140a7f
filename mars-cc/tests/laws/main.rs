//! What the law does on a network: full links, short queues, fair shares.
#![allow(clippy::cast_possible_truncation, clippy::unreachable)]

mod net;
