//! A MARS consumer (to be told as an essay).
#![no_std]
extern crate alloc;

mod config;
mod consumer;
mod error;
mod input;
mod output;

pub use config::{Config, Object, Start};
pub use consumer::Consumer;
pub use error::{ConfigError, Error};
pub use input::{Data, Input, Nack};
pub use output::{Event, GiveUp, InterestSpec, Output, SpecName};
