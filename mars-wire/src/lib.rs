//! NDN-compatible packets (to be told as an essay).
#![no_std]
#[cfg(feature = "alloc")]
extern crate alloc;

mod error;
mod header;
mod mars_name;
mod name;
#[cfg(feature = "alloc")]
mod name_buf;
mod tlv;

pub use error::{DecodeError, ErrorKind};
pub use header::{Label, MarsHeader, NackDetail, NackReason, PitToken, Rank};
pub use mars_name::MarsName;
pub use name::{Component, Components, Name};
#[cfg(feature = "alloc")]
pub use name_buf::NameBuf;
