//! A scenario made concrete: which nodes, links, producers and fetches there are, for one seed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_time::Instant;
use mars_wire::NameBuf;

use crate::topology::Topology;

/// What runs on the nodes. Others slot in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// The published crates.
    Mars,
}

impl System {
    /// All of them, with a word on each.
    pub const ALL: [(Self, &'static str, &'static str); 1] = [(
        Self::Mars,
        "mars",
        "the published crates: discovery, queue feedback, forwarders where --deploy says",
    )];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mars => "mars",
        }
    }
}

/// Where forwarders run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deploy {
    /// On every node.
    #[default]
    Full,
    /// On servers and clients; the core is plain IP, with a tunnel per access link and client.
    Edge,
    /// On servers alone, over the one route that plain routing gives; no discovery.
    Endpoint,
}

/// How much consumers fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The object; they know how long it is.
    Known,
    /// The object; they find out how long it is.
    Unknown,
    /// Nothing: discovery alone.
    Nothing,
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerPlan {
    /// Where it is.
    pub node: usize,
    /// What it answers for.
    pub prefix: NameBuf,
    /// Octets of its object.
    pub octets: u64,
}

/// A fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// Where its consumer is.
    pub node: usize,
    /// From which producer.
    pub producer: usize,
    /// When it starts.
    pub start: Instant,
    /// With which it shares access links; fairness is looked at within a group.
    pub group: usize,
}

/// A queue to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePlan {
    /// The node that it is at.
    pub node: usize,
    /// The port that it is for.
    pub port: usize,
    /// What to call it.
    pub label: String,
}

/// Everything that one run is a function of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of all random streams.
    pub seed: u64,
    /// Nodes and links.
    pub topology: Topology,
    /// Who produces.
    pub producers: Vec<ProducerPlan>,
    /// Who fetches.
    pub flows: Vec<FlowPlan>,
    /// Queues to be drawn.
    pub queues: Vec<QueuePlan>,
    /// Octets of content per segment.
    pub chunk: usize,
    /// What every producer serves; `None`: zeros.
    pub object: Option<Arc<[u8]>>,
    /// How much consumers fetch.
    pub fetch: Fetch,
    /// Where forwarders run.
    pub deploy: Deploy,
    /// Whether every frame is encoded and decoded.
    pub wire: bool,
    /// Whether the rank order guards the valid set.
    pub rank_rule: RankRule,
    /// Time until both ends of a link notice that it went down or came up.
    pub detection: Duration,
    /// Whether the forwarding graphs are looked at after every event, and not only when a
    /// forwarder says that they changed.
    pub watch_all: bool,
    /// When a run ends even if fetches are still going on.
    pub limit: Instant,
}

/// A setting that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Its name.
    pub field: &'static str,
    /// What was expected, and what was found.
    pub message: String,
}

impl FieldError {
    /// A setting that cannot be.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for FieldError {}

/// Whether `value` lies in `low..=high`.
///
/// # Errors
/// It does not.
pub fn check_range(field: &'static str, value: u64, low: u64, high: u64) -> Result<(), FieldError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let message = format!("expected a number from {low} to {high}, got {value}");
    Err(FieldError::new(field, message))
}
