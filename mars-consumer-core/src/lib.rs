//! A MARS consumer (to be told as an essay).
#![no_std]
extern crate alloc;

mod config;
mod consumer;
mod context;
mod counters;
mod discovery;
mod error;
mod generation;
mod input;
mod length;
mod output;
mod patience;
mod pause;
mod reassembly;
mod refusal;
mod retrieval;
mod rng;
mod rto;
mod slot;
mod timers;

pub use config::{Config, Object, Start};
pub use consumer::Consumer;
pub use counters::Counters;
pub use error::{ConfigError, Error};
pub use input::{Data, Input, Nack};
pub use output::{Event, GiveUp, InterestSpec, Output, SpecName};
