//! How good discovery is on a network as it is: for pairs of nodes, what a consumer that is alone
//! finds, against what there is.
//!
//! Paths are counted as those that share no link, by maximum flow, through four graphs of arcs:
//!
//! - **found**: the valid upstreams of all nodes once discovery has converged;
//! - **eligible**: from each node the next hops that theta admits, `hops <= theta * min(hops)`,
//!   where routing counts the hops through a neighbour with the node itself removed. These are all
//!   the arcs that any node may ever make valid, so nothing can be found beyond them. And nothing
//!   of it is lost to freedom from cycles as such: some maximum flow uses no cycle, and its arcs
//!   alone are a forwarding graph that is allowed. Found over eligible thus is the share of the
//!   best that could have been had, and 1 is within reach for every pair that is looked at alone;
//! - **whole**: every link in both directions. What eligible lacks of it is the price of theta;
//! - **ecmp**: from each node the next hops at the least distance, as plain shortest-path routing
//!   with equal-cost multipath exposes them. Their different routes are counted, too.

mod findings;
mod ground;

use std::time::Duration;

use mars_forwarder_core::RankRule;
use mars_time::Instant;
use mars_wire::NameBuf;

pub use self::findings::{Findings, Pair, Summary};
use self::ground::Ground;
use crate::campaign::each;
use crate::disjoint::Arcs;
use crate::network::Network;
use crate::plan::{Deploy, Fetch, FieldError, FlowPlan, Plan, ProducerPlan, check_range};
use crate::routing::equal_cost_paths;
use crate::run::{RunResult, run};
use crate::stats::{max, mean};
use crate::topology::Topology;
use crate::units::{Probability, below, choices};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The network.
    pub network: Network,
    /// Pairs of nodes, drawn evenly; `None`: all of them.
    pub pairs: Option<u32>,
    /// The consumer's node; `None`: any.
    pub from: Option<String>,
    /// The producer's node; `None`: any.
    pub to: Option<String>,
    /// Loss on every link.
    pub loss: Probability,
    /// Duplication on every link.
    pub duplicate: Probability,
    /// Milliseconds by which a frame may be late beyond the delay, so that frames overtake.
    pub jitter_ms: u32,
    /// Seconds after which a discovery ends even if it has not converged.
    pub limit_s: u32,
}

impl Survey {
    /// All pairs of a network with clean links.
    #[must_use]
    pub const fn new(network: Network) -> Self {
        Self {
            network,
            pairs: None,
            from: None,
            to: None,
            loss: Probability::ZERO,
            duplicate: Probability::ZERO,
            jitter_ms: 0,
            limit_s: 60,
        }
    }

