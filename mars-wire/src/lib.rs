//! NDN packets on the wire: packet format v0.3, `NDNLPv2`, and the one link header that MARS adds.
//!
//! A MARS packet *is* an NDN packet. What MARS says hop by hop (queue sizes, ranks, convergence)
//! rides in the link header, in one container that every other stack may ignore, so the signed Data
//! is never touched on its way.
//!
//! # From the outside in
//!
//! Everything is an *element*: TYPE, LENGTH, VALUE. A datagram is one element: an Interest, a Data,
//! or an `LpPacket` with header fields and, as its last element, a fragment. The fragment is an
//! Interest or a Data, or a piece of one; without a fragment the packet is IDLE.
//!
//! - [`LinkPacket`] is a datagram with everything in it: a [`LinkHeader`] and a [`Body`].
//! - [`LpPacket`] stops at the link layer and leaves the fragment as octets. That is the one to
//!   forward with: the same octets go out again behind new header fields, and with
//!   [`LpPacket::encode_head`] they need not even be copied.
//! - [`Interest`] and [`Data`] are the network packets, [`MarsHeader`] is what MARS adds, [`Name`]
//!   and [`MarsName`] say what a packet is about.
//!
//! Every type is a view: it borrows the octets it was decoded from, is `Copy`, and has public fields.
//! To make a packet, fill in the same type and encode it: [`LinkPacket::encoded_len`] says how many
//! octets it takes, [`LinkPacket::encode`] writes them into a slice. Nothing allocates.
//!
//! ```
//! use core::time::Duration;
//! use mars_wire::{Body, Interest, LinkHeader, LinkPacket, MarsHeader, Name, PitToken};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The name /A, as the value of a Name element.
//! let name = Name::from_value(&[8, 1, b'A'])?;
//! let packet = LinkPacket {
//!     header: LinkHeader::new(
//!         PitToken::new(&[1, 2, 3, 4]),
//!         MarsHeader { interest_queue: Some(7), ..MarsHeader::default() },
//!     ),
//!     body: Body::Interest(
//!         Interest::new(name)
//!             .with_nonce(0xA1A2_A3A4)
//!             .with_lifetime(Duration::from_secs(2))
//!             .with_hop_limit(32),
//!     ),
//! };
//! let mut buffer = [0; 128];
//! let len = packet.encode(&mut buffer)?;
//! assert_eq!(len, packet.encoded_len());
//!
//! let arrived = LinkPacket::decode(&buffer[..len])?;
//! assert_eq!(arrived, packet);
//!
//! // On to the next hop, one hop less.
//! let Body::Interest(interest) = arrived.body else { unreachable!() };
//! let hops = interest.hop_limit.map(|hops| hops - 1);
//! let next = LinkPacket {
//!     body: Body::Interest(Interest { hop_limit: hops, ..interest }),
//!     ..arrived
//! };
//! assert_eq!(next.encode(&mut [0; 128])?, len);
//! # Ok(())
//! # }
//! ```
//!
//! # Strict
//!
//! A datagram is consumed whole or refused, with the offset and the kind of the first fault
//! ([`DecodeError`]). TYPE and LENGTH must be in their shortest form, so each packet has one spelling
//! and names compare as octets do. An element that is unknown, repeated or out of order is an error
//! if it is critical (its type is at most 31, or odd), and is passed over if not; for header fields
//! of a link packet the rule is another one (800 to 959 and divisible by four may be ignored). LENGTH
//! is checked against what remains before anything else happens. No input makes it panic.
//!
//! *Canonical* is a packet without anything to pass over, its numbers in their shortest form, bare if
//! it has no header fields. Encoding what was decoded from it gives the same octets. From any other
//! packet that decodes, encoding gives a canonical one that decodes to the same. To change an
//! Interest and keep what this version does not know, there is [`InterestEdit`].
//!
//! # Links that take less than a packet, and streams
//!
//! Three machines, with the feature `alloc`, all driven like every machine of the family: an input
//! goes in with the time, outputs come out until there is but the time of the next wake-up, and what
//! they are was settled when the input was handled. Their outputs borrow from the machine. What is in
//! a packet concerns none of them.
//!
//! A `fragmenter::Fragmenter` cuts packets to the MTU of a link. It never sees the
//! packet: it gives out heads, each with a range of the packet to send behind it. A
//! `reassembler::Reassembler` puts them together again, in whatever order they come.
//! Its memory is fixed, whoever sends; what is not complete in time is dropped, and at a cap what has
//! been waiting longest. This is the whole host loop, of both ends of a link that reverses the order:
//!
//! ```
//! use mars_time::Instant;
//! use mars_wire::{LinkHeader, LpPacket, PitToken, fragmenter, reassembler};
//!
//! let packet = [7; 3_000];
//! let header = LinkHeader { pit_token: PitToken::new(&[1, 2]), ..LinkHeader::default() };
//! let now = Instant::ZERO;
//!
//! let mut fragmenter = fragmenter::Fragmenter::new(fragmenter::Config::new(1_280))?;
//! let input = fragmenter::Input::Packet {
//!     header: &header,
//!     nack: None,
//!     len: packet.len(),
//!     packet: &packet,
//! };
//! fragmenter.handle_input(now, input)?;
//! let mut link = Vec::new();
//! loop {
//!     match fragmenter.poll_output() {
//!         fragmenter::Output::Transmit { head, packet, range } => {
//!             // A host with scatter/gather sends the two from where they are.
//!             link.push([head, &packet[range]].concat());
//!         }
//!         fragmenter::Output::Timeout(_) => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(link.len(), 3);
//!
//! let mut reassembler = reassembler::Reassembler::new(reassembler::Config::default(), now)?;
//! let mut whole = 0;
//! loop {
//!     let wake = loop {
//!         match reassembler.poll_output() {
//!             reassembler::Output::Packet(arrived) => {
//!                 assert_eq!((arrived.header, arrived.fragment), (header, &packet[..]));
//!                 whole += 1;
//!             }
//!             reassembler::Output::Event(event) => println!("{event:?}"),
//!             reassembler::Output::Timeout(wake) => break wake,
//!             _ => {}
//!         }
//!     };
//!     // Wait for a datagram, at most until `wake`.
//!     let Some(datagram) = link.pop() else { break };
//!     let arrived = LpPacket::decode(&datagram)?;
//!     reassembler.handle_input(now, reassembler::Input::Packet(&arrived))?;
//! }
//! assert_eq!(whole, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A `stream::StreamDecoder` finds the elements in a byte stream, fed with chunks of
//! any size. A TYPE or LENGTH that is not allowed ends the stream, with its offset.
//!
//! ```
//! use mars_time::Instant;
//! use mars_wire::LinkPacket;
//! use mars_wire::stream::{Input, Output, StreamDecoder};
//!
//! let stream = [5, 5, 7, 3, 8, 1, b'A', 6, 12, 7, 3, 8, 1, b'A', 22, 3, 27, 1, 0, 23, 0];
//! let mut decoder = StreamDecoder::new();
//! let mut packets = 0;
//! for read in stream.chunks(8) {
//!     decoder.handle_input(Instant::ZERO, Input::Octets(read))?;
//!     loop {
//!         match decoder.poll_output() {
//!             Output::Element { octets, .. } => {
//!                 let _ = LinkPacket::decode(octets)?;
//!                 packets += 1;
//!             }
//!             Output::Failed(error) => return Err(error.into()),
//!             Output::Timeout(_) => break,
//!             _ => {}
//!         }
//!     }
//! }
//! decoder.handle_input(Instant::ZERO, Input::End)?;
//! assert_eq!(packets, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it does not do
//!
//! No acknowledgement or retransmission on a link (Acks and `TxSequence` are read and written, no
//! more), and no resynchronising of a stream. No cryptography, except for SHA-256 behind the feature
//! `sha2`: [`Data::signed_portion`] and [`Data::encode_with`] are where other schemes plug in.
//! Signatures are not verified while decoding.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `alloc` | names on the heap (`NameBuf`), and reading them from URIs; the three machines |
//! | `bytes` | `OwnedPacket`, sharing one buffer |
//! | `sha2` | `DigestSha256` and `ParametersSha256Digest` |
//! | `arbitrary`, `proptest` | the module `sample`: valid and nearly valid packets for tests |
#![no_std]
// Every decoder keeps its reader in registers only if the small steps are inlined into it: an Interest
// takes a third fewer instructions to decode then.
#![allow(clippy::inline_always)]
#[cfg(feature = "alloc")]
extern crate alloc;

