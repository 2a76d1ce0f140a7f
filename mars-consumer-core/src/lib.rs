//! A MARS consumer without I/O: it finds the paths to a producer, then fetches an object over all of
//! them, in order and each segment once, or says why it cannot.
//!
//! # The machine
//!
//! A [`Consumer`] does no I/O and reads no clock. The host sends the Interests that it asks for to
//! the local forwarder, hands in what comes back, and wakes it when it said. This is the whole host
//! loop, with a forwarder that answers everything at once:
//!
//! ```
//! use mars_consumer_core::{Config, Consumer, Data, Event, Input, Object, Output, SpecName};
//! use mars_time::Instant;
//! use mars_wire::{Label, MarsHeader, NameBuf};
//!
//! let dest = NameBuf::new().generic(b"client1");
//! let config = Config::new(dest, b"server1".to_vec(), 7, Object::Segments(1_000));
//! let mut now = Instant::ZERO;
//! let mut consumer = Consumer::new(config, now)?;
//! let (mut network, mut read) = (std::collections::VecDeque::new(), 0);
//!
//! 'fetch: loop {
//!     let wake = loop {
//!         match consumer.poll_output() {
//!             Output::Transmit { spec } => network.push_back(spec),
//!             Output::Deliver { segment, packet } => {
//!                 assert_eq!((segment, packet), (read, "content"));
//!                 read += 1;
//!             }
//!             Output::Event(Event::Completed { .. } | Event::GaveUp { .. }) => break 'fetch,
//!             Output::Event(event) => println!("{event:?}"),
//!             Output::Timeout(wake) => break wake,
//!             _ => {}
//!         }
//!     };
//!     // Wait for a packet, at most until `wake`.
//!     let Some(spec) = network.pop_front() else {
//!         now = wake.expect("nothing is left to wait for");
//!         consumer.handle_input(now, Input::Timeout)?;
//!         continue;
//!     };
//!     // The forwarder is its own producer: its rank is its generation and label 0.
//!     let header = match spec.name {
//!         SpecName::Discovery { .. } => MarsHeader {
//!             generation: spec.header.generation,
//!             label: Some(Label::ZERO),
//!             tier_conv: true,
//!             node_conv: true,
//!             ..MarsHeader::default()
//!         },
//!         SpecName::Data { .. } => MarsHeader {
//!             interest_queue: Some(0),
//!             ..MarsHeader::default()
//!         },
//!     };
//!     let name = consumer.name(&spec).to_name_buf();
//!     let data = Data {
//!         name: name.as_name(),
//!         final_segment: None,
//!         content_len: 7,
//!         header,
//!     };
//!     consumer.handle_input(now, Input::Data { data, packet: "content" })?;
//! }
//! assert_eq!(read, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Discovery
//!
//! Forwarders learn their upstreams from probes `/dest/src/pd/probeIdx/seq`. The consumer keeps
//! [`Config::probe_window`] of them in flight with a rising `seq`. It has no label and sets no bound,
//! so any rank may answer. An answer with `TierConv` to a probe of the present `ProbeIdx` raises the
//! index by one, which lets the forwarders step to their next tier; `NodeConv` ends the round. Data
//! flow as soon as one answer shows a path; discovery goes on beside them.
//!
//! A probe is never repeated: its `seq` is used up. Silent probes are replaced after an RFC 6298
//! timeout of at least 500 ms (a forwarder beside a silent face first waits, then tries another face
//! for the same probe); an answer that comes later still counts. Refused probes are replaced at
//! once for one window's worth of refusals, then after a rest that doubles. A round without a path
//! ends when [`Config::max_silent_probes`] or [`Config::max_refused_probes`] in a row failed; then
//! the next generation is begun after a back-off, at most [`Config::max_generations`] times, then
//! [`GiveUp::Unreachable`] is reported. With a path, and at the bounds on the number of probes, the
//! round just ends ([`Event::DiscoveryStalled`]). A newer generation that a forwarder reports is
//! adopted, by at most 16 per report.
//!
//! [`Input::Rediscover`] starts a round within the generation, with the next `ProbeIdx`. So do a
//! while without one as long as an object is fetched ([`Config::rediscovery`]), and a path that
//! died: four Nacks for want of a route on data Interests without a Data between them.
//! If the paths found since never carried any Data, the next generation is begun instead.
//!
//! # Retrieval
//!
//! The window comes from one [`mars_cc::Controller`] of level `Local`, fed with the Interest queue
//! that the local forwarder reports in its Data. It keeps that queue at its target, so the forwarder
//! always has something to send, and the forwarder's own controllers pace it over the paths: this
//! is the only congestion control here. Each Interest in flight holds one slot of its window, and
//! segments that are to be asked for again go first, lowest first, inside the same window with a
//! fresh nonce.
//!
//! *Loss* is found by one timer per segment. Its law is RFC 6298 with Karn's rule, and three changes
//! because a window is spread over many paths of unequal delay:
//!
//! - it never falls below 3/2 of the longest round trip of the last seconds (and below 200 ms in the
//!   first second), so that a slow minority path is not taken for loss; in return its minimum is
//!   [`Config::min_rto`], 50 ms, and not 1 s, so that a loss is mended after about 1.5 round trips;
//! - an answer sooner after the one retransmission than any recent round trip is an answer to the
//!   first transmission: the sample counts from there, so slow paths are learnt of in spite of Karn;
//! - the exponential back-off is for silence. While samples come, a timeout is the loss of one packet
//!   and says nothing about the timer. (The fourth and later tries of one segment double all the same.)
//!
//! An Interest refused for congestion tells the controller, and the segment rests for a round trip
//! at least, doubling each time: no storm of Nacks. [`Config::max_tries`] of one segment end the
//! retrieval.
//!
//! *Length.* With [`Object::UntilFinal`] segments are asked for ahead of the known end. The first
//! `FinalBlockId` that agrees with the segments that are here sets the end, and what lies beyond is
//! cancelled. Later ones that disagree are counted. With verification a claim falls with the
//! segment that made it.
//!
//! *Order and memory.* Segments in flight, out of order, unread and unjudged share a ring of
//! [`Config::reassembly`] slots; nothing is asked for beyond it. A reader without credit therefore
//! stops the retrieval, and costs no more than that ring. [`Output::Deliver`] comes in order; with
//! [`Config::verify`] each waits for [`Input::Accept`] or [`Input::Reject`], and a rejected segment
//! is fetched and delivered again, for no further credit. All timers sit in one indexed heap, so
//! that the wake-up time is exact. Nothing is allocated per packet once these have grown.
//!
//! Data and Nacks that do not belong to the consumer, came twice or were not asked for are ignored
//! and counted: [`Consumer::counters`]. After [`Event::Completed`] or [`Event::GaveUp`] every input
//! is accepted and does nothing.
//!
//! # What it does not do
//!
//! It does not encode or decode packets (`mars-wire` does), check signatures or digests (the host
//! does, and answers with a verdict), pick faces (the local forwarder does), or fetch more than one
//! object. It does not repair a failed link: forwarders do, and it sees at most a longer round trip.
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
mod probe_window;
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
