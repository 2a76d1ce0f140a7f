//! The wide-area experiment: servers fetch an object from each client of their group, over access
//! links to a full mesh of core nodes.
//!
//! Rates and delays are calibrated: the source gives completion times, and 40 Mbit/s per access
//! link is what they amount to (10 objects of 36 MB over one link 72 s, over ten 7.2 s).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_time::Instant;
use mars_wire::NameBuf;
use serde::Deserialize;

use crate::link::LinkSpec;
use crate::packet::MAX_CONTENT;
use crate::plan::{
    Deploy, Fetch, FieldError, FlowPlan, Plan, ProducerPlan, QueuePlan, check_range,
};
use crate::topology::{Role, Topology};
use crate::units::{Octets, Probability, below, choices};

/// Rates in Mbit/s and delays in ms of access links that differ; the sums are those of five alike.
const HETERO: [(u64, u64); 5] = [(24, 3), (32, 4), (40, 5), (48, 8), (56, 12)];
/// Which of them leads to the home of the clients.
const HETERO_HOME: usize = 2;

const ACCESS_RATE: u64 = 40_000_000;
const ACCESS_DELAY: Duration = Duration::from_millis(5);
const ACCESS_QUEUE: usize = 60;
const CORE_RATE: u64 = 1_000_000_000;
const CORE_DELAY: Duration = Duration::from_millis(10);
const CLIENT_DELAY: Duration = Duration::from_millis(5);
const CORE_QUEUE: usize = 1_000;

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wan {
    /// Servers, each with a group of clients.
    pub servers: u32,
    /// Clients, dealt to the servers in turn.
    pub clients: u32,
    /// Access links of each server, one to each core node.
    pub links: u32,
    /// Octets that each client holds, unless `object` says what it holds.
    pub bytes: Octets,
    /// A file that each client holds; digests are compared.
    pub object: Option<PathBuf>,
    /// Octets of content per Data.
    pub chunk: u32,
    /// Whether access links differ.
    pub hetero: bool,
    /// Loss on every link.
    pub loss: Probability,
    /// Whether a fifth of each server's access links is down from 1 s to 3 s.
    pub fail: bool,
    /// Group i starts at the (i mod n)-th of these n seconds.
    pub stagger: Vec<u32>,
    /// Milliseconds until both ends of a link notice that it went down or came up.
    pub detection_ms: u32,
    /// Where forwarders run.
    pub deploy: Deploy,
    /// Whether servers and clients carry traffic of others.
    pub host_transit: bool,
    /// Seconds after which a run ends even if fetches are still going on.
    pub limit_s: u32,
}

impl Default for Wan {
    fn default() -> Self {
        Self {
            servers: 2,
            clients: 20,
            links: 10,
            bytes: Octets(36_000_000),
            object: None,
            chunk: 1_200,
            hetero: false,
            loss: Probability::ZERO,
            fail: false,
            stagger: vec![0, 1, 2],
            detection_ms: 0,
            deploy: Deploy::Full,
            host_transit: true,
            limit_s: 300,
        }
    }
}