mod component;
mod data;
#[cfg(feature = "sha2")]
mod digest;
mod error;
mod forwarding_hint;
#[cfg(feature = "alloc")]
pub mod fragmenter;
mod header;
mod interest;
mod interest_edit;
mod limits;
mod link_header;
mod link_packet;
mod lp_packet;
mod mars_name;
mod nack;
mod name;
#[cfg(feature = "alloc")]
mod name_buf;
#[cfg(feature = "bytes")]
mod owned;
mod parameters;
mod pen;
mod pit_token;
mod rank;
#[cfg(feature = "alloc")]
pub mod reassembler;
#[cfg(any(feature = "arbitrary", feature = "proptest"))]
pub mod sample;
mod signature;
#[cfg(feature = "alloc")]
pub mod stream;
mod tlv;
mod types;
mod uri;
mod usual;
mod writer;

pub use component::{Component, Number};
pub use data::{Data, MetaInfo};
#[cfg(feature = "alloc")]
pub use error::ConfigError;
pub use error::{DecodeError, EncodeError, ErrorKind};
pub use forwarding_hint::ForwardingHint;
pub use header::MarsHeader;
pub use interest::Interest;
pub use interest_edit::InterestEdit;
pub use limits::MAX_PACKET;
pub use link_header::{Acks, LinkHeader};
pub use link_packet::{Body, LinkPacket};
pub use lp_packet::LpPacket;
pub use mars_name::MarsName;
pub use nack::{NackDetail, NackReason};
pub use name::{Components, Name};
#[cfg(feature = "alloc")]
pub use name_buf::NameBuf;
#[cfg(feature = "bytes")]
pub use owned::OwnedPacket;
pub use parameters::Parameters;
pub use pit_token::PitToken;
pub use rank::{Label, Rank};
pub use signature::{KeyLocator, SignatureInfo, SignatureType};

use limits::millis;
