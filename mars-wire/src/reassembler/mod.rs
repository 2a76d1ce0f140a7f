//! Packets out of fragments.
//!
//! A [`Reassembler`] is the receiver of one face. It is told of the link packets that arrive, and
//! gives out packets that are whole: those that were never cut as they came, and the others when
//! their last fragment is here, in whatever order they came. What comes out has the header fields of
//! the first fragment, without the numbers.
//!
//! # Whose word counts
//!
//! Nothing in a fragment is authenticated, and whoever can send on a link can spoil what others send
//! there. So whatever is held already is believed, and a fragment that contradicts it is refused:
//! one forged fragment costs at most the message that it claims to be of, and only if it comes
//! before the true one. In detail:
//!
//! - The message is Sequence minus `FragIndex`, modulo 2^64; no order of Sequence is assumed.
//! - The first fragment to arrive says how many there are. One with another count is refused.
//! - The first copy of a fragment counts. Later ones are counted and ignored, whatever is in them.
//! - A fragment that makes the packet longer than 8800 octets, header fields included, is refused.
//! - Header fields other than the numbers are taken from the first fragment (index 0), and ignored
//!   in all others.
//!
//! Refusing leaves no trace: it neither opens a message nor keeps one alive.
//!
//! # What is held, and for how long
//!
//! Fragments lie in blocks of 256 octets, of which there are [`Config::max_octets`]`/ 256` in all.
//! Nothing is sized by what a peer says: a message costs 72 octets beside its blocks, whatever its
//! count is.
//!
//! A message that gets no new fragment for [`Config::lifetime`] expires. At a cap, of messages or of
//! blocks, the *stalest* message goes: the one that has been waiting longest for its next fragment.
//! So somebody who opens messages without end, or sends long ones, pushes an honest message out only
//! by sending [`Config::max_messages`] link packets, or [`Config::max_octets`] octets, between two
//! consecutive fragments of it.
//!
//! # Memory
//!
//! At most `max_octets + 72 * max_messages` octets, taken at creation, and three buffers of one
//! packet each (8,816 octets) for what was given out; each packet that the host leaves undrained is
//! a buffer more. Once these are there nothing is allocated. A packet is copied twice, one that was
//! never cut once; a host that wants no copy of those asks
//! [`LinkHeader::is_fragmented`](crate::LinkHeader::is_fragmented) and leaves the reassembler out.
mod blocks;
mod config;
mod error;
mod input;
mod machine;
mod messages;
mod output;

pub use config::Config;
pub use error::Error;
pub use input::Input;
pub use machine::{Counters, Reassembler};
pub use output::{DropReason, Event, Output, RefuseReason};
