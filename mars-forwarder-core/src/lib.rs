//! One MARS forwarder (to be told as an essay).
#![no_std]
extern crate alloc;

mod config;
mod data;
mod dead;
mod dest;
mod discovery;
mod error;
mod face;
mod fib;
mod forwarder;
mod hash;
mod input;
mod intake;
mod output;
mod pit;
mod queue;
mod rank;
mod release;
mod rng;
mod slab;
mod tier;
mod timers;
mod topology;

pub use config::{Config, RankRule, Theta};
pub use error::{ConfigError, Error};
pub use forwarder::{DestView, Forwarder, ValidUpstream};
pub use input::{Data, FaceId, FaceKind, Input, Interest, Nack, Route};
pub use output::{DropReason, Edit, Event, Output};
