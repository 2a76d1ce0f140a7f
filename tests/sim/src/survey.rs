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

use std::time::Duration;

use mars_forwarder_core::{Config, RankRule, Theta};
use mars_time::Instant;
use mars_wire::NameBuf;
use petgraph::algo::dijkstra;
use petgraph::graph::{NodeIndex, UnGraph};
use serde::Serialize;

use crate::campaign::each;
use crate::disjoint::Arcs;
use crate::network::Network;
use crate::plan::{Deploy, Fetch, FieldError, FlowPlan, Plan, ProducerPlan, check_range};
use crate::routing::{NextHop, equal_cost_paths, next_hops};
use crate::run::{RunResult, run};
use crate::stats::{max, mean};
use crate::topology::{Port, Topology};
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

/// What there is to be found towards one producer.
struct Ground {
    topology: Topology,
    hops: Vec<Vec<NextHop>>,
    eligible: Arcs,
    whole: Arcs,
    ecmp: Arcs,
    /// Per node links and delay to the producer over the fastest of the shortest paths.
    shortest: Vec<Option<(u32, Duration)>>,
}

impl Ground {
    fn new(topology: &Topology, producer: usize, wanted: bool) -> Self {
        let nodes = topology.nodes.len();
        let ports = topology.ports();
        let hops = if wanted {
            next_hops(topology, producer)
        } else {
            vec![Vec::new(); nodes]
        };
        let theta = Config::new(0).theta;
        let arcs =
            |admits: &dyn Fn(u32, u32) -> bool| Arcs::new(nodes, admitted(&hops, &ports, admits));
        let links = topology.links.iter().map(|link| link.ends);
        Self {
            topology: topology.clone(),
            eligible: arcs(&|hops, least| admits(theta, hops, least)),
            ecmp: arcs(&|hops, least| hops == least),
            whole: Arcs::new(nodes, links.flat_map(|[a, b]| [(a, b), (b, a)])),
            shortest: shortest(topology, producer),
            hops,
        }
    }

    fn least(&self, node: usize) -> Option<u32> {
        self.shortest[node].map(|(links, _)| links)
    }

    fn round_trip(&self, node: usize) -> Option<Duration> {
        self.shortest[node].map(|(_, delay)| delay * 2)
    }
}

/// `hops <= theta * least`.
fn admits(theta: Theta, hops: u32, least: u32) -> bool {
    u64::from(hops) * u64::from(theta.denominator) <= u64::from(least) * u64::from(theta.numerator)
}

/// The arcs to those next hops of each node that `admits` takes, given their hops and the least.
fn admitted(
    hops: &[Vec<NextHop>],
    ports: &[Vec<Port>],
    admits: &dyn Fn(u32, u32) -> bool,
) -> Vec<(usize, usize)> {
    let mut arcs = Vec::new();
    for (node, hops) in hops.iter().enumerate() {
        let least = hops.iter().map(|hop| hop.hops).min().unwrap_or(0);
        let taken = hops.iter().filter(|hop| admits(hop.hops, least));
        arcs.extend(taken.map(|hop| (node, ports[node][hop.port].peer)));
    }
    arcs
}

/// Per node links and delay to `producer` over the fastest of the paths with the fewest links.
fn shortest(topology: &Topology, producer: usize) -> Vec<Option<(u32, Duration)>> {
    /// Longer than any delay, in nanoseconds.
    const LINK: u64 = 1 << 48;
    let mut graph = UnGraph::<(), u64>::default();
    let nodes: Vec<NodeIndex> = topology.nodes.iter().map(|_| graph.add_node(())).collect();
    for link in &topology.links {
        let [a, b] = link.ends.map(|end| nodes[end]);
        let nanos = u64::try_from(link.spec.delay.as_nanos()).unwrap_or(u64::MAX);
        graph.add_edge(a, b, LINK + nanos.min(LINK >> 8));
    }
    let cost = dijkstra(&graph, nodes[producer], None, |edge| *edge.weight());
    let split = |cost: &u64| {
        let links = u32::try_from(cost / LINK).unwrap_or(u32::MAX);
        (links, Duration::from_nanos(cost % LINK))
    };
    nodes.iter().map(|node| cost.get(node).map(split)).collect()
}

/// What was found between two nodes, and what there is.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The consumer's node.
    pub from: usize,
    /// The producer's node.
    pub to: usize,
    /// Edge-disjoint paths in what was found.
    pub found: usize,
    /// In the arcs that theta makes eligible.
    pub eligible: usize,
    /// In the whole network.
    pub whole: usize,
    /// In the equal-cost shortest paths.
    pub ecmp: usize,
    /// Different paths in what was found.
    pub routes: u64,
    /// Different equal-cost shortest paths.
    pub ecmp_routes: u64,
    /// Mean length of the disjoint paths, in links, over that of the shortest.
    pub stretch_mean: f64,
    /// The greatest.
    pub stretch_max: f64,
    /// Discovery Interests that the consumer sent.
    pub probes: u64,
    /// Propagation there and back over the fastest of the shortest paths.
    pub round_trip_ms: f64,
    /// When the first path was found, in such round trips.
    pub first_path_rtt: Option<f64>,
    /// When discovery had converged.
    pub converged_rtt: Option<f64>,
    /// Faults of the host or of a machine, and what broke the invariants.
    pub failures: Vec<String>,
    /// The disjoint paths, as nodes from consumer to producer.
    pub paths: Vec<Vec<usize>>,
    /// All valid upstreams: node, upstream.
    pub edges: Vec<(usize, usize)>,
}