impl Wan {
    /// Whether all settings can be.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), FieldError> {
        check_range("servers", self.servers.into(), 1, 64)?;
        check_range("clients", self.clients.into(), 1, 2_000)?;
        check_range("links", self.links.into(), 1, 64)?;
        check_range("chunk", self.chunk.into(), 1, MAX_CONTENT as u64)?;
        check_range("bytes", self.bytes.0, 1, 1_000_000_000_000)?;
        check_range("stagger", self.stagger.len() as u64, 1, 64).map_err(|error| {
            FieldError::new("stagger", format!("number of entries: {}", error.message))
        })?;
        check_range("detection_ms", self.detection_ms.into(), 0, 60_000)?;
        check_range("limit_s", self.limit_s.into(), 1, 1_000_000)?;
        if self.clients < self.servers {
            let message = format!(
                "expected at least one for each of {} servers, got {}",
                self.servers, self.clients
            );
            return Err(FieldError::new("clients", message));
        }
        Ok(())
    }

    /// The object's octets, read once.
    ///
    /// # Errors
    /// The file cannot be read, or is empty.
    pub fn read_object(&self) -> Result<Option<Arc<[u8]>>, FieldError> {
        let Some(path) = &self.object else {
            return Ok(None);
        };
        let octets = std::fs::read(path).map_err(|error| {
            let message = format!(
                "expected a readable file, got `{}`: {error}",
                path.display()
            );
            FieldError::new("object", message)
        })?;
        if octets.is_empty() {
            let message = format!("expected at least one octet, `{}` is empty", path.display());
            return Err(FieldError::new("object", message));
        }
        Ok(Some(octets.into()))
    }

    /// The plan for one seed. `object` is what [`Wan::read_object`] gave.
    #[must_use]
    pub fn plan(&self, seed: u64, wire: bool, object: Option<Arc<[u8]>>) -> Plan {
        let (topology, queues) = self.topology(seed);
        let octets = object
            .as_ref()
            .map_or(self.bytes.0, |object| object.len() as u64);
        let first_client = (self.servers + self.links) as usize;
        let producers = (0..self.clients as usize)
            .map(|client| ProducerPlan {
                node: first_client + client,
                prefix: NameBuf::new()
                    .generic(topology.nodes[first_client + client].name.as_bytes()),
                octets,
            })
            .collect();
        let flows = (0..self.clients as usize)
            .map(|client| FlowPlan {
                node: self.group(client),
                producer: client,
                start: self.start(self.group(client)),
                group: self.group(client),
            })
            .collect();
        Plan {
            seed,
            topology,
            producers,
            flows,
            queues,
            chunk: self.chunk as usize,
            fetch: if object.is_some() {
                Fetch::Unknown
            } else {
                Fetch::Known
            },
            object,
            deploy: self.deploy,
            wire,
            rank_rule: RankRule::Enforced,
            detection: Duration::from_millis(self.detection_ms.into()),
            watch_all: false,
            limit: Instant::from_secs(self.limit_s.into()),
        }
    }

    fn group(&self, client: usize) -> usize {
        client % self.servers as usize
    }

    fn start(&self, group: usize) -> Instant {
        Instant::from_secs(self.stagger[group % self.stagger.len()].into())
    }

    /// Servers, then core nodes, then clients.
    fn topology(&self, seed: u64) -> (Topology, Vec<QueuePlan>) {
        let (servers, links) = (self.servers as usize, self.links as usize);
        let mut t = Topology::default();
        for server in 1..=servers {
            t.add_node(format!("server{server}"), Role::Server, self.host_transit);
        }
        for core in 1..=links {
            t.add_node(format!("core{core}"), Role::Core, true);
        }
        for client in 1..=self.clients {
            t.add_node(format!("client{client}"), Role::Client, self.host_transit);
        }
        let mut queues = Vec::new();
        for server in 0..servers {
            for core in 0..links {
                t.add_link(server, servers + core, self.access(server, core));
                // A core node numbers its servers first.
                queues.push(QueuePlan {
                    node: servers + core,
                    port: server,
                    label: format!("core{} to server{}", core + 1, server + 1),
                });
            }
        }
        let core_link = self.lossy(LinkSpec::new(CORE_RATE, CORE_DELAY, CORE_QUEUE));
        for a in 0..links {
            for b in a + 1..links {
                t.add_link(servers + a, servers + b, core_link);
            }
        }
        let client_link = self.lossy(LinkSpec::new(CORE_RATE, CLIENT_DELAY, CORE_QUEUE));
        for client in 0..self.clients as usize {
            let home = servers + self.home(self.group(client));
            t.add_link(servers + links + client, home, client_link);
        }
        if self.fail {
            self.add_outages(&mut t, seed);
        }
        (t, queues)
    }

    fn home(&self, server: usize) -> usize {
        server % self.links as usize
    }

    fn access(&self, server: usize, core: usize) -> LinkSpec {
        let mut spec = LinkSpec::new(ACCESS_RATE, ACCESS_DELAY, ACCESS_QUEUE);
        if self.hetero {
            let links = self.links as usize;
            let class = (core + links - self.home(server) + HETERO_HOME) % HETERO.len();
            let (rate, delay) = HETERO[class];
            spec.rate = rate * 1_000_000;
            spec.delay = Duration::from_millis(delay);
        }
        self.lossy(spec)
    }

    const fn lossy(&self, mut spec: LinkSpec) -> LinkSpec {
        spec.loss = self.loss;
        spec
    }

    /// A fifth of each server's links, at least one, drawn anew for each server and seed.
    fn add_outages(&self, t: &mut Topology, seed: u64) {
        let mut rng = choices(seed);
        let span = (Instant::from_secs(1), Instant::from_secs(3));
        for server in 0..self.servers {
            let mut left: Vec<u32> = (0..self.links).collect();
            for _ in 0..(self.links / 5).max(1) {
                let drawn = below(&mut rng, u32::try_from(left.len()).unwrap_or(1));
                let core = left.swap_remove(drawn as usize);
                t.links[(server * self.links + core) as usize]
                    .outages
                    .push(span);
            }
        }
    }

    /// The least time in which the largest group can be served: its octets with the overhead of
    /// packets, 100 octets each, over all its access links at once, and one round trip over the
    /// longer paths (an access link of 5 ms).
    #[must_use]
    pub fn wire_limit(&self, octets: u64) -> Duration {
        let group = u64::from(self.clients.div_ceil(self.servers));
        let content = group * octets;
        let on_wire = content + content * 100 / u64::from(self.chunk);
        let rate: u64 = (0..self.links as usize)
            .map(|core| self.access(0, core).rate)
            .sum();
        let nanos = u128::from(on_wire) * 8 * 1_000_000_000 / u128::from(rate);
        let transfer = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        transfer + 2 * (ACCESS_DELAY + CORE_DELAY + CLIENT_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{equal_cost_paths, next_hops};

    #[test]
    fn the_wire_limits_of_the_figures() {
        let millis = |wan: &Wan, octets| wan.wire_limit(octets).as_millis();
        let homogeneous = Wan::default();
        assert_eq!(millis(&homogeneous, 36_000_000), 7_840);
        let emulation = Wan {
            servers: 5,
            clients: 25,
            links: 5,
            ..Wan::default()
        };
        assert_eq!(millis(&emulation, 18_000_000), 3_940);
        let hetero = Wan {
            hetero: true,
            ..emulation
        };
        assert_eq!(millis(&hetero, 18_000_000), 3_940);
    }

    #[test]
    fn the_shortest_route_is_unique_and_a_link_leads_to_every_core_node() {
        let wan = Wan::default();
        let plan = wan.plan(1, false, None);
        for flow in &plan.flows {
            let producer = plan.producers[flow.producer].node;
            let hops = next_hops(&plan.topology, producer);
            assert_eq!(hops[flow.node].len(), 10);
            assert_eq!(equal_cost_paths(&plan.topology, &hops, flow.node), 1);
            let mut counts: Vec<u32> = hops[flow.node].iter().map(|hop| hop.hops).collect();
            counts.sort_unstable();
            assert_eq!(counts, [2, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
        }
        let queue = &plan.queues[13];
        assert_eq!(queue.label, "core4 to server2");
        let ports = plan.topology.ports();
        assert_eq!(ports[queue.node][queue.port].peer, 1);
    }

    #[test]
    fn different_access_links_keep_the_sum_and_the_home_on_40() {
        let wan = Wan {
            hetero: true,
            links: 5,
            servers: 3,
            clients: 3,
            ..Wan::default()
        };
        let t = wan.plan(1, false, None).topology;
        for server in 0..3 {
            let specs: Vec<&LinkSpec> = t.links[server * 5..server * 5 + 5]
                .iter()
                .map(|l| &l.spec)
                .collect();
            assert_eq!(specs.iter().map(|s| s.rate).sum::<u64>(), 200_000_000);
            assert_eq!(specs[server].rate, 40_000_000, "home of server {server}");
            assert_eq!(specs[server].delay, ACCESS_DELAY);
        }
    }

    #[test]
    fn a_fifth_of_the_links_fails() {
        let wan = Wan {
            fail: true,
            ..Wan::default()
        };
        let t = wan.plan(3, false, None).topology;
        for server in 0..2 {
            let links = &t.links[server * 10..server * 10 + 10];
            assert_eq!(
                links.iter().filter(|link| !link.outages.is_empty()).count(),
                2
            );
        }
        assert!(t.links[20..].iter().all(|link| link.outages.is_empty()));
    }

    #[test]
    fn settings_that_cannot_be_are_named() {
        let field = |wan: Wan| wan.check().unwrap_err().field;
        assert_eq!(
            field(Wan {
                clients: 0,
                ..Wan::default()
            }),
            "clients"
        );
        assert_eq!(
            field(Wan {
                clients: 1,
                ..Wan::default()
            }),
            "clients"
        );
        assert_eq!(
            field(Wan {
                servers: 0,
                ..Wan::default()
            }),
            "servers"
        );
        assert_eq!(
            field(Wan {
                links: 65,
                ..Wan::default()
            }),
            "links"
        );
        assert_eq!(
            field(Wan {
                chunk: 0,
                ..Wan::default()
            }),
            "chunk"
        );
        assert_eq!(
            field(Wan {
                stagger: vec![],
                ..Wan::default()
            }),
            "stagger"
        );
        assert_eq!(Wan::default().check(), Ok(()));
    }
}
