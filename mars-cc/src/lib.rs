//! Queue feedback to windows and pacing (to be told as an essay).
#![no_std]

mod config;
mod controller;
mod error;
mod input;
mod output;

pub use config::{Config, Level};
pub use controller::{Controller, Phase};
pub use error::{ConfigError, Error};
pub use input::Input;
pub use output::Output;