    /// Whether all settings can be.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), FieldError> {
        check_range("pairs", self.pairs.unwrap_or(1).into(), 1, 1_000_000)?;
        check_range("jitter_ms", self.jitter_ms.into(), 0, 10_000)?;
        check_range("limit_s", self.limit_s.into(), 1, 1_000_000)?;
        for (field, name) in [("from", &self.from), ("to", &self.to)] {
            if let Some(name) = name
                && self.network.node(name).is_none()
            {
                let known: Vec<&str> = self.network.nodes.iter().map(|n| &*n.name).collect();
                let message = format!("expected one of {}, got `{name}`", known.join(", "));
                return Err(FieldError::new(field, message));
            }
        }
        if self.from.is_some() && self.from == self.to {
            let message = "expected another node than that of `from`";
            return Err(FieldError::new("to", message));
        }
        Ok(())
    }

    /// The pairs that are looked at, in order: consumer's node, producer's node.
    #[must_use]
    pub fn chosen(&self, seed: u64) -> Vec<(usize, usize)> {
        let wanted = |name: &Option<String>, node: usize| {
            name.as_ref()
                .is_none_or(|name| self.network.nodes[node].name == *name)
        };
        let nodes = self.network.nodes.len();
        let mut pairs: Vec<(usize, usize)> = (0..nodes)
            .flat_map(|to| (0..nodes).map(move |from| (from, to)))
            .filter(|(from, to)| from != to && wanted(&self.from, *from) && wanted(&self.to, *to))
            .collect();
        let count = self
            .pairs
            .map_or(pairs.len(), |count| pairs.len().min(count as usize));
        let mut rng = choices(seed);
        for place in 0..count {
            let left = u32::try_from(pairs.len() - place).unwrap_or(u32::MAX);
            pairs.swap(place, place + below(&mut rng, left) as usize);
        }
        pairs.truncate(count);
        pairs.sort_unstable();
        pairs
    }

    /// Looks at the pairs, `jobs` at a time; `tick` is called after each.
    pub fn run(&self, seed: u64, wire: bool, jobs: usize, tick: &(dyn Fn() + Sync)) -> Findings {
        let pairs = self.chosen(seed);
        let topology = self.topology();
        let grounds: Vec<Ground> = (0..topology.nodes.len())
            .map(|producer| {
                let wanted = pairs.iter().any(|(_, to)| *to == producer);
                Ground::new(&topology, producer, wanted)
            })
            .collect();
        let records = each(pairs.len(), jobs, &|number| {
            let (from, to) = pairs[number];
            let record = self.look(&grounds[to], from, to, seed, wire);
            tick();
            record
        });
        Findings::new(self, records.into_iter().flatten().collect(), pairs.len())
    }

    fn topology(&self) -> Topology {
        self.network.topology(|_, mut spec| {
            spec.loss = self.loss;
            spec.duplicate = self.duplicate;
            spec.jitter = Duration::from_millis(self.jitter_ms.into());
            spec
        })
    }

    /// One pair; `None` if there is no route.
    fn look(&self, ground: &Ground, from: usize, to: usize, seed: u64, wire: bool) -> Option<Pair> {
        let rtt = ground.round_trip(from)?;
        let result = run(&self.plan(from, to, seed, wire), &mut |_| true);
        let nodes = self.network.nodes.len();
        let found = Arcs::new(nodes, result.edges[0].iter().copied());
        let paths = found.disjoint_paths(from, to);
        let best = |arcs: &Arcs| arcs.disjoint_paths(from, to).len();
        let least = ground.least(from)?;
        let stretch: Vec<f64> = paths
            .iter()
            .map(|path| (path.len() - 1) as f64 / f64::from(least))
            .collect();
        let meter = &result.flows[0].meter;
        let rtts = |after: Option<Duration>| Some(after?.as_secs_f64() / rtt.as_secs_f64());
        Some(Pair {
            from,
            to,
            found: paths.len(),
            eligible: best(&ground.eligible),
            whole: best(&ground.whole),
            ecmp: best(&ground.ecmp),
            routes: found.count_paths(from, to),
            ecmp_routes: equal_cost_paths(&ground.topology, &ground.hops, from),
            stretch_mean: mean(&stretch),
            stretch_max: max(&stretch),
            probes: meter.probes,
            round_trip_ms: rtt.as_secs_f64() * 1e3,
            first_path_rtt: rtts(meter.first_path),
            converged_rtt: rtts(meter.discovered),
            failures: failures(&result),
            paths,
            edges: result.edges.into_iter().next().unwrap_or_default(),
        })
    }

    fn plan(&self, from: usize, to: usize, seed: u64, wire: bool) -> Plan {
        let topology = self.topology();
        let prefix = NameBuf::new().generic(topology.nodes[to].name.as_bytes());
        Plan {
            seed,
            topology,
            producers: vec![ProducerPlan {
                node: to,
                prefix,
                octets: 0,
            }],
            flows: vec![FlowPlan {
                node: from,
                producer: 0,
                start: Instant::ZERO,
                group: 0,
            }],
            queues: Vec::new(),
            chunk: 1_200,
            object: None,
            fetch: Fetch::Nothing,
            deploy: Deploy::Full,
            wire,
            rank_rule: RankRule::Enforced,
            detection: Duration::ZERO,
            watch_all: false,
            limit: Instant::from_secs(self.limit_s.into()),
        }
    }
}

