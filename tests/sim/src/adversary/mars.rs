//! The plainest host: one forwarder and the applications beside it, frames passed on as values.

use std::collections::VecDeque;

use mars_consumer_core as consumer;
use mars_consumer_core::{Consumer, Object, SpecName};
use mars_forwarder_core::{Data, Edit, FaceId, FaceKind, Forwarder, Input, Output, Route};
use mars_time::Instant;
use mars_wire::MarsHeader;

use super::node::{App, Edge, Node, Setup, View};
use super::packet::{Frame, HOP_LIMIT, Packet, dest, written};
use super::prober::Prober;

/// Hosts one forwarder.
#[derive(Clone, Debug)]
pub struct MarsNode {
    links: u32,
    forwarder: Forwarder<Packet>,
    apps: Vec<Beside>,
    wake: Option<Instant>,
    /// Objects that consumers here have fetched.
    pub fetched: u32,
    /// Times that a consumer here reported a path.
    pub paths: u32,
    /// For the applications: place, packet, edit.
    inbox: VecDeque<(usize, Packet, Edit)>,
}

#[derive(Clone, Debug)]
enum Beside {
    Consumer(u8, Box<Consumer<()>>, Option<Instant>),
    Prober(Prober),
    Producer,
}

type Out = Vec<(usize, Frame)>;

impl MarsNode {
    /// The forwarder.
    #[must_use]
    pub const fn forwarder(&self) -> &Forwarder<Packet> {
        &self.forwarder
    }

    /// The consumers here.
    pub fn consumers(&self) -> impl Iterator<Item = &Consumer<()>> {
        self.apps.iter().filter_map(|app| match app {
            Beside::Consumer(_, consumer, _) => Some(&**consumer),
            Beside::Prober(_) | Beside::Producer => None,
        })
    }

    /// Whether every prober here has sent and heard all that it was to.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.apps.iter().all(|app| match app {
            Beside::Prober(prober) => prober.left == 0,
            Beside::Consumer(..) | Beside::Producer => true,
        })
    }

    fn feed(&mut self, now: Instant, input: Input<'_, Packet>, out: &mut Out) {
        let fault = self.forwarder.handle_input(now, input);
        debug_assert_eq!(fault, Ok(()), "the host keeps the contract");
        self.drain(now, out);
    }

    fn drain(&mut self, now: Instant, out: &mut Out) {
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { face, edit, packet } => match face.0.checked_sub(self.links) {
                    None => out.push((
                        face.0 as usize,
                        Frame {
                            packet: written(packet, &edit),
                            edit,
                        },
                    )),
                    Some(app) => self.inbox.push_back((app as usize, packet, edit)),
                },
                Output::Timeout(wake) => {
                    self.wake = wake;
                    let Some((app, packet, edit)) = self.inbox.pop_front() else {
                        return;
                    };
                    self.serve(now, app, packet, &edit, out);
                }
                _ => {}
            }
        }
    }

    /// An application gets a packet, and answers.
    fn serve(&mut self, now: Instant, app: usize, packet: Packet, edit: &Edit, out: &mut Out) {
        match (&mut self.apps[app], edit) {
            (Beside::Producer, Edit::Interest { .. }) => {
                let name = packet.name();
                let input = Input::Data {
                    face: self.app_face(app),
                    data: Data {
                        name: name.as_name(),
                        freshness: None,
                        octets: 0,
                        header: MarsHeader::default(),
                    },
                    packet,
                };
                self.feed(now, input, out);
            }
            (Beside::Consumer(_, consumer, _), Edit::Data { header, .. }) => {
                let name = packet.name();
                let data = consumer::Data {
                    name: name.as_name(),
                    final_segment: None,
                    content_len: 1,
                    header: *header,
                };
                let _ = consumer.handle_input(now, consumer::Input::Data { data, packet: () });
                self.drain_consumer(now, app, out);
            }
            (
                Beside::Consumer(_, consumer, _),
                Edit::Nack {
                    nonce,
                    reason,
                    header,
                    ..
                },
            ) => {
                let name = packet.name();
                let nack = consumer::Nack {
                    name: name.as_name(),
                    nonce: Some(*nonce),
                    reason: *reason,
                    header: *header,
                };
                let _ = consumer.handle_input(now, consumer::Input::Nack { nack });
                self.drain_consumer(now, app, out);
            }
            (Beside::Prober(prober), Edit::Data { .. } | Edit::Nack { .. }) => {
                prober.heard(packet.name, edit.header());
                self.probe(now, app, false, out);
            }
            (Beside::Producer, _) | (_, Edit::Interest { .. }) => {}
        }
    }

    fn drain_consumer(&mut self, now: Instant, app: usize, out: &mut Out) {
        let Beside::Consumer(src, consumer, wake) = &mut self.apps[app] else {
            return;
        };
        let mut sent = Vec::new();
        loop {
            match consumer.poll_output() {
                consumer::Output::Transmit { spec } => sent.push(spec),
                consumer::Output::Event(consumer::Event::Completed { .. }) => self.fetched += 1,
                consumer::Output::Event(consumer::Event::PathFound { .. }) => self.paths += 1,
                consumer::Output::Timeout(at) => break *wake = at,
                _ => {}
            }
        }
        let src = *src;
        for spec in sent {
            let packet = Packet {
                src: if matches!(spec.name, SpecName::Data { .. }) {
                    0
                } else {
                    src
                },
                name: spec.name,
                lifetime: spec.lifetime,
                hop_limit: Some(HOP_LIMIT),
            };
            self.ask(now, app, packet, spec.nonce, spec.header, out);
        }
    }

    fn probe(&mut self, now: Instant, app: usize, impatient: bool, out: &mut Out) -> bool {
        let Beside::Prober(prober) = &mut self.apps[app] else {
            return false;
        };
        let Some((packet, nonce, header)) = prober.next(impatient) else {
            return false;
        };
        self.ask(now, app, packet, nonce, header, out);
        true
    }

    fn ask(
        &mut self,
        now: Instant,
        app: usize,
        packet: Packet,
        nonce: u32,
        header: MarsHeader,
        out: &mut Out,
    ) {
        let edit = Edit::Interest {
            hop_limit: packet.hop_limit,
            nonce,
            lifetime: None,
            header,
        };
        let face = self.app_face(app);
        self.receive(now, face, Frame { packet, edit }, out);
    }

    fn receive(
        &mut self,
        now: Instant,
        face: FaceId,
        Frame { packet, edit }: Frame,
        out: &mut Out,
    ) {
        let name = packet.name();
        let name = name.as_name();
        let input = edit.arrival(face, name, packet.lifetime, packet.hop_limit, packet);
        self.feed(now, input, out);
    }
}

