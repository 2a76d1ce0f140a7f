//! NDN-compatible packets (to be told as an essay).
#![no_std]
#[cfg(feature = "alloc")]
extern crate alloc;

mod component;
mod data;
#[cfg(feature = "sha2")]
mod digest;
mod error;
mod forwarding_hint;
mod header;
mod interest;
mod interest_edit;
mod limits;
mod link_header;
mod link_packet;
mod lp_packet;
mod mars_name;
mod nack;
mod name;
#[cfg(feature = "alloc")]
mod name_buf;
mod parameters;
mod pit_token;
mod rank;
#[cfg(any(feature = "arbitrary", feature = "proptest"))]
pub mod sample;
mod signature;
mod tlv;
mod types;
mod uri;
mod writer;

pub use component::{Component, Number};
pub use data::{Data, MetaInfo};
pub use error::{DecodeError, EncodeError, ErrorKind};
pub use forwarding_hint::ForwardingHint;
pub use header::MarsHeader;
pub use interest::Interest;
pub use interest_edit::InterestEdit;
pub use limits::MAX_PACKET;
pub use link_header::{Acks, LinkHeader};
pub use link_packet::{Body, LinkPacket};
pub use lp_packet::LpPacket;
pub use mars_name::MarsName;
pub use nack::{NackDetail, NackReason};
pub use name::{Components, Name};
#[cfg(feature = "alloc")]
pub use name_buf::NameBuf;
pub use parameters::Parameters;
pub use pit_token::PitToken;
pub use rank::{Label, Rank};
pub use signature::{KeyLocator, SignatureInfo, SignatureType};

use limits::millis;
