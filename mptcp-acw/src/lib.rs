//! Congestion windows of a multipath TCP connection, coupled so that the connection takes no more
//! than its share.
//!
//! A multipath connection has several subflows, each with a congestion window of its own. If every
//! one grew as a TCP does, two subflows through one bottleneck would take twice the share of a
//! neighbour. LIA ([RFC 6356]) therefore couples the *increase*: in congestion avoidance an
//! acknowledgement of `acked` bytes on subflow `i` adds
//!
//! ```text
//! min( alpha * acked * mss_i / cwnd_total ,  acked * mss_i / cwnd_i )
//!
//! alpha = cwnd_total * max_i(cwnd_i / rtt_i^2) / (sum_i cwnd_i / rtt_i)^2
//! ```
//!
//! The first term makes all subflows together as fast as one TCP on the best path would be; the
//! second keeps each from being faster than a TCP on its own path. Slow start, the halving upon a
//! loss and the restart after a timeout stay those of a single TCP ([RFC 5681]), subflow by
//! subflow. A connection of one subflow is plain TCP.
//!
//! [`Coupler`] is the machine: it is told what was acknowledged and what was lost, and sets windows
//! and thresholds. All arithmetic is in integers (windows in 2^-24 bytes, ratios in 2^-32), so that
//! the same inputs give the same windows everywhere; the law itself is in [`lia`] and [`tcp`], as
//! pure functions.
//!
//! ```
//! use core::time::Duration;
//! use mars_time::Instant;
//! use mptcp_acw::{Config, Coupler, Input, Output, SubflowId};
//!
//! let mut coupler = Coupler::<4>::new(Config::new(), Instant::ZERO)?;
//! let mut windows = [0; 2];
//! let wifi = SubflowId(0);
//! let inputs = [
//!     (0, Input::SubflowAdded { subflow: wifi, mss: 1_400 }),
//!     (20, Input::Acked {
//!         subflow: wifi,
//!         bytes: 1_400,
//!         rtt: Some(Duration::from_millis(20)),
//!         one_way: None,
//!     }),
//! ];
//! for (millis, input) in inputs {
//!     coupler.handle_input(Instant::from_millis(millis), input)?;
//!     let wake = loop {
//!         match coupler.poll_output() {
//!             Output::Cwnd { subflow, bytes } => windows[subflow.0 as usize] = bytes,
//!             Output::Ssthresh { .. } => {}
//!             Output::Timeout(wake) => break wake,
//!             _ => {}
//!         }
//!     };
//!     assert_eq!(wake, None);
//! }
//! // Ten segments at first, one more in slow start.
//! assert_eq!(windows, [11 * 1_400, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it does not do
//! - Not yet: OLIA and BALIA; ACW, the decrease of the slowest subflow's window by the ratio of
//!   delays, from which the crate has its name; the in-order-unit model of goodput. One-way delays
//!   are taken and nothing is made of them so far, and no timer runs.
//! - Fast recovery is the host's: [`Input::Lost`] is one congestion event (of which there is at
//!   most one per window), and until it is over the host reports no [`Input::Acked`].
//! - It schedules nothing and retransmits nothing: the host's TCP does that.
//!
//! [RFC 5681]: https://www.rfc-editor.org/rfc/rfc5681
//! [RFC 6356]: https://www.rfc-editor.org/rfc/rfc6356
#![no_std]

mod config;
mod coupler;
mod error;
mod input;
pub mod lia;
mod output;
mod subflow;
pub mod tcp;

pub use config::Config;
pub use coupler::Coupler;
pub use error::{ConfigError, Error};
pub use input::{Input, Loss, SubflowId};
pub use output::Output;
