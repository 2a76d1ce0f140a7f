//! The nodes of a MARS network: forwarders, and what stands in for them at partial deployment.

use mars_forwarder_core::Edit;
use mars_time::Instant;

use crate::app::ProducerApp;
use crate::engine::{Context, Host};
use crate::meter::Meter;
use crate::node::{ForwarderNode, plain_data};
use crate::packet::Frame;
use crate::wire;

/// One node of a MARS network.
#[derive(Debug)]
pub enum MarsHost {
    /// Runs a forwarder.
    Forwarder(Box<ForwarderNode>),
    /// Moves the frames of tunnels and knows nothing of what is in them.
    Router(Router),
    /// A producer without a forwarder.
    Bare(BareProducer),
}

/// An IP router: tunnels lead where they lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Router {
    /// Per tunnel the port where it goes on, sorted by tunnel.
    tunnels: Vec<(u32, usize)>,
}

impl Router {
    /// Lets `tunnel` go on over `port`.
    pub fn add_tunnel(&mut self, tunnel: u32, port: usize) {
        let place = self.tunnels.partition_point(|(other, _)| *other < tunnel);
        self.tunnels.insert(place, (tunnel, port));
    }

    fn arrive(&self, frame: Frame, ctx: &mut Context<'_, MarsHost>) {
        let next = frame.tunnel().and_then(|tunnel| {
            let place = self
                .tunnels
                .binary_search_by_key(&tunnel, |(t, _)| *t)
                .ok()?;
            Some(self.tunnels[place].1)
        });
        match next {
            Some(port) => ctx.send(port, wire::sealed_len(&frame), frame),
            None => ctx
                .shared
                .note_fault(|| "a router got a frame without a way".into()),
        }
    }
}

/// A producer on a plain host, reached through tunnels.
#[derive(Clone, Debug)]
pub struct BareProducer {
    producer: ProducerApp,
    wire: bool,
    /// Arriving tunnel, leaving tunnel.
    tunnels: Vec<(u32, u32)>,
}

impl BareProducer {
    /// One that answers what arrives in a tunnel over the tunnel beside it.
    #[must_use]
    pub const fn new(producer: ProducerApp, wire: bool, tunnels: Vec<(u32, u32)>) -> Self {
        Self {
            producer,
            wire,
            tunnels,
        }
    }

    fn arrive(&self, port: usize, frame: Frame, ctx: &mut Context<'_, MarsHost>) {
        let back = frame
            .tunnel()
            .and_then(|tunnel| {
                self.tunnels
                    .iter()
                    .find(|(arriving, _)| *arriving == tunnel)
            })
            .map(|(_, leaving)| *leaving);
        let Ok((packet, Edit::Interest { .. })) = wire::open(frame) else {
            return;
        };
        let Some(data) = self.producer.answer(&packet) else {
            return;
        };
        let octets = wire::frame_len(&data, &plain_data());
        ctx.shared.note_size(&data.body, false, octets);
        match wire::seal(data, plain_data(), back, self.wire) {
            Ok(frame) => ctx.send(port, octets, frame),
            Err(error) => ctx.shared.note_fault(|| format!("cannot encode: {error}")),
        }
    }
}

impl Host for MarsHost {
    type Frame = Frame;
    type Shared = Meter;

    fn arrive(&mut self, port: usize, frame: Frame, ctx: &mut Context<'_, Self>) {
        match self {
            Self::Forwarder(node) => node.arrive(port, frame, ctx),
            Self::Router(router) => router.arrive(frame, ctx),
            Self::Bare(producer) => producer.arrive(port, frame, ctx),
        }
    }

    fn wake(&mut self, ctx: &mut Context<'_, Self>) {
        if let Self::Forwarder(node) = self {
            node.wake(ctx);
        }
    }

    fn link_changed(&mut self, port: usize, up: bool, ctx: &mut Context<'_, Self>) {
        if let Self::Forwarder(node) = self {
            node.link_changed(port, up, ctx);
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        match self {
            Self::Forwarder(node) => node.next_wake(),
            Self::Router(_) | Self::Bare(_) => None,
        }
    }
}
