//! Discovery alone, on small graphs: does the forwarding graph ever hold a cycle, is everybody
//! served, and what does it cost? With the rank order, and without.

mod settings;
mod tally;

use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_time::Instant;
use mars_wire::NameBuf;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

pub use self::settings::{Chosen, Settings, Where};
pub use self::tally::Tally;
use crate::campaign::each;
use crate::link::LinkSpec;
use crate::plan::{Deploy, Fetch, FieldError, FlowPlan, Plan, ProducerPlan, check_range};
use crate::routing::next_hops;
use crate::run::{RunResult, run};
use crate::topology::Shape;
use crate::units::{Probability, Span, below, choices};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Discover {
    /// The graph.
    pub topology: Shape,
    /// Its nodes; the last one produces.
    pub nodes: Span,
    /// Consumers, at most one per node and none at the producer's: fewer if there are too few nodes.
    pub consumers: Span,
    /// Loss on every link.
    pub loss: Probability,
    /// Duplication on every link.
    pub duplicate: Probability,
    /// Greatest delay of a link in milliseconds; each link's is drawn from 1 on.
    pub delay_ms: u32,
    /// Milliseconds by which a frame may be late beyond the delay, so that frames overtake.
    pub jitter_ms: u32,
    /// Seconds after which a run ends even if discovery is still going on.
    pub limit_s: u32,
}

impl Default for Discover {
    fn default() -> Self {
        Self {
            topology: Shape::Random,
            nodes: Span { low: 4, high: 25 },
            consumers: Span { low: 1, high: 5 },
            loss: Probability::ZERO,
            duplicate: Probability::ZERO,
            delay_ms: 20,
            jitter_ms: 0,
            limit_s: 60,
        }
    }
}

impl Discover {
    /// Whether all settings can be.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), FieldError> {
        let (low, high) = self.topology.nodes();
        if low < high {
            for nodes in [self.nodes.low, self.nodes.high] {
                check_range("nodes", nodes.into(), low.into(), high.into())?;
            }
        }
        check_range("consumers", self.consumers.low.into(), 1, 1_000)?;
        check_range("consumers", self.consumers.high.into(), 1, 1_000)?;
        check_range("delay_ms", self.delay_ms.into(), 1, 10_000)?;
        check_range("jitter_ms", self.jitter_ms.into(), 0, 10_000)?;
        check_range("limit_s", self.limit_s.into(), 1, 1_000_000)
    }

    /// The plan for one seed.
    #[must_use]
    pub fn plan(&self, seed: u64, wire: bool, rank_rule: RankRule) -> Plan {
        let mut rng = choices(seed);
        let (low, high) = self.topology.nodes();
        let nodes = if low < high {
            self.nodes
        } else {
            Span::one(low)
        };
        let n = nodes.draw(&mut rng) as usize;
        let topology = self.topology.build(n, &mut rng, |rng| self.link(rng));
        let producer = n - 1;
        let count = self.consumers.draw(&mut rng) as usize;
        let flows = self
            .places(count, producer, &mut rng)
            .into_iter()
            .map(|node| FlowPlan {
                node,
                producer: 0,
                start: Instant::from_micros(below(&mut rng, 20_000).into()),
                group: 0,
            })
            .collect();
        let prefix = NameBuf::new().generic(topology.nodes[producer].name.as_bytes());
        Plan {
            seed,
            topology,
            producers: vec![ProducerPlan {
                node: producer,
                prefix,
                octets: 0,
            }],
            flows,
            queues: Vec::new(),
            chunk: 1_200,
            object: None,
            fetch: Fetch::Nothing,
            deploy: Deploy::Full,
            wire,
            rank_rule,
            detection: Duration::ZERO,
            watch_all: true,
            limit: Instant::from_secs(self.limit_s.into()),
        }
    }

    fn link(&self, rng: &mut ChaCha8Rng) -> LinkSpec {
        let delay = 1 + below(rng, self.delay_ms);
        LinkSpec {
            loss: self.loss,
            duplicate: self.duplicate,
            jitter: Duration::from_millis(self.jitter_ms.into()),
            ..LinkSpec::new(100_000_000, Duration::from_millis(delay.into()), 1_000)
        }
    }

    /// Different nodes without the producer, fewer than `count` when they run out. On the triangle
    /// they come in order.
    fn places(&self, count: usize, producer: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut left: Vec<usize> = (0..producer).collect();
        if self.topology != Shape::Triangle {
            for i in (1..left.len()).rev() {
                let bound = u32::try_from(i + 1).unwrap_or(u32::MAX);
                left.swap(i, below(rng, bound) as usize);
            }
        }
        // The same consumer twice on a node would be one name twice.
        left.truncate(count);
        left
    }

    /// Runs all seeds, once with the rank order and once without, `jobs` at a time; `tick` is called
    /// after each.
    pub fn compare(
        &self,
        seeds: std::ops::Range<u64>,
        wire: bool,
        jobs: usize,
        tick: &(dyn Fn() + Sync),
    ) -> Comparison {
        let count = usize::try_from(seeds.end - seeds.start).unwrap_or(usize::MAX);
        let all = |rule| {
            let runs = each(count, jobs, &|number| {
                let one = self.run_one(seeds.start + number as u64, wire, rule);
                tick();
                Tally::of(&one)
            });
            runs.into_iter().fold(Tally::default(), Tally::and)
        };
        Comparison {
            enforced: all(RankRule::Enforced),
            off: all(RankRule::Off),
        }
    }

    /// Runs one seed.
    #[must_use]
    pub fn run_one(&self, seed: u64, wire: bool, rule: RankRule) -> One {
        let plan = self.plan(seed, wire, rule);
        let hops = next_hops(&plan.topology, plan.producers[0].node);
        let routed = plan.flows.iter().map(|flow| !hops[flow.node].is_empty());
        let routed = routed.collect();
        let result = run(&plan, &mut |_| true);
        One { routed, result }
    }
}

/// One run, and which of its consumers had a route.
#[derive(Clone, Debug)]
pub struct One {
    /// Per flow.
    pub routed: Vec<bool>,
    /// What came out.
    pub result: RunResult,
}

/// Both settings side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// With the rank order.
    pub enforced: Tally,
    /// Without.
    pub off: Tally,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_a_function_of_the_seed() {
        let discover = Discover::default();
        for seed in 0..50 {
            let plan = discover.plan(seed, false, RankRule::Enforced);
            assert_eq!(
                plan.topology,
                discover.plan(seed, true, RankRule::Off).topology
            );
            assert!((4..=25).contains(&plan.topology.nodes.len()));
            assert!((1..=5).contains(&plan.flows.len()));
            let mut places: Vec<usize> = plan.flows.iter().map(|flow| flow.node).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), plan.flows.len(), "seed {seed}");
            assert!(!places.contains(&plan.producers[0].node));
        }
    }

    #[test]
    fn settings_that_cannot_be_are_named() {
        let wrong = Discover {
            consumers: Span { low: 0, high: 3 },
            ..Discover::default()
        };
        assert_eq!(wrong.check().unwrap_err().field, "consumers");
        let wrong = Discover {
            nodes: Span::one(1),
            ..Discover::default()
        };
        assert_eq!(wrong.check().unwrap_err().field, "nodes");
        let fixed = Discover {
            nodes: Span::one(99),
            topology: Shape::Triangle,
            ..Discover::default()
        };
        assert_eq!(fixed.check(), Ok(()), "the triangle has its own size");
    }
}
