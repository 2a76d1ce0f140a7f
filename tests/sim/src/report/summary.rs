//! Figures from runs, as JSON has them. Two runs of one scenario differ in speed figures only.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::plan::{Plan, System};
use crate::run::{FlowResult, RunResult};
use crate::stats::{jain, max, median, min, quantile};

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Header {
    /// What it is called.
    pub name: String,
    /// Its settings, for people.
    pub settings: BTreeMap<&'static str, String>,
    /// The least time in which the largest group could be served, in seconds; zero if unknown.
    pub wire_limit_s: f64,
    /// The least number of routes that plain shortest-path routing gives a fetch.
    pub shortest_path_routes: u64,
}

/// All that JSON holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// What was run.
    #[serde(flatten)]
    pub header: Header,
    /// Per system.
    pub systems: Vec<SystemSummary>,
}

/// A system over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemSummary {
    /// Which.
    pub name: &'static str,
    /// Greatest 95th percentile of completion times over the seeds, seconds.
    pub p95_fct_s_max: f64,
    /// Median of the same.
    pub p95_fct_s_median: f64,
    /// The greatest, in wire limits; zero if there is none.
    pub p95_fct_over_limit: f64,
    /// Least Jain index of goodput within a group.
    pub jain_min: f64,
    /// Median of the same over groups and seeds.
    pub jain_median: f64,
    /// Least number of different first links in the valid upstreams of a fetch.
    pub paths_min: usize,
    /// Least number of links of a server that carried at least a hundredth of its octets.
    pub links_used_min: usize,
    /// Longest time from start to the first data Interest, seconds.
    pub discovery_startup_s_max: f64,
    /// Its greatest share in a completion time.
    pub discovery_share_of_fct_max: f64,
    /// Longest time until discovery had converged, seconds.
    pub discovery_converged_s_max: f64,
    /// Changes after which a node was on a cycle of the forwarding graph.
    pub forwarding_cycles: u64,
    /// Those, and Interests that met a node twice once discovery was quiet.
    pub looped_interests: u64,
    /// Interests that met a node twice while discovery was going on.
    pub revisits_during_discovery: u64,
    /// Largest discovery Interest on the wire, octets.
    pub interest_bytes_max: u32,
    /// Largest discovery Data.
    pub data_bytes_max: u32,
    /// Largest Nack of a discovery Interest.
    pub nack_bytes_max: u32,
    /// Packets dropped at the tail of a queue.
    pub tail_drops: u64,
    /// Packets lost on links, outages included.
    pub losses: u64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Runs in which something went wrong.
    pub failed_runs: usize,
    /// Per seed.
    pub runs: Vec<RunRecord>,
    /// Speed figure: packets that crossed a link per second of real time.
    pub events_per_s: f64,
    /// Speed figure: real time of all runs, seconds.
    pub wall_s: f64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// Its seed.
    pub seed: u64,
    /// 95th percentile of completion times, seconds.
    pub p95_fct_s: f64,
    /// Per group, Jain index of goodput.
    pub jain: Vec<f64>,
    /// What went wrong.
    pub failures: Vec<String>,
    /// What forwarders dropped or refused, by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Per fetch.
    pub flows: Vec<FlowRecord>,
}

/// One fetch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRecord {
    /// Where its consumer is.
    pub at: String,
    /// Where its producer is.
    pub from: String,
    /// Its group.
    pub group: usize,
    /// When it started, seconds.
    pub start_s: f64,
    /// How long it took, seconds; `None`: it did not complete.
    pub fct_s: Option<f64>,
    /// Octets delivered.
    pub octets: u64,
    /// Time to the first data Interest, seconds.
    pub startup_s: Option<f64>,
    /// Time until discovery had converged, seconds.
    pub converged_s: Option<f64>,
    /// Discovery Interests sent by the consumer.
    pub probes: u64,
    /// Data Interests sent by the consumer, retransmissions included.
    pub interests: u64,
    /// Different first links in its valid upstreams at the end.
    pub paths: usize,
}

