//! Congestion windows of a multipath TCP connection: coupled, so that the connection takes no more
//! than its share, and adapted, so that its paths deliver at the same time.
//!
//! A multipath connection has several subflows, each with a congestion window of its own. Two things
//! go wrong if each is a TCP by itself. Through one bottleneck, two subflows take twice the share of
//! a neighbour; that is for the *coupling* of increases. And a slow path delivers its part of the
//! stream long after a fast one did, while the receiver buffers all that came in between and the
//! reader gets nothing; that is for *ACW*.
//!
//! # Coupled increases
//!
//! A TCP in congestion avoidance adds `acked * mss / w` bytes to its window `w`. A coupled subflow
//! adds that times a *gain*, which its law takes from all windows and round-trip times. With rates
//! `x = w / r`, shares `s = x / sum(x)`, and `b` for the best path by that law:
//!
//! | [`Coupling`] | gain | loss leaves |
//! |---|---|---|
//! | [`Lia`](Coupling::Lia), RFC 6356, see [`lia`] | `min(1, s_b^2 w / w_b)` | half |
//! | [`Olia`](Coupling::Olia), see [`olia`] | `s^2 + epsilon` | half |
//! | [`Balia`](Coupling::Balia), see [`balia`] | `(s + s_b) (4 s + s_b) / 10` | a quarter to a half |
//! | [`Uncoupled`](Coupling::Uncoupled) | 1 | half |
//!
//! These are the published formulas, divided by what a TCP adds; no term of them is left out. A gain
//! of at most 1 *is* the second goal of RFC 6356, to be on no path more aggressive than a TCP. A
//! connection of one subflow has a gain of 1: it is a TCP. Subflows that have no round-trip time yet,
//! were idle, or wait as backups take no part.
//!
//! # The adaptive window
//!
//! The goodput of a connection depends on how far apart its paths deliver (the model is in
//! [`in_order`]), and a path's delay is in part its own window, which waits in a queue. So every
//! half second the slowest subflow's window is divided by the ratio `theta` of the largest delay to
//! the smallest, if that is above 1 and at most 3, down to two segments; its slow-start threshold
//! goes down with it, or slow start would undo the cut. After three cuts running it rests for one
//! update, as not all delay is of its own making. What the paper leaves open is a field of
//! [`AcwConfig`]; the reasons are beside the fields, the law is in [`acw`].
//!
//! ACW lies over any of the couplings and only ever cuts. `Config::acw = None` is without it.
//!
//! # What a single TCP does
//!
//! Slow start, the halving of what was in flight upon a loss, fast recovery, the restart from one
//! segment upon a timeout and the restart after an idle time are those of RFC 5681 and RFC 6582,
//! subflow by subflow, as RFC 6356 has it; see [`tcp`] and [`Phase`]. A window that is less than half
//! in use does not grow (RFC 7661).
//!
//! # The host loop
//!
//! [`Coupler`] is the machine: it is told what was acknowledged and what was lost, and sets windows
//! and thresholds. Settings are coalesced: any number of inputs may come between two drains.
//!
//! ```
//! use core::time::Duration;
//! use mars_time::Instant;
//! use mptcp_acw::{Config, Coupler, Input, Output, SubflowId};
//!
//! let mut coupler = Coupler::<4>::new(Config::new(), Instant::ZERO)?;
//! let [wifi, lte] = [0, 1].map(SubflowId);
//! let acked = |subflow, millis| Input::Acked {
//!     subflow,
//!     bytes: 1_400,
//!     rtt: Some(Duration::from_millis(millis)),
//!     one_way: None,
//!     in_flight: 9 * 1_400,
//! };
//! let mut inputs = [
//!     (0, Input::SubflowAdded { subflow: wifi, mss: 1_400 }),
//!     (0, Input::SubflowAdded { subflow: lte, mss: 1_400 }),
//!     (20, acked(wifi, 20)),
//!     (40, acked(lte, 40)),
//! ]
//! .into_iter();
//! let mut windows = [0; 2];
//! loop {
//!     let wake = loop {
//!         match coupler.poll_output() {
//!             Output::Cwnd { subflow, bytes } => windows[subflow.0 as usize] = bytes,
//!             Output::Timeout(wake) => break wake,
//!             _ => {} // thresholds are of interest to a TCP that grows by itself
//!         }
//!     };
//!     // A host would wait for a packet here, until `wake` at most.
//!     let (now, input) = match (inputs.next(), wake) {
//!         (Some((millis, input)), _) => (Instant::from_millis(millis), input),
//!         (None, Some(wake)) if wake < Instant::from_secs(1) => (wake, Input::Timeout),
//!         (None, _) => break,
//!     };
//!     coupler.handle_input(now, input)?;
//! }
//! // Ten segments at first, one more in slow start; then, at 520 ms, the slow one is halved.
//! assert_eq!(windows, [11 * 1_400, 11 * 700]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/loop.rs` hosts it over two simulated links, with and without ACW.
//!
//! # Arithmetic
//!
//! All is in integers, so that the same inputs give the same windows everywhere: windows in 2^-24
//! bytes, shares and gains in 2^-32, delays in nanoseconds. Windows are below 2^40 bytes and delays
//! within half an hour, which 100 Gbit/s at 10 s is far within; what is beyond counts as the bound.
//! Neither the numbers of subflows nor the order in which they were added matter. An ACK costs a
//! pass over the subflows and four divisions; only an update of ACW looks at all of them twice.
//!
//! # What it does not do
//! - It schedules nothing, retransmits nothing and measures nothing: the host's TCP does that, and
//!   reports round-trip times by Karn's rule and bytes in flight. One-way delays are the host's, too.
//! - It does not know whether paths share a bottleneck. Couplings assume that they may.
//! - Delay that no window makes (a long cable, a satellite) is not taken away by cutting windows. ACW
//!   then costs throughput: up to three cuts in four updates, down to the floor. The bounds on the
//!   ratio are what there is against that.
//! - Explicit congestion notification is not among its inputs.
#![no_std]

pub mod acw;
pub mod balia;
mod config;
mod coupler;
mod error;
pub mod in_order;
mod input;
pub mod lia;
pub mod olia;
mod output;
pub mod path;
mod subflow;
pub mod tcp;

pub use config::{AcwConfig, Beyond, Config, Coupling, Delay, Reset};
pub use coupler::Coupler;
pub use error::{ConfigError, Error};
pub use input::{Input, Loss, SubflowId};
pub use output::Output;
pub use subflow::Phase;
