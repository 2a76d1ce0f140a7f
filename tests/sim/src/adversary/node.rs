//! What the adversary knows of a node: frames in, frames out, and what the node believes.

use std::fmt;

use mars_forwarder_core::Config;
use mars_time::Instant;
use mars_wire::Rank;

use super::liar::Lie;

/// An application beside a forwarder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum App {
    /// Discovers, then fetches so many segments.
    Consumer {
        /// 0: discovers and no more.
        segments: u64,
    },
    /// Sends so many discovery Interests and no more: keeps state spaces finite.
    Prober {
        /// How many.
        probes: u8,
    },
}

/// What a node is started with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its number.
    pub node: usize,
    /// How many links it has; they are numbered from 0.
    pub links: usize,
    /// For its forwarder. `restarted` is set when it comes back from a restart.
    pub config: Config,
    /// Whether the producer is here.
    pub produces: bool,
    /// The applications here.
    pub apps: Vec<App>,
    /// Whether it lies ([`super::Party`] obeys), and how; `Some(None)`: in any way, by turns.
    pub lies: Option<Option<Lie>>,
}

/// One edge of the forwarding graph as its downstream end sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node's link to its upstream.
    pub link: usize,
    /// The closest rank that was learnt from there; `None`: outside the order.
    pub learnt: Option<Rank>,
}

/// What a node believes of the dest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// A node that lies: claims are about the others.
    pub lies: bool,
    /// Its own rank.
    pub rank: Option<Rank>,
    /// Its valid upstreams.
    pub valid: Vec<Edge>,
}

/// A forwarder as its host runs it, with the applications beside it.
///
/// `out` takes what is sent over links: the number of the link and the frame.
pub trait Node: Clone {
    /// What travels over a link: octets, or anything else.
    type Frame: Clone + fmt::Debug;

    /// Starts a node, with all links up and no routes.
    fn boot(setup: &Setup, now: Instant) -> Self;

    /// A frame arrives over a link.
    fn frame(
        &mut self,
        now: Instant,
        link: usize,
        frame: Self::Frame,
        out: &mut Vec<(usize, Self::Frame)>,
    );

    /// A link went down or came up.
    fn link_changed(
        &mut self,
        now: Instant,
        link: usize,
        up: bool,
        out: &mut Vec<(usize, Self::Frame)>,
    );

    /// Routing tells the distance to the producer through each link, where there is a way.
    fn routes(&mut self, now: Instant, hops: &[Option<u32>], out: &mut Vec<(usize, Self::Frame)>);

    /// The producer comes to this node, beside others that there may be, or leaves it.
    fn produce(&mut self, now: Instant, present: bool, out: &mut Vec<(usize, Self::Frame)>);

    /// Nothing but time.
    fn tick(&mut self, now: Instant, out: &mut Vec<(usize, Self::Frame)>);

    /// Does something of its own accord: a consumer looks for paths again or begins
    /// a generation, a liar lies. False if
    /// there is nothing that it could do.
    fn act(&mut self, now: Instant, choice: u32, out: &mut Vec<(usize, Self::Frame)>) -> bool;

    /// When it wants to be woken.
    fn wake(&self) -> Option<Instant>;

    /// What it believes.
    fn view(&self) -> View;
}
