//! One node that runs a forwarder, and the applications beside it.
//!
//! The machines are hosted as anybody would host them: every input goes in with the present, then
//! outputs are polled until the machine says when it wants to be woken. What a machine sends to a
//! local face reaches the application at once, and what the application sends in turn goes back in,
//! one after the other and never from within.

use std::collections::VecDeque;

use mars_forwarder_core::{Edit, Event, FaceId, FaceKind, Forwarder, Input, Output};
use mars_time::Instant;
use mars_wire::MarsHeader;

use crate::app::{ConsumerApp, ProducerApp, Request};
use crate::engine::Context;
use crate::host::MarsHost;
use crate::meter::Meter;
use crate::packet::{Frame, Packet};
use crate::wire;

/// What is behind a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    /// A link, or a tunnel over one.
    Link { port: usize, tunnel: Option<u32> },
    /// An application, by its place.
    App(usize),
}

#[derive(Debug)]
enum App {
    Consumer(ConsumerApp),
    Producer(ProducerApp),
}

/// A face towards another node, to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FacePlan {
    /// The port of the node.
    pub port: usize,
    /// The tunnels that frames leave and arrive in, if the face is one.
    pub tunnel: Option<(u32, u32)>,
    /// What is at its other end.
    pub kind: FaceKind,
}

/// A forwarder with its faces and applications.
#[derive(Debug)]
pub struct ForwarderNode {
    number: u32,
    /// Its bit in the traces of Interests, if it has one.
    mark: u32,
    wire: bool,
    forwarder: Forwarder<Packet>,
    wake: Option<Instant>,
    faces: Vec<Face>,
    /// Tunnels that arrive here, and their faces.
    tunnels: Vec<(u32, usize)>,
    apps: Vec<App>,
    /// Per face, what the forwarder believes to wait there.
    believed: Vec<usize>,
    /// Faces that something was sent over, or where something waited when last seen.
    busy: Vec<usize>,
    inbox: VecDeque<(usize, Packet, Edit)>,
    requests: Vec<Request>,
}

type Ctx<'a> = Context<'a, MarsHost>;

impl ForwarderNode {
    /// A node with faces as planned, numbered from 0 in that order.
    #[must_use]
    pub fn new(
        number: u32,
        mark: u32,
        wire: bool,
        forwarder: Forwarder<Packet>,
        faces: &[FacePlan],
        meter: &mut Meter,
    ) -> Self {
        let mut node = Self {
            number,
            mark,
            wire,
            forwarder,
            wake: None,
            faces: Vec::new(),
            tunnels: Vec::new(),
            apps: Vec::new(),
            believed: Vec::new(),
            busy: Vec::new(),
            inbox: VecDeque::new(),
            requests: Vec::new(),
        };
        for plan in faces {
            if let Some((_, arriving)) = plan.tunnel {
                node.tunnels.push((arriving, node.faces.len()));
            }
            let face = Face::Link {
                port: plan.port,
                tunnel: plan.tunnel.map(|(leaving, _)| leaving),
            };
            node.add_face(face, plan.kind, meter);
        }
        node
    }

    fn add_face(&mut self, face: Face, kind: FaceKind, meter: &mut Meter) -> FaceId {
        let id = face_id(self.faces.len());
        self.faces.push(face);
        self.believed.push(0);
        self.setup(Input::FaceAdded { face: id, kind }, meter);
        id
    }

    /// Puts a producer behind a new local face and registers it.
    pub fn add_producer(
        &mut self,
        prefix: mars_wire::Name<'_>,
        producer: ProducerApp,
        meter: &mut Meter,
    ) {
        let face = self.add_face(Face::App(self.apps.len()), FaceKind::Local, meter);
        self.apps.push(App::Producer(producer));
        self.setup(Input::ProducerRegistered { prefix, face }, meter);
    }

    /// Puts a consumer behind a new local face.
    pub fn add_consumer(&mut self, consumer: ConsumerApp, meter: &mut Meter) {
        self.add_face(Face::App(self.apps.len()), FaceKind::Local, meter);
        self.apps.push(App::Consumer(consumer));
    }

