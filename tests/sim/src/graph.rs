//! A scenario of the user's own: nodes, links, producers and fetches as a file lists them.

use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_time::Instant;
use mars_wire::NameBuf;
use serde::Deserialize;

use crate::build::marked_nodes;
use crate::link::LinkSpec;
use crate::packet::{MAX_CONTENT, Trace};
use crate::plan::{
    Deploy, Fetch, FieldError, FlowPlan, Plan, ProducerPlan, QueuePlan, check_range,
};
use crate::topology::{Role, Topology};
use crate::units::{Octets, Probability};

/// A network and what is fetched over it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// The links; nodes are those that they name.
    pub links: Vec<GraphLink>,
    /// Who produces what.
    pub producers: Vec<GraphProducer>,
    /// Who fetches what.
    pub fetches: Vec<GraphFetch>,
    /// Octets of content per Data.
    #[serde(default = "default_chunk")]
    pub chunk: u32,
    /// Milliseconds until both ends of a link notice that it went down or came up.
    #[serde(default)]
    pub detection_ms: u32,
    /// Seconds after which the run ends even if fetches are still going on.
    #[serde(default = "default_limit")]
    pub limit_s: u32,
}

const fn default_chunk() -> u32 {
    1_200
}

const fn default_limit() -> u32 {
    300
}

/// A link.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphLink {
    /// Its two nodes.
    pub between: [String; 2],
    /// Mbit/s.
    pub rate_mbps: u32,
    /// Milliseconds one way.
    pub delay_ms: u32,
    /// Packets that may wait, per direction.
    #[serde(default = "default_queue")]
    pub queue: u32,
    /// Chance of loss.
    #[serde(default)]
    pub loss: Probability,
    /// Chance of duplication.
    #[serde(default)]
    pub duplicate: Probability,
    /// Milliseconds by which a packet may be late beyond the delay, so that packets overtake.
    #[serde(default)]
    pub jitter_ms: u32,
    /// Spans in milliseconds during which it is down.
    #[serde(default)]
    pub down_ms: Vec<[u32; 2]>,
}

const fn default_queue() -> u32 {
    100
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphProducer {
    /// Its node, whose name is its prefix too.
    pub node: String,
    /// Octets of its object.
    pub bytes: Octets,
}

/// A fetch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphFetch {
    /// Where the consumer is.
    pub at: String,
    /// The producer's node.
    pub from: String,
    /// Milliseconds from the start of the run.
    #[serde(default)]
    pub start_ms: u32,
}

impl Graph {
    /// The plan for one seed.
    ///
    /// # Errors
    /// The first setting that cannot be.
    pub fn plan(&self, seed: u64, wire: bool) -> Result<Plan, FieldError> {
        check_range("chunk", self.chunk.into(), 1, MAX_CONTENT as u64)?;
        check_range("detection_ms", self.detection_ms.into(), 0, 60_000)?;
        check_range("limit_s", self.limit_s.into(), 1, 1_000_000)?;
        check_range("links", self.links.len() as u64, 1, 100_000)?;
        check_range("producers", self.producers.len() as u64, 1, 10_000)?;
        check_range("fetches", self.fetches.len() as u64, 1, 10_000)?;
        let topology = self.topology()?;
        let producers = self.producers(&topology)?;
        let flows = self.flows(&topology, &producers)?;
        Ok(Plan {
            seed,
            queues: self.queues(&topology),
            topology,
            producers,
            flows,
            chunk: self.chunk as usize,
            object: None,
            fetch: Fetch::Known,
            deploy: Deploy::Full,
            wire,
            rank_rule: RankRule::Enforced,
            detection: Duration::from_millis(self.detection_ms.into()),
            watch_all: false,
            limit: Instant::from_secs(self.limit_s.into()),
        })
    }

    fn topology(&self) -> Result<Topology, FieldError> {
        let mut t = Topology::default();
        for link in &self.links {
            link.check()?;
            let [a, b] = &link.between;
            let a = self.intern(&mut t, a);
            let b = self.intern(&mut t, b);
            let number = t.add_link(a, b, link.spec());
            let at = |ms: u32| Instant::from_millis(ms.into());
            t.links[number].outages = link
                .down_ms
                .iter()
                .map(|[from, to]| (at(*from), at(*to)))
                .collect();
        }
        let marked = marked_nodes(&t.ports());
        if marked > Trace::MAX_NODES {
            let message = format!(
                "expected at most {} nodes with more than one link, got {marked}",
                Trace::MAX_NODES
            );
            return Err(FieldError::new("links", message));
        }
        Ok(t)
    }

