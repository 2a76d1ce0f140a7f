//! From what an upstream reports of its queues to how many Interests may be in flight.
//!
//! A forwarder writes two numbers into every Data that it sends down a face: how many Data wait on
//! that face, and how many Interests wait in the queue of that prefix. A [`Controller`] turns one
//! of the two, with round-trip times, losses and the clock of its caller, into a window and a pace.
//! It knows numbers only: no packets, names or faces.
//!
//! # Three levels
//!
//! | [`Level`] | one for each | holds at its target |
//! |---|---|---|
//! | `Face` | upstream face | the Data queue of that face, which all prefixes share |
//! | `Prefix` | prefix and upstream face | the Interest queue that the upstream keeps for the prefix |
//! | `Local` | consumer | its prefix's Interest queue in the forwarder beside it |
//!
//! A forwarder sends an Interest over a face when the controllers of both the face and the prefix
//! let it, and takes the prefixes in turn. Why two: if each of N prefixes reacted to the one Data
//! queue that they share, the queue would rise with N, and their shares would even out only within
//! as many round trips as the window is long. With one controller for the face, the queue does not
//! know how many prefixes there are, and the turns make them equal at once.
//!
//! # The law
//!
//! Decisions come once per *epoch*: at least a round trip, and at least a few Data (four for a
//! face), so that each sees the whole effect of the one before. From the mean queue Q of the epoch
//! and the one before, `x = Q + κ (Q - Q')`, and the window W moves:
//!
//! * `x` above the target q\*: `W ← W - W·γ·(1 - q*/x)·s + a(x)`, where `s` is the share of the
//!   window that lies in the queue; at most half of W goes;
//! * up to the target: `W ← W + a`, one packet per round trip;
//! * near empty: `W` probes, first by `a`, then by more and more.
//!
//! The increase `a` is one packet up to the target and falls to a quarter where the queue is long.
//! For a face `s = x / (D·R)`, with the delivered rate D and the mean round trip R: by Little's
//! law, `D·R` packets are in flight, and `x` of them wait. For a prefix the queue may be that of
//! others, so `s` is at most the share of the round trip that was spent waiting. A controller at
//! level `Local` hears of its queue without delay and needs no epochs: it fills what is missing to
//! the target at once and lets each packet above it drain.
//!
//! Nothing grows without evidence: in startup and in cruise, only as far as the packets that were
//! answered within a round trip warrant (about twice their number), so a controller whose source
//! is idle keeps still.
//!
//! **Startup** grows with every answer, fourfold per round trip for a face, threefold for a prefix.
//! A face knows better soon. Data that found others waiting left right behind them, so the time
//! between the two is what the link takes for one packet, however slowly they were asked for; four
//! such intervals tell what the link carries, and the window leaps to that times the round trip,
//! plus half the target. The first flight is a burst of 24 and a queue of 60 holds it; so a link
//! whose round trip holds about 150 packets is full in the second round trip after the first Data.
//! A prefix bears a high queue for a few epochs, as the upstream may just be starting, too.
//!
//! **A Nack** takes one packet off the window of a prefix: a flight that overflowed the upstream's
//! queue by n packets comes back with n Nacks, and that was the excess. **A loss** only frees its
//! slot; radio and tail drop look alike, and the queue tells the two apart. **Silence** (no Data for
//! 300 ms though some was asked for, and a packet times out) halves the window and begins anew.
//!
//! **Without reports** a face measures: `D·(R - T)` packets of its own wait, T being the least round
//! trip of late. Of R the least within the epoch counts, less half of how much the times differ, so
//! that jitter is not taken for a queue; and if the window was halved and the waiting stayed, the
//! path has become longer and T is taken anew. A face also measures, for ten seconds, after losing
//! more than a quarter of an epoch while reports spoke of no queue: then a router in between
//! overflows, or the upstream lies. See [`Estimate`].
//!
//! # Why it is stable
//!
//! With W packets in flight on a link of capacity C and delay T, the queue *is* `W - C·T`: a window
//! clocks itself, and one decision per round trip makes a first-order map. A queue driven by a rate
//! is an integrator behind a delay instead; no fixed gain serves both 5 ms and 100 ms. The cut
//! takes away `γ·(x - q*)`, so with `e = Q - q*` and N controllers on one queue
//!
//! ```text
//! e⁺ = (1 - γ(1 + κ)) e + γκ e' + N a        z² - (1 - γ(1 + κ)) z - γκ = 0
//! ```
//!
//! which does not depend on C, T or N, and is stable if `γ(1 + 2κ) < 2`. At γ = κ = 1/2 the roots
//! are 0.64 and -0.39: the error shrinks to 0.64 or less each round trip. Means over an epoch come
//! half an epoch late (radius 0.57); with a whole epoch of delay more it is 0.71, and stable up to
//! γ = 0.83, which is the largest that [`Config`] takes.
//!
//! It rests where `N a(Q) = γ (Q - q*)`: at about 9.7 packets for q\* = 8 and N = 1. There each of
//! several controllers has `a = γ (1 - q*/Q) w`, with w its packets in the queue. The queue and the
//! increase are the same for all, so w is, so their rates are, *whatever their round trips*. That
//! needs honest shares: a floor of 1/16 under the measured waiting share, say, makes paths of 70 ms
//! get a third less than those of 10 ms, hence a floor of 1/128.
//!
//! # The host loop
//!
//! A packet takes a slot when it leaves and gives it back exactly once. The controller never reads
//! a clock and never needs to be woken: the time in [`Output::Timeout`] is merely when the pace lets
//! the next packet go.
//!
//! ```
//! use core::time::Duration;
//! use mars_cc::{Config, Controller, Input, Level, Output};
//! use mars_time::Instant;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut now = Instant::ZERO;
//! let mut controller = Controller::new(Config::new(Level::Face), now)?;
//!
//! let wake = loop {
//!     // Send what may go, then see what is set and when to come back.
//!     while controller.can_send(now) {
//!         controller.handle_input(now, Input::Sent)?;
//!     }
//!     match controller.poll_output() {
//!         Output::Window(packets) => println!("window {packets}"),
//!         Output::Gap(gap) => println!("a packet every {gap:?}"),
//!         Output::Timeout(wake) => break wake,
//!         _ => {}
//!     }
//! };
//! assert_eq!((controller.in_flight(), wake), (24, None));
//!
//! // Data came: 3 packets had waited before it.
//! now += Duration::from_millis(40);
//! let rtt = Some(Duration::from_millis(40));
//! controller.handle_input(now, Input::Delivered { queue: Some(3), rtt })?;
//! assert_eq!(controller.in_flight(), 23);
//! # Ok(())
//! # }
//! ```
//!
//! # Limits
//!
//! * It does not retransmit, time packets out, or choose among faces; its caller does, and tells.
//! * Round trips must be clear: none of retransmitted packets (Karn's rule), none of packets that a
//!   cache answered.
//! * A start beyond BDP 1,000 may drop some packets; at 400 Mbit/s and 100 ms the queue then takes
//!   seconds to come down to its target, with the link full.
//! * A bottleneck beyond the next forwarder is felt by its Interest queue only. When others leave
//!   such a link, those who stay need five to ten round trips to take it up.
//! * Delay that varies by much more than the target queue takes to drain is taken for a queue by a
//!   face that must measure; with reports it does not matter.
//! * Controllers that measure and share one unreported queue each keep some five packets in it.
//!
//! Everything is fixed point: windows and queues in 1/256 of a packet, shares in 1/65,536, times in
//! nanoseconds. The state is a few hundred octets, `Copy`, without `alloc`.
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