    /// Feeds an input at instant zero, before the run.
    pub fn setup(&mut self, input: Input<'_, Packet>, meter: &mut Meter) {
        if let Err(error) = self.forwarder.handle_input(Instant::ZERO, input) {
            meter.note_fault(|| format!("node {}: {error}", self.number));
        }
        loop {
            match self.forwarder.poll_output() {
                Output::Timeout(wake) => break self.wake = wake,
                Output::Event(event) => self.note(&event, meter),
                _ => meter.note_fault(|| format!("node {} sends before the run", self.number)),
            }
        }
    }

    /// The machine, for inspection.
    #[must_use]
    pub const fn forwarder(&self) -> &Forwarder<Packet> {
        &self.forwarder
    }

    /// The port behind a face, if it is not a local one.
    #[must_use]
    pub fn port_of(&self, face: FaceId) -> Option<usize> {
        match self.faces.get(face.0 as usize)? {
            Face::Link { port, .. } => Some(*port),
            Face::App(_) => None,
        }
    }

    /// When it wants to be woken.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        let apps = self.apps.iter().filter_map(|app| match app {
            App::Consumer(consumer) => consumer.wake(),
            App::Producer(_) => None,
        });
        apps.chain(self.wake).min()
    }

    pub(crate) fn wake(&mut self, ctx: &mut Ctx<'_>) {
        self.report_queues(ctx);
        if self.wake.is_some_and(|wake| wake <= ctx.now) {
            self.feed(Input::Timeout, ctx);
        }
        for place in 0..self.apps.len() {
            if let App::Consumer(consumer) = &mut self.apps[place] {
                consumer.tick(ctx.now, ctx.shared, &mut self.requests);
                self.feed_requests(place, ctx);
            }
        }
        self.drain(ctx);
    }

    pub(crate) fn link_changed(&mut self, port: usize, up: bool, ctx: &mut Ctx<'_>) {
        self.report_queues(ctx);
        for place in 0..self.faces.len() {
            if self.port_of(face_id(place)) == Some(port) {
                let face = face_id(place);
                let input = if up {
                    Input::FaceUp { face }
                } else {
                    Input::FaceDown { face }
                };
                self.feed(input, ctx);
            }
        }
        self.drain(ctx);
    }

    pub(crate) fn arrive(&mut self, port: usize, frame: Frame, ctx: &mut Ctx<'_>) {
        let place = match frame.tunnel() {
            None => port,
            Some(tunnel) => match self
                .tunnels
                .iter()
                .find(|(arriving, _)| *arriving == tunnel)
            {
                Some((_, place)) => *place,
                None => return ctx.shared.note_fault(|| format!("stray tunnel {tunnel}")),
            },
        };
        let (mut packet, edit) = match wire::open(frame) {
            Ok(opened) => opened,
            Err(error) => return ctx.shared.note_fault(|| format!("undecodable: {error}")),
        };
        if packet.body.discovery {
            ctx.shared.dests[packet.trace.dest as usize].last_discovery = ctx.now;
        }
        if matches!(edit, Edit::Interest { .. }) && packet.trace.visit(self.mark) {
            ctx.shared
                .note_revisit(packet.trace.dest, packet.trace.born);
        }
        self.report_queues(ctx);
        self.receive(place, packet, edit, ctx);
        self.drain(ctx);
    }

    /// Tells the forwarder how much waits where that is not what it believes.
    fn report_queues(&mut self, ctx: &mut Ctx<'_>) {
        let mut place = 0;
        while let Some(face) = self.busy.get(place).copied() {
            let Face::Link { port, .. } = self.faces[face] else {
                self.busy.swap_remove(place);
                continue;
            };
            let waiting = ctx.waiting(port);
            if waiting != self.believed[face] {
                self.believed[face] = waiting;
                let input = Input::DataQueue {
                    face: face_id(face),
                    packets: u32::try_from(waiting).unwrap_or(u32::MAX),
                };
                self.feed(input, ctx);
            }
            if waiting == 0 {
                self.busy.swap_remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// A packet from face number `place` goes into the forwarder.
    fn receive(&mut self, place: usize, packet: Packet, edit: Edit, ctx: &mut Ctx<'_>) {
        let face = face_id(place);
        let body = packet.body.clone();
        let name = body.name.as_name();
        let (lifetime, hop_limit) = (packet.lifetime, packet.hop_limit);
        let input = edit.arrival(face, name, lifetime, hop_limit, packet);
        self.feed(input, ctx);
    }

    fn feed(&mut self, input: Input<'_, Packet>, ctx: &mut Ctx<'_>) {
        if let Err(error) = self.forwarder.handle_input(ctx.now, input) {
            ctx.shared
                .note_fault(|| format!("node {} at {:?}: {error}", self.number, ctx.now));
        }
    }

    /// Polls the forwarder dry, serves its applications, and again until all are quiet.
    fn drain(&mut self, ctx: &mut Ctx<'_>) {
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { face, edit, packet } => self.transmit(face, edit, packet, ctx),
                Output::Event(event) => self.note(&event, ctx.shared),
                Output::Timeout(wake) => {
                    self.wake = wake;
                    let Some((place, packet, edit)) = self.inbox.pop_front() else {
                        break;
                    };
                    self.serve(place, &packet, &edit, ctx);
                }
                other => ctx
                    .shared
                    .note_fault(|| format!("unknown output {other:?}")),
            }
        }
        if self.wake.is_some_and(|wake| wake <= ctx.now) {
            ctx.shared
                .note_fault(|| format!("node {} asks to be woken in the past", self.number));
            self.wake = None;
        }
    }

    fn transmit(&mut self, face: FaceId, edit: Edit, packet: Packet, ctx: &mut Ctx<'_>) {
        let place = face.0 as usize;
        match self.faces.get(place) {
            Some(Face::Link { port, tunnel }) => {
                let nack = matches!(edit, Edit::Nack { .. });
                let octets = wire::frame_len(&packet, &edit);
                ctx.shared.note_size(&packet.body, nack, octets);
                // The forwarder counts the Data that it hands out itself.
                self.believed[place] += usize::from(matches!(edit, Edit::Data { .. }));
                if !self.busy.contains(&place) {
                    self.busy.push(place);
                }
                match wire::seal(packet, edit, *tunnel, self.wire) {
                    Ok(frame) => ctx.send(*port, octets, frame),
                    Err(error) => ctx.shared.note_fault(|| format!("cannot encode: {error}")),
                }
            }
            Some(Face::App(app)) => self.inbox.push_back((*app, packet, edit)),
            None => ctx.shared.note_fault(|| format!("no face {}", face.0)),
        }
    }

    /// Hands a packet to an application and takes its answers.
    fn serve(&mut self, place: usize, packet: &Packet, edit: &Edit, ctx: &mut Ctx<'_>) {
        match &mut self.apps[place] {
            App::Consumer(consumer) => {
                consumer.deliver(ctx.now, packet, edit, ctx.shared, &mut self.requests);
                self.feed_requests(place, ctx);
            }
            App::Producer(producer) => {
                let answer = match edit {
                    Edit::Interest { .. } => producer.answer(packet),
                    Edit::Data { .. } | Edit::Nack { .. } => None,
                };
                if let (Some(data), Some(face)) = (answer, self.local_face(place)) {
                    self.receive(face, data, plain_data(), ctx);
                }
            }
        }
    }

    fn feed_requests(&mut self, place: usize, ctx: &mut Ctx<'_>) {
        let Some(face) = self.local_face(place) else {
            return;
        };
        let mut requests = std::mem::take(&mut self.requests);
        for Request {
            mut packet,
            nonce,
            header,
        } in requests.drain(..)
        {
            packet.trace.visit(self.mark);
            let edit = Edit::Interest {
                hop_limit: packet.hop_limit,
                nonce,
                lifetime: None,
                header,
            };
            self.receive(face, packet, edit, ctx);
        }
        self.requests = requests;
    }

    fn local_face(&self, app: usize) -> Option<usize> {
        self.faces.iter().position(|face| *face == Face::App(app))
    }

    fn note(&self, event: &Event, meter: &mut Meter) {
        match event {
            Event::Dropped { reason, .. } => meter.note_drop(*reason),
            Event::PathFound { .. } | Event::PathLost { .. } => meter.changed.push(self.number),
            _ => {}
        }
    }
}

/// What an application writes into its Data: no link header.
pub(crate) fn plain_data() -> Edit {
    Edit::Data {
        pit_token: None,
        header: MarsHeader::default(),
    }
}

fn face_id(place: usize) -> FaceId {
    FaceId(u32::try_from(place).unwrap_or(u32::MAX))
}
