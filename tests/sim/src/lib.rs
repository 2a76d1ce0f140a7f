//! A deterministic network simulator that hosts the MARS machines unchanged.
//!
//! ```text
//! scenario (TOML) ┐
//! command line    ┴─> Plan ──build──> Engine<MarsHost> ──run──> RunResult ──report──> table, JSON, CSV, HTML
//! ```
//!
//! - [`engine`] is the event loop and knows no protocol: it moves frames over links ([`link`])
//!   between hosts, wakes them, and tells them of outages. A run is a function of (plan, seed), bit
//!   for bit.
//! - [`host`] and [`node`] host the published machines as any third party would: an input with the
//!   present, then outputs until the machine says when to wake it. [`app`] puts consumers and
//!   producers behind local faces. [`packet`] is what travels, [`wire`] is the same as octets.
//! - [`topology`], [`routing`], [`wan`], [`discover`], [`graph`] and [`scenario`] say what is run;
//!   [`plan`] is the common form, [`build`] makes an engine of it, [`run`] drives that.
//! - [`invariant`] watches from outside that the valid upstream edges of each dest stay free of
//!   cycles, [`meter`] and [`stats`] measure, [`report`] tells.
//! - [`adversary`] attacks that claim without any network: it picks what arrives when, and tries all
//!   interleavings of small worlds.
//!
//! A first run from code:
//!
//! ```
//! use mars_sim::scenario::{Experiment, Scenario};
//!
//! let text = r#"
//!     [graph]
//!     links = [
//!         { between = ["alice", "left"], rate_mbps = 40, delay_ms = 5 },
//!         { between = ["alice", "right"], rate_mbps = 20, delay_ms = 9 },
//!         { between = ["left", "bob"], rate_mbps = 100, delay_ms = 5 },
//!         { between = ["right", "bob"], rate_mbps = 100, delay_ms = 5 },
//!     ]
//!     producers = [{ node = "bob", bytes = "600kB" }]
//!     fetches = [{ at = "alice", from = "bob" }]
//! "#;
//! let (_, Experiment::Graph(graph)) = Scenario::parse(text)? else { unreachable!() };
//! let result = mars_sim::run::run(&graph.plan(1, false)?, &mut |_share| true);
//! assert_eq!(result.failures(), [""; 0]);
//! assert_eq!(result.flows[0].paths, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What it does not do: it has no model of processors, and IP exists only as tunnels.

pub mod adversary;
pub mod app;
pub mod build;
pub mod campaign;
pub mod cli;
pub mod discover;
pub mod disjoint;
pub mod engine;
pub mod graph;
pub mod host;
pub mod invariant;
pub mod link;
pub mod meter;
pub mod network;
pub mod node;
pub mod packet;
pub mod plan;
pub mod report;
pub mod routing;
pub mod run;
pub mod scenario;
pub mod stats;
pub mod survey;
pub mod topology;
mod tunnel;
pub mod units;
pub mod wan;
pub mod wire;
