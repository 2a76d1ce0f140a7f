//! Elements out of a byte stream.
//!
//! A [`StreamDecoder`] is fed with whatever a read returned, from one octet up, and gives out whole
//! top-level elements in order, each with its offset in the stream. An element is not looked into:
//! hand it to [`LinkPacket::decode`](crate::LinkPacket::decode). What that refuses is the fault of
//! the one packet, and the stream goes on behind it. What the stream itself can have wrong is a TYPE
//! or LENGTH: then nobody knows where the next element starts, so the decoder fails for good, with
//! the offset and the kind of the fault, as soon as the octets of the TYPE or LENGTH are there.
//!
//! Octets are copied once, into the decoder, so the host may read into the same buffer again. A host
//! that keeps its own buffer in one piece needs no machine and no copy: [`element_len`] says how
//! many octets of it are the next element.
mod decoder;
mod error;
mod head;
mod input;
mod output;

pub use decoder::StreamDecoder;
pub use error::{Error, StreamError};
pub use head::element_len;
pub use input::Input;
pub use output::Output;
