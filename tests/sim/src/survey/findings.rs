//! What was found, pair by pair and over all of them.

use serde::Serialize;

use super::Survey;
use crate::network::Network;
use crate::stats::{max, mean};

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
    pub(super) fn new(survey: &Survey, pairs: Vec<Pair>, asked: usize) -> Self {
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
