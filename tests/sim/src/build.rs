//! From a plan to hosts in an engine.

use mars_consumer_core as consumer;
use mars_forwarder_core::{Config, FaceKind, Forwarder, Input, Route};
use mars_time::Instant;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::app::{ConsumerApp, ProducerApp, segments};
use crate::engine::{Engine, Wire};
use crate::host::{BareProducer, MarsHost, Router};
use crate::meter::Meter;
use crate::node::{FacePlan, ForwarderNode};
use crate::plan::{Deploy, Fetch, Plan, ProducerPlan};
use crate::routing::next_hops;
use crate::topology::{Port, Role};
use crate::tunnel::{Tunnel, tunnels};

/// Stream of the numbers that seed machines; links have the streams from 0 on.
const MACHINES: u64 = u64::MAX;

/// The engine of a plan, at instant zero.
#[must_use]
pub fn build(plan: &Plan) -> Engine<MarsHost> {
    Builder::new(plan).build()
}

struct Builder<'a> {
    plan: &'a Plan,
    ports: Vec<Vec<Port>>,
    tunnels: Vec<Tunnel>,
    marks: Vec<u32>,
    rng: ChaCha8Rng,
    meter: Meter,
}

impl<'a> Builder<'a> {
    fn new(plan: &'a Plan) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        rng.set_stream(MACHINES);
        let ports = plan.topology.ports();
        Self {
            plan,
            tunnels: tunnels(plan, &ports),
            marks: marks(&ports),
            ports,
            rng,
            meter: Meter::new(plan.flows.len(), plan.producers.len()),
        }
    }

    fn build(mut self) -> Engine<MarsHost> {
        let count = self.plan.topology.nodes.len();
        let mut hosts: Vec<MarsHost> = (0..count).map(|node| self.host(node)).collect();
        if self.plan.deploy == Deploy::Full {
            self.install_routes(&mut hosts);
        } else {
            self.install_tunnel_routes(&mut hosts);
        }
        self.install_producers(&mut hosts);
        self.install_consumers(&mut hosts);
        let wires: Vec<Wire> = self
            .plan
            .topology
            .links
            .iter()
            .map(|link| Wire {
                ends: link.ends,
                specs: [link.spec; 2],
                outages: link.outages.clone(),
            })
            .collect();
        let Plan {
            seed, detection, ..
        } = *self.plan;
        Engine::new(hosts, &wires, seed, detection, self.meter)
    }

    fn host(&mut self, node: usize) -> MarsHost {
        let seed = self.rng.next_u64();
        match (self.plan.deploy, self.plan.topology.nodes[node].role) {
            (Deploy::Full, _)
            | (Deploy::Edge, Role::Server | Role::Client)
            | (Deploy::Endpoint, Role::Server) => self.forwarder(node, seed),
            (Deploy::Edge | Deploy::Endpoint, Role::Core) => self.router(node),
            (Deploy::Endpoint, Role::Client) => self.bare_producer(node),
        }
    }

    fn forwarder(&mut self, node: usize, seed: u64) -> MarsHost {
        let mut config = Config::new(seed);
        config.rank_rule = self.plan.rank_rule;
        let forwarder = match Forwarder::new(config, Instant::ZERO) {
            Ok(forwarder) => forwarder,
            Err(error) => {
                self.meter.note_fault(|| format!("forwarder: {error}"));
                return MarsHost::Router(Router::default());
            }
        };
        let number = u32::try_from(node).unwrap_or(u32::MAX);
        let faces = self.faces(node);
        let meter = &mut self.meter;
        let node = ForwarderNode::new(
            number,
            self.marks[node],
            self.plan.wire,
            forwarder,
            &faces,
            meter,
        );
        MarsHost::Forwarder(Box::new(node))
    }

    fn faces(&self, node: usize) -> Vec<FacePlan> {
        if self.plan.deploy == Deploy::Full {
            return (0..self.ports[node].len())
                .map(|port| FacePlan {
                    port,
                    tunnel: None,
                    kind: FaceKind::Mars,
                })
                .collect();
        }
        let kind = match self.plan.deploy {
            Deploy::Endpoint => FaceKind::Plain,
            Deploy::Full | Deploy::Edge => FaceKind::Mars,
        };
        self.tunnels
            .iter()
            .filter_map(|tunnel| tunnel.at_end(node))
            .map(|end| FacePlan {
                port: end.port,
                tunnel: Some((end.leaving, end.arriving)),
                kind,
            })
            .collect()
    }

    fn router(&self, node: usize) -> MarsHost {
        let mut router = Router::default();
        for (tunnel, port) in self.tunnels.iter().flat_map(|tunnel| tunnel.through(node)) {
            router.add_tunnel(tunnel, port);
        }
        MarsHost::Router(router)
    }

