//! One MARS forwarder without I/O: it is told what happened, and it says what to send.
//!
//! A forwarder finds *several* loop-free paths to each producer and spreads Interests over all of
//! them, as fast as each can carry. It has no socket, clock, thread or global: any runtime, packet
//! loop or simulator can host it, and a test can clone it.
//!
//! # Discovery
//!
//! Routing gives each prefix a set of next hops with their hop counts. Those within theta times
//! the least (3/2 unless told otherwise) are grouped into **tiers** of equal hops. A consumer
//! probes with Interests `/dest/src/pd/probeIdx/seq`; a node forwards each probe to a face of its
//! present tier that is still to be heard of (`PendingConverged`). The answer, a small Data, says
//! hop by hop whether the upstream's tier has converged (`TierConv`) and whether all of it has
//! (`NodeConv`). Once a tier has converged and the consumer raises `probeIdx`, the next tier
//! opens. Faces that answered form `ValidUpstream`; data goes over them and no others. This is
//! section III of the paper "MARS: Multipath Adaptive Reliable Service".
//!
//! The paper's rules alone leave forwarding cycles when several consumers probe at once, so each
//! node also holds a **rank** per dest: a generation and a label. The producer's forwarder has
//! label 0; a node labels itself above the upstream that answers first. One rule makes the whole
//! safe: *a face is valid only if the closest rank ever learnt from it is strictly closer to the
//! producer than the node's own, and ranks only ever move closer.* What a node knows of a
//! neighbour thus stays an upper bound for ever, and the union of all valid edges of a dest is
//! acyclic at every instant, whatever is lost, repeated, reordered or late. A probe carries the
//! bound below which the answer must lie; a label is dense (32.32 bits), so a node that stands too
//! high can step down between its own upstreams and the bound. If nothing is left between, the
//! edge is refused: never is the order weakened. Dense labels are those of split-label routing
//! (Mosko and Garcia-Luna-Aceves), generations the sequence numbers of AODV (RFC 3561).
//!
//! A packet that is in flight *across* a change of labels may still meet a node twice. Such a
//! revisit is rare, ends with discovery, and is caught by its nonce.
//!
//! # The data plane
//!
//! An Interest for data joins the queue of its dest (40 by default; a full queue refuses with a
//! Nack, nothing is lost in silence). It is released over a face when two windows of `mars-cc`
//! agree: that of the face, which watches the neighbour's Data queue, and that of the dest over
//! the face, which watches the neighbour's Interest queue. The shortest tier goes first; longer
//! tiers carry what it cannot, or left unanswered twice. Dests that compete for a face are served in rotation. Data
//! goes back to all who asked, stamped with this node's own queues. An Interest that may take only
//! faces that are full lets up to fifteen others of its dest pass.
//!
//! **The same name again.** From another face it joins the pending Interest and never restarts its
//! clock. From the same face with the same nonce it is a copy, and ignored. From the same face with
//! a new nonce it is a retransmission: it goes out again, over a face that was not asked if there is
//! one, as soon as nothing is under way any more or the answer is overdue by the round-trip time of
//! the face asked last (10 ms at least); sooner it is suppressed. From another face with a nonce
//! that was seen, it has looped: Nack duplicate.
//!
//! **When it fails.** A Nack, a face that goes down, a route or a producer that leaves sends the
//! Interest over another face at once, at the head of its queue; with no face left it goes down as a
//! Nack: for congestion if the last face said so, else for want of a route. A mere silence gives the
//! slot back and sends nothing, since retransmission is the consumer's business: if every node
//! repeated itself, traffic would grow by the power of hops. What stayed unanswered goes over a
//! path that appears where there was none, before its lifetime ends; with [`Config::hold_without_route`] so does
//! what had no path to begin with.
//!
//! **Stragglers.** When the first of two faces has answered, the entry stays while the second holds
//! its slot, 50 ms at least: its answer is a measurement, neither forwarded nor unsolicited. Such
//! entries are an eighth of the table at most.
//!
//! **Suspension.** A face that refuses three data Interests of a dest in a row for want of a route
//! (or as duplicates) rests for 100 ms, then is tried with one Interest at a time; it rests for twice
//! as long after each failure, up to 6.4 s, and is in full use again with the first Data.
//!
//! **Producers** are applications behind local faces. The first that registered a prefix serves it;
//! when it withdraws or its face fails, the next takes over, with what was not answered.
//!
//! **Plain NDN upstreams** need no discovery and report no queues: the windows then go by round
//! trips and losses alone. Beside MARS upstreams they serve in the shortest tier only, since a detour
//! over a node without a rank might lead back.
//!
//! **Content store.** Off by default ([`Config::max_cached`]). It is asked before the pending
//! Interests, matches whole names, and lets go of what was used longest ago. Answers to probes are
//! never kept. A hit reaches no window here, but it reports no queue to the downstream either.
//!
//! **Fair shares.** A downstream face may hold as many pending Interests, and open as many dests, as
//! are left free: alone it fills half a table, and never all of it.
//!
//! # Hosting it
//!
//! ```
//! use core::time::Duration;
//! use mars_forwarder_core::{Config, FaceId, FaceKind, Forwarder, Input, Interest, Output, Route};
//! use mars_time::Instant;
//! use mars_wire::{MarsHeader, MarsName, NameBuf};
//!
//! let mut now = Instant::ZERO;
//! // The packet handle is the host's: here an index into a table of buffers.
//! let mut forwarder = Forwarder::<usize>::new(Config::new(0x5EED), now)?;
//!
//! // A consumer on this host, a MARS neighbour, and a route over it.
//! let (app, neighbour) = (FaceId(0), FaceId(1));
//! forwarder.handle_input(now, Input::FaceAdded { face: app, kind: FaceKind::Local })?;
//! forwarder.handle_input(now, Input::FaceAdded { face: neighbour, kind: FaceKind::Mars })?;
//! let dest = NameBuf::new().generic(b"client1");
//! let routes = [Route { face: neighbour, hops: 2 }];
//! forwarder.handle_input(now, Input::Routes { prefix: dest.as_name(), routes: &routes })?;
//!
//! // A discovery Interest arrives from the consumer, decoded by the host.
//! let src = mars_wire::Component::generic(b"server1");
//! let name = MarsName::Discovery { dest: dest.as_name(), src, probe_idx: 0, seq: 0 };
//! let name = name.to_name_buf();
//! let interest = Interest {
//!     name: name.as_name(),
//!     nonce: Some(7),
//!     lifetime: Duration::from_secs(2),
//!     hop_limit: None,
//!     pit_token: None,
//!     must_be_fresh: false,
//!     header: MarsHeader { generation: Some(0), ..MarsHeader::default() },
//! };
//! let mut input = Input::Interest { face: app, interest, packet: 0 };
//!
//! // The host loop: hand in, drain, sleep until told or until something arrives.
//! let mut sent = Vec::new();
//! for _ in 0..2 {
//!     forwarder.handle_input(now, input)?;
//!     let wake = loop {
//!         match forwarder.poll_output() {
//!             Output::Transmit { face, edit, packet } => sent.push((face, edit, packet)),
//!             Output::Event(event) => println!("{event:?}"),
//!             Output::Timeout(wake) => break wake,
//!             _ => {}
//!         }
//!     };
//!     now = wake.expect("the probe waits for its answer");
//!     input = Input::Timeout;
//! }
//! assert_eq!((sent[0].0, sent[0].2), (neighbour, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it does not do
//!
//! It reads and writes no packet octets (see `mars-wire`), computes no routes, sends no Interest to
//! two faces at once, and matches Data to Interests by the whole name only: an Interest with `CanBePrefix` is
//! satisfied by Data of exactly its name. It retransmits no data Interest on silence (a probe goes on to the next face). Rank safety
//! holds among MARS nodes that keep their state, or say so when they lose it
//! ([`Config::restarted`]); plain NDN upstreams stand outside it.
//!
//! # Sizes
//!
//! In octets, on a 64-bit host, and held to it by tests:
//!
//! | what | octets |
//! |---|---|
//! | per pending Interest | about 270 and its name, and 80 for each further downstream or upstream of it |
//! | per dest | at most 360 and its name |
//! | per next hop of a dest | at most 570, most of it the window |
//! | per downstream that probed for a dest | at most 40 |
//! | per Interest that waits in a dest's queue | 8; as many for one that waits for a path |
//! | per prefix | at most 150 and its name, 8 for each next hop, 4 for each producer and dest |
//! | per face | at most 570, most of it the window |
//! | per Data in the content store | at most 80, its name and its packet |
//!
//! So a node on the way to one producer, with three next hops and two downstreams for it, holds
//! about two kilobytes. The tables of pending Interests, dests, prefixes, faces, dead nonces and
//! cached Data have caps in [`Config`]; records of an Interest are bounded by the faces.
#![no_std]
extern crate alloc;

#[cfg(test)]
mod audit;
mod cache;
mod config;
mod counters;
mod data;
mod dead;
mod dest;
mod discovery;
mod error;
mod face;
mod fib;
mod forwarder;
mod hash;
mod health;
mod input;
mod intake;
mod loss;
mod output;
mod parked;
mod pit;
mod queue;
mod rank;
mod release;
mod rng;
mod slab;
mod tier;
mod timers;
mod topology;
mod upstream;
mod view;

pub use config::{Config, RankRule, Theta};
pub use counters::Counters;
pub use error::{ConfigError, Error};
pub use forwarder::Forwarder;
pub use input::{Data, FaceId, FaceKind, Input, Interest, Nack, Route};
pub use output::{DropReason, Edit, Event, Output, Refusal};
pub use view::{DestView, ValidUpstream};