impl Node for MarsNode {
    type Frame = Frame;

    fn boot(setup: &Setup, now: Instant) -> Self {
        let links = u32::try_from(setup.links).unwrap_or(0);
        #[expect(clippy::expect_used, reason = "a test sets it up")]
        let forwarder = Forwarder::new(setup.config.clone(), now).expect("configuration in range");
        let mut node = Self {
            links,
            forwarder,
            apps: Vec::new(),
            wake: None,
            fetched: 0,
            paths: 0,
            inbox: VecDeque::new(),
        };
        let mut out = Vec::new();
        for face in 0..links {
            let face = FaceId(face);
            node.feed(
                now,
                Input::FaceAdded {
                    face,
                    kind: FaceKind::Mars,
                },
                &mut out,
            );
        }
        if setup.produces {
            node.produce(now, true, &mut out);
        }
        for (number, app) in (1..).zip(&setup.apps) {
            let src = u8::try_from(setup.node).unwrap_or(0) * 4 + number;
            let seed = setup.config.seed.wrapping_mul(31) + u64::from(src);
            let app = match *app {
                App::Consumer { segments } => {
                    let object = if segments == 0 {
                        Object::Nothing
                    } else {
                        Object::Segments(segments)
                    };
                    let mut config = consumer::Config::new(dest(), vec![src], seed, object);
                    // The adversary decides when it is over.
                    config.max_generations = u8::MAX;
                    #[expect(clippy::expect_used, reason = "the defaults")]
                    let consumer = Consumer::new(config, now).expect("configuration in range");
                    Beside::Consumer(src, Box::new(consumer), Some(now))
                }
                App::Prober { probes } => Beside::Prober(Prober::new(src, probes, seed)),
            };
            node.add_app(now, app);
        }
        node
    }

    fn frame(&mut self, now: Instant, link: usize, frame: Frame, out: &mut Out) {
        self.receive(now, FaceId(u32::try_from(link).unwrap_or(0)), frame, out);
    }

    fn link_changed(&mut self, now: Instant, link: usize, up: bool, out: &mut Out) {
        let face = FaceId(u32::try_from(link).unwrap_or(0));
        let input = if up {
            Input::FaceUp { face }
        } else {
            Input::FaceDown { face }
        };
        self.feed(now, input, out);
    }