fn failures(result: &RunResult) -> Vec<String> {
    let violation = result.violation.iter();
    let violation = violation.map(|violation| format!("at {:?}: {}", violation.at, violation.what));
    result
        .meter
        .faults
        .iter()
        .cloned()
        .chain(violation)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariant::Violation;

    /// Two ways of two links from `a` to `d`, a near and a far one, and one of three links.
    const WAYS: &str = "
        node a a 1 1
        node b b 1 2
        node c c 1 3
        node d d 1 4
        node e e 1 5
        node f f 1 6
        link a b 600
        link b d 600
        link a c 200
        link c d 200
        link a e 20
        link e f 20
        link f d 20";

    fn survey(from: &str, to: &str) -> Survey {
        Survey {
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
            ..Survey::new(Network::parse("ways", WAYS).unwrap())
        }
    }

    fn pair(from: &str, to: &str) -> Pair {
        let findings = survey(from, to).run(1, false, 1, &|| ());
        findings.pairs.into_iter().next().unwrap()
    }

    #[test]
    fn figures_of_a_pair_are_those_that_one_would_count() {
        let pair = pair("a", "d");
        assert_eq!((pair.from, pair.to), (0, 3));
        assert_eq!(
            (pair.found, pair.eligible, pair.whole, pair.ecmp),
            (3, 3, 3, 2)
        );
        assert_eq!((pair.routes, pair.ecmp_routes), (3, 2));
        assert!(close(pair.stretch_mean, (1.0 + 1.0 + 1.5) / 3.0));
        assert!(close(pair.stretch_max, 1.5));
        // The fewest links, and of those the fastest: 400 km there.
        assert!(close(pair.round_trip_ms, 4.0));
        assert_eq!(pair.failures, [""; 0]);
        assert!(!pair.has_less_than_ecmp());
    }

    #[test]
    fn a_fault_and_a_broken_invariant_are_failures() {
        let mut result = run(&survey("a", "d").plan(0, 3, 1, false), &mut |_| true);
        assert_eq!(failures(&result), [""; 0]);
        result.meter.faults.push("fault".to_owned());
        let what = "a cycle".to_owned();
        let at = Instant::ZERO;
        result.violation = Some(Violation { at, what });
        let told = failures(&result);
        assert_eq!(told.len(), 2);
        assert!(told[1].contains("a cycle"), "{told:?}");
    }

    #[test]
    fn fewer_paths_or_fewer_routes_are_less() {
        let pair = pair("a", "d");
        let paths = Pair {
            found: 1,
            ..pair.clone()
        };
        assert!(paths.has_less_than_ecmp());
        let routes = Pair { routes: 1, ..pair };
        assert!(routes.has_less_than_ecmp());
    }

    #[test]
    fn the_richest_has_most_paths_and_lies_farthest_apart() {
        let richest = |text: &str| {
            let survey = Survey::new(Network::parse("test", text).unwrap());
            let findings = survey.run(1, false, 1, &|| ());
            findings.richest().map(|pair| (pair.from, pair.to))
        };
        assert_eq!(richest(WAYS), Some((0, 3)));
        let line = "node a a 1 1\nnode b b 1 2\nnode c c 1 3\nlink a b 100\nlink b c 200";
        assert_eq!(richest(line), Some((0, 2)));
    }

    #[test]
    fn links_are_as_faulty_as_the_survey_says() {
        let faulty = Survey {
            loss: Probability::from_ratio(1, 10),
            duplicate: Probability::from_ratio(1, 5),
            jitter_ms: 7,
            ..survey("a", "d")
        };
        for link in faulty.topology().links {
            assert_eq!(link.spec.loss, faulty.loss);
            assert_eq!(link.spec.duplicate, faulty.duplicate);
            assert_eq!(link.spec.jitter, Duration::from_millis(7));
        }
    }

    #[test]
    fn pairs_are_drawn_from_all_over() {
        let chosen = |pairs, seed| {
            Survey {
                from: None,
                to: None,
                pairs,
                ..survey("a", "d")
            }
            .chosen(seed)
        };
        let all = chosen(None, 1);
        assert_eq!(all.len(), 6 * 5);
        let some = chosen(Some(5), 1);
        assert_eq!(some.len(), 5);
        assert!(some.is_sorted() && some.iter().all(|pair| all.contains(pair)));
        let drawn: std::collections::BTreeSet<_> =
            (1..100).flat_map(|seed| chosen(Some(5), seed)).collect();
        assert_eq!(drawn.len(), all.len());
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }
}