    fn bare_producer(&self, node: usize) -> MarsHost {
        let ends = self.tunnels.iter().filter_map(|tunnel| tunnel.at_end(node));
        let tunnels = ends.map(|end| (end.arriving, end.leaving)).collect();
        let octets = self
            .plan
            .producers
            .iter()
            .find(|producer| producer.node == node)
            .map_or(0, |producer| producer.octets);
        MarsHost::Bare(BareProducer::new(
            self.producer_app(octets),
            self.plan.wire,
            tunnels,
        ))
    }

    fn producer_app(&self, octets: u64) -> ProducerApp {
        ProducerApp {
            octets,
            chunk: self.plan.chunk,
            object: self.plan.object.clone(),
            announce: self.plan.fetch == Fetch::Unknown,
        }
    }

    fn install_routes(&mut self, hosts: &mut [MarsHost]) {
        for producer in &self.plan.producers {
            let table = next_hops(&self.plan.topology, producer.node);
            for (host, hops) in hosts.iter_mut().zip(table) {
                let routes: Vec<Route> = hops.iter().map(|hop| route(hop.port, hop.hops)).collect();
                set_routes(host, producer, &routes, &mut self.meter);
            }
        }
    }

    fn install_tunnel_routes(&mut self, hosts: &mut [MarsHost]) {
        for (number, producer) in self.plan.producers.iter().enumerate() {
            for (at, host) in hosts.iter_mut().enumerate() {
                let ends = self
                    .tunnels
                    .iter()
                    .filter(|tunnel| tunnel.at_end(at).is_some());
                let routes: Vec<Route> = ends
                    .enumerate()
                    .filter(|(_, tunnel)| tunnel.producer == number && tunnel.starts_at(at))
                    .map(|(face, tunnel)| route(face, tunnel.hops()))
                    .collect();
                set_routes(host, producer, &routes, &mut self.meter);
            }
        }
    }

    fn install_producers(&mut self, hosts: &mut [MarsHost]) {
        for producer in &self.plan.producers {
            let app = self.producer_app(producer.octets);
            if let MarsHost::Forwarder(node) = &mut hosts[producer.node] {
                node.add_producer(producer.prefix.as_name(), app, &mut self.meter);
            }
        }
    }

    fn install_consumers(&mut self, hosts: &mut [MarsHost]) {
        let digest = self
            .plan
            .object
            .as_ref()
            .map(|object| <[u8; 32]>::from(Sha256::digest(object)));
        for (number, flow) in self.plan.flows.iter().enumerate() {
            let producer = &self.plan.producers[flow.producer];
            let object = match self.plan.fetch {
                Fetch::Known => {
                    consumer::Object::Segments(segments(producer.octets, self.plan.chunk))
                }
                Fetch::Unknown => consumer::Object::UntilFinal,
                Fetch::Nothing => consumer::Object::Nothing,
            };
            let src = self.plan.topology.nodes[flow.node].name.as_bytes().to_vec();
            let seed = self.rng.next_u64();
            let mut config = consumer::Config::new(producer.prefix.clone(), src, seed, object);
            if self.plan.deploy == Deploy::Endpoint {
                config.start = consumer::Start::Data;
            }
            let dest = u32::try_from(flow.producer).unwrap_or(u32::MAX);
            let app = ConsumerApp::new(number, dest, flow.start, config, digest);
            match &mut hosts[flow.node] {
                MarsHost::Forwarder(node) => node.add_consumer(app, &mut self.meter),
                MarsHost::Router(_) | MarsHost::Bare(_) => self
                    .meter
                    .note_fault(|| format!("flow {number} starts at a node without forwarder")),
            }
        }
    }
}

/// Tells a forwarder the routes to a producer, if there are any.
fn set_routes(host: &mut MarsHost, producer: &ProducerPlan, routes: &[Route], meter: &mut Meter) {
    let prefix = producer.prefix.as_name();
    if let (MarsHost::Forwarder(node), false) = (host, routes.is_empty()) {
        node.setup(Input::Routes { prefix, routes }, meter);
    }
}

fn route(face: usize, hops: u32) -> Route {
    Route {
        face: mars_forwarder_core::FaceId(u32::try_from(face).unwrap_or(u32::MAX)),
        hops,
    }
}

/// Nodes with one link need no mark: who comes back to one has passed its neighbour twice.
fn marks(ports: &[Vec<Port>]) -> Vec<u32> {
    let mut next = 0;
    ports
        .iter()
        .map(|ports| {
            if ports.len() < 2 {
                return u32::MAX;
            }
            next += 1;
            next - 1
        })
        .collect()
}

/// Nodes that need a mark; at most [`MAX_NODES`](crate::packet::Trace::MAX_NODES) can have one.
#[must_use]
pub fn marked_nodes(ports: &[Vec<Port>]) -> usize {
    ports.iter().filter(|ports| ports.len() > 1).count()
}
