//! Queue feedback to windows and pacing (to be told as an essay).
#![no_std]

mod config;
mod controller;
mod epoch;
mod error;
mod input;
mod law;
mod output;
mod pacer;
mod rtt;
mod train;
mod window;

pub use config::{Config, Estimate, Level};
pub use controller::{Controller, Phase};
pub use error::{ConfigError, Error};
pub use input::Input;
pub use output::Output;
