//! Link packets that fit the link.
//!
//! A [`Fragmenter`] is one sender of one link. It is told of a network packet, which stays with the
//! host behind a handle, and says which link packets to send: the octets of each head, and which
//! range of the network packet follows them. A packet that fits goes out as it is. One that does not
//! is cut: every fragment carries Sequence, `FragIndex` and `FragCount`, Sequence counts up by one,
//! and all other header fields (PIT token, Nack, MARS header, congestion mark, Acks) stand in the
//! first fragment only.
mod config;
mod error;
mod input;
mod machine;
mod output;
mod split;

pub use config::Config;
pub use error::Error;
pub use input::Input;
pub use machine::Fragmenter;
pub use output::Output;