impl SystemSummary {
    /// Over the runs of a system; `plan` is that of any seed, `limit` the wire limit if known.
    #[must_use]
    pub fn new(system: System, plan: &Plan, limit: Duration, results: &[RunResult]) -> Self {
        let runs: Vec<RunRecord> = results
            .iter()
            .map(|run| RunRecord::new(plan, run))
            .collect();
        let p95: Vec<f64> = runs.iter().map(|run| run.p95_fct_s).collect();
        let jains: Vec<f64> = runs.iter().flat_map(|run| run.jain.clone()).collect();
        let flows: Vec<&FlowResult> = results.iter().flat_map(|run| &run.flows).collect();
        let over = |f: &dyn Fn(&FlowResult) -> Option<f64>| -> Vec<f64> {
            flows.iter().filter_map(|flow| f(flow)).collect()
        };
        let dests = || results.iter().flat_map(|run| &run.meter.dests);
        let cycles = results.iter().map(|run| run.cycles).sum();
        let wall: f64 = results.iter().map(|run| run.wall.as_secs_f64()).sum();
        let hops: u64 = results.iter().map(|run| run.hops).sum();
        let largest = |f: fn(&RunResult) -> u32| results.iter().map(f).max().unwrap_or(0);
        Self {
            name: system.name(),
            p95_fct_s_max: max(&p95),
            p95_fct_s_median: median(&p95),
            p95_fct_over_limit: ratio(max(&p95), limit.as_secs_f64()),
            jain_min: min(&jains),
            jain_median: median(&jains),
            paths_min: flows.iter().map(|flow| flow.paths).min().unwrap_or(0),
            links_used_min: results
                .iter()
                .flat_map(|run| run.links_used.iter().copied())
                .min()
                .unwrap_or(0),
            discovery_startup_s_max: max(&over(&startup)),
            discovery_share_of_fct_max: max(&over(&|flow| {
                Some(ratio(startup(flow)?, flow.meter.completed?.as_secs_f64()))
            })),
            discovery_converged_s_max: max(&over(&|flow| {
                flow.meter.discovered.map(|span| span.as_secs_f64())
            })),
            forwarding_cycles: cycles,
            looped_interests: cycles + dests().map(|dest| dest.looped).sum::<u64>(),
            revisits_during_discovery: dests().map(|dest| dest.revisits).sum(),
            interest_bytes_max: largest(|run| run.meter.sizes.interest),
            data_bytes_max: largest(|run| run.meter.sizes.data),
            nack_bytes_max: largest(|run| run.meter.sizes.nack),
            tail_drops: results.iter().map(|run| run.links.tail_drops).sum(),
            losses: results
                .iter()
                .map(|run| run.links.losses + run.links.down_losses)
                .sum(),
            packet_hops: hops,
            failed_runs: runs.iter().filter(|run| !run.failures.is_empty()).count(),
            runs,
            events_per_s: ratio(hops as f64, wall),
            wall_s: wall,
        }
    }
}

impl RunRecord {
    fn new(plan: &Plan, run: &RunResult) -> Self {
        let groups = run
            .flows
            .iter()
            .map(|flow| flow.group + 1)
            .max()
            .unwrap_or(0);
        let goodputs = |group: usize| -> Vec<f64> {
            let flows = run.flows.iter().filter(|flow| flow.group == group);
            flows.map(|flow| goodput(flow, run)).collect()
        };
        let present = |group: &usize| run.flows.iter().any(|flow| flow.group == *group);
        let times: Vec<f64> = run.flows.iter().map(|flow| time_taken(flow, run)).collect();
        Self {
            seed: run.seed,
            p95_fct_s: quantile(&times, 0.95),
            jain: (0..groups)
                .filter(present)
                .map(|group| jain(&goodputs(group)))
                .collect(),
            failures: run.failures(),
            drops: run.meter.drops.clone(),
            flows: run
                .flows
                .iter()
                .zip(&plan.flows)
                .map(|(flow, at)| {
                    let node = |number: usize| plan.topology.nodes[number].name.clone();
                    FlowRecord {
                        at: node(at.node),
                        from: node(plan.producers[at.producer].node),
                        group: flow.group,
                        start_s: flow.meter.start.since_epoch().as_secs_f64(),
                        fct_s: flow.meter.completed.map(|span| span.as_secs_f64()),
                        octets: flow.meter.octets,
                        startup_s: startup(flow),
                        converged_s: flow.meter.discovered.map(|span| span.as_secs_f64()),
                        probes: flow.meter.probes,
                        interests: flow.meter.interests,
                        paths: flow.paths,
                    }
                })
                .collect(),
        }
    }
}

/// Completion time; what did not complete counts until the end of the run.
fn time_taken(flow: &FlowResult, run: &RunResult) -> f64 {
    let so_far = run.ended.saturating_duration_since(flow.meter.start);
    flow.meter.completed.unwrap_or(so_far).as_secs_f64()
}

fn goodput(flow: &FlowResult, run: &RunResult) -> f64 {
    ratio(flow.meter.octets as f64, time_taken(flow, run))
}

fn startup(flow: &FlowResult) -> Option<f64> {
    let first = flow.meter.first_data_interest?;
    Some(
        first
            .saturating_duration_since(flow.meter.start)
            .as_secs_f64(),
    )
}

fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}