    fn routes(&mut self, now: Instant, hops: &[Option<u32>], out: &mut Out) {
        let routes: Vec<Route> = (0..)
            .zip(hops)
            .filter_map(|(face, hops)| {
                Some(Route {
                    face: FaceId(face),
                    hops: (*hops)?,
                })
            })
            .collect();
        let prefix = dest();
        let prefix = prefix.as_name();
        self.feed(
            now,
            Input::Routes {
                prefix,
                routes: &routes,
            },
            out,
        );
    }

    fn produce(&mut self, now: Instant, present: bool, out: &mut Out) {
        let here = |app: &Beside| matches!(app, Beside::Producer);
        if present && !self.apps.iter().any(here) {
            self.add_app(now, Beside::Producer);
        }
        let Some(app) = self.apps.iter().position(here) else {
            return;
        };
        let face = self.app_face(app);
        let prefix = dest();
        let prefix = prefix.as_name();
        let input = if present {
            Input::ProducerRegistered { prefix, face }
        } else {
            Input::ProducerWithdrawn { prefix, face }
        };
        self.feed(now, input, out);
    }

    fn tick(&mut self, now: Instant, out: &mut Out) {
        self.feed(now, Input::Timeout, out);
        for app in 0..self.apps.len() {
            if let Beside::Consumer(_, consumer, Some(wake)) = &mut self.apps[app]
                && *wake <= now
            {
                let _ = consumer.handle_input(now, consumer::Input::Timeout);
                self.drain_consumer(now, app, out);
            }
        }
    }

    fn act(&mut self, now: Instant, choice: u32, out: &mut Out) -> bool {
        let apps: Vec<usize> = (0..self.apps.len())
            .filter(|app| match &self.apps[*app] {
                Beside::Consumer(..) => true,
                Beside::Prober(prober) => prober.left > 0,
                Beside::Producer => false,
            })
            .collect();
        let Some(app) = (choice as usize).checked_rem(apps.len()).map(|at| apps[at]) else {
            return false;
        };
        if let Beside::Consumer(src, ..) = &self.apps[app]
            && choice % 4 == 3
        {
            let src = *src + 2;
            return self.begin_generation(now, app, src, choice, out);
        }
        if let Beside::Consumer(_, consumer, _) = &mut self.apps[app] {
            let _ = consumer.handle_input(now, consumer::Input::Rediscover);
            self.drain_consumer(now, app, out);
            return true;
        }
        self.probe(now, app, true, out)
    }

    fn wake(&self) -> Option<Instant> {
        let apps = self.apps.iter().filter_map(|app| match app {
            Beside::Consumer(_, _, wake) => *wake,
            Beside::Prober(_) | Beside::Producer => None,
        });
        apps.chain(self.wake).min()
    }

    fn view(&self) -> View {
        let dest = dest();
        let Some(view) = self.forwarder.dest(dest.as_name()) else {
            return View::default();
        };
        View {
            lies: false,
            rank: view.rank(),
            valid: view
                .valid_upstreams()
                .map(|upstream| Edge {
                    link: upstream.face.0 as usize,
                    learnt: upstream.rank,
                })
                .collect(),
        }
    }
}

impl MarsNode {
    /// One probe in the next generation, as of a consumer that found no route: what it does on its own
    /// only after a long silence, the adversary may see at any time.
    fn begin_generation(
        &mut self,
        now: Instant,
        app: usize,
        src: u8,
        choice: u32,
        out: &mut Out,
    ) -> bool {
        let dest = dest();
        let view = self.forwarder.dest(dest.as_name());
        let generation = view.map_or(0, |view| view.generation()).saturating_add(1);
        let packet = Packet::probe(src, 0, u64::from(generation) << 16 | u64::from(choice));
        let header = MarsHeader {
            generation: Some(generation),
            ..MarsHeader::default()
        };
        self.ask(now, app, packet, choice ^ generation, header, out);
        true
    }

    fn app_face(&self, app: usize) -> FaceId {
        FaceId(self.links + u32::try_from(app).unwrap_or(0))
    }

    fn add_app(&mut self, now: Instant, app: Beside) {
        let face = self.app_face(self.apps.len());
        self.apps.push(app);
        let kind = FaceKind::Local;
        self.feed(now, Input::FaceAdded { face, kind }, &mut Vec::new());
    }
}
