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
//! tiers carry what it cannot. Dests that compete for a face are served in rotation. Data
//! goes back to all who asked, stamped with this node's own queues. A Nack, a face that goes down,
//! or a route that leaves sends the Interest over another face at once; a mere silence does not,
//! since retransmission is the consumer's business.
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
//! It reads and writes no packet octets (see `mars-wire`), computes no routes, caches no Data,
//! and matches Data to Interests by the whole name only: an Interest with `CanBePrefix` is
//! satisfied by Data of exactly its name. It retransmits no data Interest on silence (a probe goes on to the next face). Rank safety
//! holds among MARS nodes that keep their state, or say so when they lose it
//! ([`Config::restarted`]); plain NDN upstreams stand outside it.
//!
//! # Sizes
//!
//! In octets, on a 64-bit host: per pending Interest with one downstream and one upstream 130 to
//! 150, its name rounded up to a multiple of 8, and what the host's handle is larger than 4; 24 for
//! each further downstream and 48 for each further upstream of it, 88 for a downstream with a PIT
//! token or a bound; per dest about 300 and its name; per next hop of a dest and per
//! face about 550, most of it the window. The tables of pending Interests, dests, prefixes, faces
//! and dead nonces have caps in [`Config`]; records of an Interest are bounded by the faces.
#![no_std]
extern crate alloc;

#[cfg(test)]
mod audit;
mod config;
mod data;
mod dead;
mod dest;
mod discovery;
mod error;
mod face;
mod fib;
mod forwarder;
mod hash;
mod input;
mod intake;
mod names;
mod output;
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

pub use config::{Config, RankRule, Theta};
pub use error::{ConfigError, Error};
pub use forwarder::{DestView, Forwarder, ValidUpstream};
pub use input::{Data, FaceId, FaceKind, Input, Interest, Nack, Route};
pub use output::{DropReason, Edit, Event, Output};