impl Pair {
    /// Share of the eligible paths that was found.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.found as f64 / self.eligible.max(1) as f64
    }

    /// Whether equal-cost multipath would have had more disjoint paths, or more routes.
    #[must_use]
    pub const fn has_less_than_ecmp(&self) -> bool {
        self.found < self.ecmp || self.routes < self.ecmp_routes
    }
}

/// What a survey of a network found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The network.
    pub network: Network,
    /// Its pairs that have a route.
    pub pairs: Vec<Pair>,
    /// Figures over them.
    pub summary: Summary,
}

/// Figures over the pairs of a network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Nodes of the network.
    pub nodes: usize,
    /// Its links.
    pub links: usize,
    /// Pairs that have a route.
    pub pairs: usize,
    /// Pairs that have none.
    pub pairs_without_route: usize,
    /// Pairs for which no path was found.
    pub unserved: usize,
    /// Pairs for which discovery did not converge.
    pub unconverged: usize,
    /// Edge-disjoint paths found, mean.
    pub found_mean: f64,
    /// Those in the eligible arcs, mean.
    pub eligible_mean: f64,
    /// Those in the whole network, mean.
    pub whole_mean: f64,
    /// Those of equal-cost multipath, mean.
    pub ecmp_mean: f64,
    /// Routes of equal-cost multipath, mean.
    pub ecmp_routes_mean: f64,
    /// Found over eligible, mean over pairs.
    pub found_over_eligible_mean: f64,
    /// The least.
    pub found_over_eligible_min: f64,
    /// Found over the whole network, mean over pairs.
    pub found_over_whole_mean: f64,
    /// The least.
    pub found_over_whole_min: f64,
    /// Pairs with fewer disjoint paths or routes than equal-cost multipath.
    pub fewer_than_ecmp: usize,
    /// Length of disjoint paths over that of the shortest, mean over pairs of their mean.
    pub stretch_mean: f64,
    /// The greatest of any path.
    pub stretch_max: f64,
    /// Discovery Interests per consumer, mean.
    pub probes_mean: f64,
    /// The most.
    pub probes_max: u64,
    /// First path after so many round trips, mean.
    pub first_path_rtt_mean: f64,
    /// The latest.
    pub first_path_rtt_max: f64,
    /// Convergence after so many round trips, mean.
    pub converged_rtt_mean: f64,
    /// The latest.
    pub converged_rtt_max: f64,
    /// Pairs with a fault of host or machine, or a broken invariant.
    pub failed: usize,
}

impl Findings {
    fn new(survey: &Survey, pairs: Vec<Pair>, asked: usize) -> Self {
        let all = |value: &dyn Fn(&Pair) -> f64| pairs.iter().map(value).collect::<Vec<f64>>();
        let some = |value: &dyn Fn(&Pair) -> Option<f64>| {
            pairs.iter().filter_map(value).collect::<Vec<f64>>()
        };
        let least = |values: Vec<f64>| values.into_iter().reduce(f64::min).unwrap_or(0.0);
        let count = |what: &dyn Fn(&Pair) -> bool| pairs.iter().filter(|pair| what(pair)).count();
        let of_whole = |pair: &Pair| pair.found as f64 / pair.whole.max(1) as f64;
        let summary = Summary {
            nodes: survey.network.nodes.len(),
            links: survey.network.links.len(),
            pairs: pairs.len(),
            pairs_without_route: asked - pairs.len(),
            unserved: count(&|pair| pair.found == 0),
            unconverged: count(&|pair| pair.converged_rtt.is_none()),
            found_mean: mean(&all(&|pair| pair.found as f64)),
            eligible_mean: mean(&all(&|pair| pair.eligible as f64)),
            whole_mean: mean(&all(&|pair| pair.whole as f64)),
            ecmp_mean: mean(&all(&|pair| pair.ecmp as f64)),
            ecmp_routes_mean: mean(&all(&|pair| pair.ecmp_routes as f64)),
            found_over_eligible_mean: mean(&all(&Pair::share)),
            found_over_eligible_min: least(all(&Pair::share)),
            found_over_whole_mean: mean(&all(&of_whole)),
            found_over_whole_min: least(all(&of_whole)),
            fewer_than_ecmp: count(&Pair::has_less_than_ecmp),
            stretch_mean: mean(&all(&|pair| pair.stretch_mean)),
            stretch_max: max(&all(&|pair| pair.stretch_max)),
            probes_mean: mean(&all(&|pair| pair.probes as f64)),
            probes_max: pairs.iter().map(|pair| pair.probes).max().unwrap_or(0),
            first_path_rtt_mean: mean(&some(&|pair| pair.first_path_rtt)),
            first_path_rtt_max: max(&some(&|pair| pair.first_path_rtt)),
            converged_rtt_mean: mean(&some(&|pair| pair.converged_rtt)),
            converged_rtt_max: max(&some(&|pair| pair.converged_rtt)),
            failed: count(&|pair| !pair.failures.is_empty()),
        };
        Self {
            network: survey.network.clone(),
            pairs,
            summary,
        }
    }

    /// The pair with the most disjoint paths, and of those the one farthest apart: worth a picture.
    #[must_use]
    pub fn richest(&self) -> Option<&Pair> {
        self.pairs.iter().rev().max_by(|a, b| {
            let far = |pair: &Pair| pair.round_trip_ms;
            a.found.cmp(&b.found).then(far(a).total_cmp(&far(b)))
        })
    }
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
