//! Which path of a multipath QUIC connection carries data, which carries ACKs, and when to
//! acknowledge.
//!
//! A path that is wide need not be near. Data belongs where there is room, ACKs where they arrive
//! soon, and fewer ACKs leave a thin return path to those who need it. [`Scheduler`] takes these
//! decisions for a QUIC stack. Its two halves work alone, because a peer cannot be told where to
//! send what: the sender half says over which path the next packet goes, the receiver half when an
//! ACK is owed and over which path it goes.
//!
//! **Data**, policy [`Policy::Reactive`], the scheduler of the first multipath QUIC stacks: of the
//! validated paths with room in their window, the one with the smallest smoothed round-trip time;
//! a path that either side calls a backup only if there is no other. If pacing alone stands in the
//! way, wait for it. Laws of this kind are in [`reactive`].
//!
//! **ACKs**, by the rules of draft-ietf-quic-ack-frequency, for each path on its own, since each
//! has a packet-number space of its own (draft-ietf-quic-multipath): an ACK is owed when *more
//! than* threshold ack-eliciting packets wait for one; when the first of them has waited for the
//! delay; when a packet is missing so far behind the newest that the peer could now declare it
//! lost; when the network has begun to mark congestion; when the peer asks for it. Any ACK settles
//! all of that. The rules are in [`ack`].
//!
//! ```
//! use mars_time::Instant;
//! use mpquic_split::{Config, DataPath, Ecn, Input, Metrics, Output, PathId, Received, Scheduler};
//!
//! let mut scheduler = Scheduler::<4>::new(Config::new(), Instant::ZERO)?;
//! let path = PathId(0);
//! let mut metrics = Metrics::default();
//! metrics.cwnd = 12_000;
//! let packet = |packet| Input::Received(Received {
//!     path,
//!     packet,
//!     bytes: 1_200,
//!     ack_eliciting: true,
//!     ecn: Ecn::NotCe,
//! });
//! let inputs = [
//!     (0, Input::PathAdded { path }),
//!     (0, Input::PathValidated { path }),
//!     (0, Input::Metrics { path, metrics }),
//!     (5, packet(0)),
//!     (6, packet(1)),
//! ];
//! let mut data = DataPath::Blocked;
//! let mut owed = false;
//! for (millis, input) in inputs {
//!     scheduler.handle_input(Instant::from_millis(millis), input)?;
//!     let wake = loop {
//!         match scheduler.poll_output() {
//!             Output::Data(path) => data = path,
//!             Output::AckRoute { .. } => {}
//!             Output::AckDue { due, .. } => owed = due,
//!             Output::Timeout(wake) => break wake,
//!             _ => {}
//!         }
//!     };
//!     // One packet waits for its ACK for 25 ms, a second one brings it on.
//!     assert_eq!(wake, (millis == 5).then_some(Instant::from_millis(30)));
//! }
//! assert_eq!((data, owed), (DataPath::Send(path), true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it does not do
//! - Not yet: the policies that keep data and ACKs apart, hysteresis, the round-trip times by
//!   (data path, ACK path), pings of a path that carries only ACKs, the budget of ACKs on it, the
//!   `ACK_FREQUENCY` frames to ask for, the rule for the tail of a transfer, and the summary for
//!   hosts that take a policy rather than decisions. An ACK goes over the path that it is about.
//! - It detects no loss, keeps no congestion window and writes no frame: the QUIC stack does.
#![no_std]

pub mod ack;
mod config;
mod error;
mod input;
mod output;
mod path;
pub mod reactive;
mod scheduler;
mod setting;

pub use config::{Config, Policy};
pub use error::{ConfigError, Error};
pub use input::{Ecn, Input, Metrics, PathId, Received, Side, Status};
pub use output::{DataPath, Output};
pub use scheduler::Scheduler;
