//! One MARS forwarder (to be told as an essay).
#![no_std]
extern crate alloc;

mod config;
mod error;
mod forwarder;
mod input;
mod output;

pub use config::{Config, RankRule, Theta};
pub use error::{ConfigError, Error};
pub use forwarder::{DestView, Forwarder, Upstream};
pub use input::{Data, FaceId, FaceKind, Input, Interest, Nack, Route};
pub use output::{DropReason, Edit, Event, Output};