    fn intern(&self, t: &mut Topology, name: &str) -> usize {
        if let Some(known) = t.nodes.iter().position(|node| node.name == name) {
            return known;
        }
        let produces = self.producers.iter().any(|producer| producer.node == name);
        let fetches = self.fetches.iter().any(|fetch| fetch.at == name);
        let role = match (fetches, produces) {
            (true, _) => Role::Server,
            (false, true) => Role::Client,
            (false, false) => Role::Core,
        };
        t.add_node(name, role, true)
    }

    fn producers(&self, t: &Topology) -> Result<Vec<ProducerPlan>, FieldError> {
        let mut producers: Vec<ProducerPlan> = Vec::new();
        for producer in &self.producers {
            check_range("bytes", producer.bytes.0, 1, 1_000_000_000_000)?;
            let node = find(t, "node", &producer.node)?;
            if producers.iter().any(|other| other.node == node) {
                let message = format!(
                    "expected one producer per node, got `{}` twice",
                    producer.node
                );
                return Err(FieldError::new("node", message));
            }
            producers.push(ProducerPlan {
                node,
                prefix: NameBuf::new().generic(producer.node.as_bytes()),
                octets: producer.bytes.0,
            });
        }
        Ok(producers)
    }

    fn flows(&self, t: &Topology, producers: &[ProducerPlan]) -> Result<Vec<FlowPlan>, FieldError> {
        let mut flows: Vec<FlowPlan> = Vec::new();
        for fetch in &self.fetches {
            let node = find(t, "at", &fetch.at)?;
            let from = find(t, "from", &fetch.from)?;
            let producer = producers.iter().position(|producer| producer.node == from);
            let Some(producer) = producer else {
                let message = format!("expected a producer's node, got `{}`", fetch.from);
                return Err(FieldError::new("from", message));
            };
            if node == from {
                let message = format!("expected another node than `{}`", fetch.from);
                return Err(FieldError::new("at", message));
            }
            if flows
                .iter()
                .any(|flow| flow.node == node && flow.producer == producer)
            {
                let message = format!(
                    "expected `{}` to fetch from `{}` once",
                    fetch.at, fetch.from
                );
                return Err(FieldError::new("from", message));
            }
            flows.push(FlowPlan {
                node,
                producer,
                start: Instant::from_millis(fetch.start_ms.into()),
                group: node,
            });
        }
        Ok(flows)
    }

    /// Those towards nodes that fetch.
    fn queues(&self, t: &Topology) -> Vec<QueuePlan> {
        let ports = t.ports();
        let fetching = |node: usize| {
            self.fetches
                .iter()
                .any(|fetch| fetch.at == t.nodes[node].name)
        };
        let mut queues = Vec::new();
        for (node, ports) in ports.iter().enumerate() {
            for (port, to) in ports.iter().enumerate().filter(|(_, to)| fetching(to.peer)) {
                let label = format!("{} to {}", t.nodes[node].name, t.nodes[to.peer].name);
                queues.push(QueuePlan { node, port, label });
            }
        }
        queues
    }
}

impl GraphLink {
    fn check(&self) -> Result<(), FieldError> {
        check_range("rate_mbps", self.rate_mbps.into(), 1, 1_000_000)?;
        check_range("delay_ms", self.delay_ms.into(), 0, 10_000)?;
        check_range("queue", self.queue.into(), 1, 1_000_000)?;
        check_range("jitter_ms", self.jitter_ms.into(), 0, 10_000)?;
        for name in &self.between {
            if name.is_empty() || name.len() > 64 {
                let message = format!("expected names of 1 to 64 octets, got `{name}`");
                return Err(FieldError::new("between", message));
            }
        }
        if self.between[0] == self.between[1] {
            let message = format!("expected two nodes, got `{}` twice", self.between[0]);
            return Err(FieldError::new("between", message));
        }
        if let Some([from, to]) = self.down_ms.iter().find(|[from, to]| from >= to) {
            let message =
                format!("expected the start of a span before its end, got [{from}, {to}]");
            return Err(FieldError::new("down_ms", message));
        }
        Ok(())
    }

    fn spec(&self) -> LinkSpec {
        LinkSpec {
            loss: self.loss,
            duplicate: self.duplicate,
            jitter: Duration::from_millis(self.jitter_ms.into()),
            ..LinkSpec::new(
                u64::from(self.rate_mbps) * 1_000_000,
                Duration::from_millis(self.delay_ms.into()),
                self.queue as usize,
            )
        }
    }
}

fn find(t: &Topology, field: &'static str, name: &str) -> Result<usize, FieldError> {
    t.nodes
        .iter()
        .position(|node| node.name == name)
        .ok_or_else(|| {
            FieldError::new(
                field,
                format!("expected a node that a link names, got `{name}`"),
            )
        })
}
