//! An adversary that owns everything between the nodes, and the claims that it attacks.
//!
//! The engine of this crate plays networks as they are: links with delays, rates and chances. Here
//! there is no link and no clock of its own. Frames lie in a bag; a [`Step`] of the adversary says
//! which of them arrives next, twice, or never, how far time goes on, who is woken and how late, which
//! link goes down, which node gets which routes, who restarts. That covers every interleaving that a
//! network can produce, and shrinks to a few steps on a few nodes.
//!
//! - [`Node`] is a forwarder as its host runs it: frames in, frames out. [`MarsNode`] is the plainest
//!   one; put your own host behind the trait and the same attacks test your use of the crate (see
//!   `examples/own_host.rs`).
//! - [`World`] holds nodes and bag, takes steps, and has a [`Judge`] look after each of them.
//! - [`Judge`] knows the claims: no cycle of valid edges, ranks that strictly fall along each edge and
//!   never rise, and nobody farther from the producer than a neighbour believes.
//! - [`strategy`] draws graphs and schedules for `proptest`; [`explore`] walks through *all*
//!   interleavings of a small world.
//! - [`Liar`] is a neighbour that sends whatever harms most.

mod explore;
mod graph;
mod judge;
mod liar;
mod mars;
mod node;
mod packet;
mod prober;
pub mod strategy;
mod world;

pub use explore::{Budget, Coverage, Fingerprint, explore, fingerprint};
pub use graph::{Graph, rooted_graphs};
pub use judge::{Claims, Judge, Violation};
pub use liar::{Liar, Lie, Party};
pub use mars::MarsNode;
pub use node::{App, Edge, Node, Setup, View};
pub use packet::{Frame, Packet};
pub use world::{Flight, Pick, Step, World};
