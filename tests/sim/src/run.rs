//! One run of a plan, and what came out of it.

use std::time::Duration;

use mars_time::Instant;

use crate::build::build;
use crate::engine::Engine;
use crate::host::MarsHost;
use crate::invariant::{Violation, Watch};
use crate::link::LinkCounters;
use crate::meter::{FlowMeter, Meter};
use crate::plan::{Fetch, Plan};
use crate::topology::Port;

/// Between two samples of goodput and queues.
pub const SAMPLE: Duration = Duration::from_millis(50);

/// A fetch as it went.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowResult {
    /// What was measured on the way.
    pub meter: FlowMeter,
    /// Its group.
    pub group: usize,
    /// Different links in the valid upstreams of its dest at its node when it was over.
    pub paths: usize,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its seed.
    pub seed: u64,
    /// Per flow.
    pub flows: Vec<FlowResult>,
    /// All else that was measured.
    pub meter: Meter,
    /// Changes of a node's valid upstreams after which it was on a cycle.
    pub cycles: u64,
    /// Valid upstreams that were not closer to the producer than the node itself.
    pub disorders: u64,
    /// The first of either.
    pub violation: Option<Violation>,
    /// Per server, the links that carried at least a hundredth of what it got.
    pub links_used: Vec<usize>,
    /// Frames that crossed a link.
    pub hops: u64,
    /// Simulated time.
    pub ended: Instant,
    /// Per flow, octets delivered in each span of [`SAMPLE`].
    pub goodput: Vec<Vec<u64>>,
    /// Per drawn queue, frames that waited at the end of each span.
    pub queues: Vec<Vec<usize>>,
    /// Per flow the valid upstream edges of its dest when it was over: node, upstream.
    pub edges: Vec<Vec<(usize, usize)>>,
    /// Sums over all links.
    pub links: LinkCounters,
    /// Processor time that the run took, for speed figures only.
    pub wall: Duration,
}

impl RunResult {
    /// Why the run did not do what it should; nothing if it did.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.meter.faults.clone();
        for (number, flow) in self.flows.iter().enumerate() {
            let meter = &flow.meter;
            match (&meter.gave_up, meter.completed, meter.verified) {
                (Some(reason), ..) => failures.push(format!("flow {number} gave up: {reason}")),
                (None, None, _) => failures.push(format!("flow {number} did not end")),
                (None, Some(_), Some(false)) => {
                    failures.push(format!("flow {number}: the SHA-256 digest differs"));
                }
                (None, Some(_), Some(true) | None) => {}
            }
        }
        if let Some(violation) = &self.violation {
            failures.push(format!("at {:?}: {}", violation.at, violation.what));
        }
        failures
    }
}

/// Runs a plan. `progress` is told the share that is done, from 0 to 1, and may say stop (false).
pub fn run(plan: &Plan, progress: &mut dyn FnMut(f64) -> bool) -> RunResult {
    let clock = Stopwatch::start();
    let mut runner = Runner::new(plan);
    while !runner.is_over() {
        runner.advance();
        if !progress(runner.share()) {
            break;
        }
    }
    runner.finish(clock.elapsed())
}

struct Runner<'a> {
    plan: &'a Plan,
    ports: Vec<Vec<Port>>,
    engine: Engine<MarsHost>,
    watch: Watch,
    delivered: Vec<u64>,
    goodput: Vec<Vec<u64>>,
    queues: Vec<Vec<usize>>,
    paths: Vec<Option<usize>>,
    edges: Vec<Vec<(usize, usize)>>,
}

impl<'a> Runner<'a> {
    fn new(plan: &'a Plan) -> Self {
        let flows = plan.flows.len();
        Self {
            plan,
            ports: plan.topology.ports(),
            engine: build(plan),
            watch: Watch::new(plan.producers.len(), plan.topology.nodes.len()),
            delivered: vec![0; flows],
            goodput: vec![Vec::new(); flows],
            queues: vec![Vec::new(); plan.queues.len()],
            paths: vec![None; flows],
            edges: vec![Vec::new(); flows],
        }
    }

    fn is_over(&self) -> bool {
        self.engine.now() >= self.plan.limit || self.paths.iter().all(Option::is_some)
    }

    fn share(&self) -> f64 {
        if self.plan.fetch == Fetch::Nothing {
            let over = self.paths.iter().filter(|paths| paths.is_some()).count();
            return over as f64 / self.paths.len().max(1) as f64;
        }
        let producers = &self.plan.producers;
        let flows = &self.plan.flows;
        let wanted: u64 = flows.iter().map(|f| producers[f.producer].octets).sum();
        self.delivered.iter().sum::<u64>() as f64 / wanted.max(1) as f64
    }

    /// Lets one span between two samples happen.
    fn advance(&mut self) {
        let end = self.engine.now() + SAMPLE;
        while let Some(node) = self.engine.step(end) {
            if self.plan.watch_all {
                self.look(node);
            }
            while let Some(node) = self.engine.shared.changed.pop() {
                self.look(node as usize);
            }
        }
        self.engine.run_until(end);
        self.sample();
    }

    fn look(&mut self, node: usize) {
        for (number, producer) in self.plan.producers.iter().enumerate() {
            let dest = producer.prefix.as_name();
            self.watch
                .look(&self.engine, &self.ports, node, number, dest);
        }
    }

    fn sample(&mut self) {
        for (number, flow) in self.engine.shared.flows.iter().enumerate() {
            self.goodput[number].push(flow.octets - self.delivered[number]);
            self.delivered[number] = flow.octets;
        }
        for (series, queue) in self.queues.iter_mut().zip(&self.plan.queues) {
            series.push(self.engine.waiting(queue.node, queue.port));
        }
        for number in 0..self.paths.len() {
            if self.paths[number].is_none() && self.is_flow_over(number) {
                self.close(number);
            }
        }
    }

    fn is_flow_over(&self, number: usize) -> bool {
        let flow = &self.engine.shared.flows[number];
        flow.is_over() || (self.plan.fetch == Fetch::Nothing && flow.discovered.is_some())
    }

    /// Notes the paths of a flow.
    fn close(&mut self, number: usize) {
        let flow = self.plan.flows[number];
        let dest = self.plan.producers[flow.producer].prefix.as_name();
        let paths = match &self.engine.hosts()[flow.node] {
            MarsHost::Forwarder(node) => node.forwarder().dest(dest).map_or(0, |view| {
                let mut ports: Vec<usize> = view
                    .valid_upstreams()
                    .filter_map(|upstream| node.port_of(upstream.face))
                    .collect();
                ports.sort_unstable();
                ports.dedup();
                ports.len()
            }),
            MarsHost::Router(_) | MarsHost::Bare(_) => 0,
        };
        self.paths[number] = Some(paths);
        let graph = self.watch.graph(flow.producer);
        self.edges[number] = (0..self.ports.len())
            .flat_map(|node| graph.upstreams(node).iter().map(move |up| (node, *up)))
            .collect();
    }

    fn finish(mut self, wall: Duration) -> RunResult {
        for number in 0..self.paths.len() {
            if self.paths[number].is_none() {
                self.close(number);
            }
        }
        let flows = self
            .engine
            .shared
            .flows
            .iter()
            .zip(&self.plan.flows)
            .zip(&self.paths)
            .map(|((meter, plan), paths)| FlowResult {
                meter: meter.clone(),
                group: plan.group,
                paths: paths.unwrap_or(0),
            })
            .collect();
        RunResult {
            seed: self.plan.seed,
            flows,
            cycles: self.watch.cycles(),
            disorders: self.watch.disorders(),
            violation: self.watch.first().cloned(),
            links_used: self.links_used(),
            hops: self.engine.hops(),
            ended: self.engine.now(),
            links: self.link_sums(),
            meter: self.engine.shared,
            goodput: self.goodput,
            queues: self.queues,
            edges: self.edges,
            wall,
        }
    }

    fn links_used(&self) -> Vec<usize> {
        let mut servers: Vec<usize> = self.plan.flows.iter().map(|flow| flow.node).collect();
        servers.sort_unstable();
        servers.dedup();
        servers
            .into_iter()
            .map(|server| {
                let octets = |port: &Port| {
                    let back = self.ports[port.peer]
                        .iter()
                        .position(|p| p.link == port.link);
                    back.map_or(0, |back| self.engine.counters(port.peer, back).octets)
                };
                let carried: Vec<u64> = self.ports[server].iter().map(octets).collect();
                let all: u64 = carried.iter().sum();
                carried
                    .iter()
                    .filter(|octets| **octets * 100 >= all.max(1))
                    .count()
            })
            .collect()
    }

    fn link_sums(&self) -> LinkCounters {
        let mut sums = LinkCounters::default();
        for (node, ports) in self.ports.iter().enumerate() {
            for port in 0..ports.len() {
                let one = self.engine.counters(node, port);
                sums.offered += one.offered;
                sums.arrived += one.arrived;
                sums.octets += one.octets;
                sums.tail_drops += one.tail_drops;
                sums.losses += one.losses;
                sums.down_losses += one.down_losses;
                sums.queue_max = sums.queue_max.max(one.queue_max);
            }
        }
        sums
    }
}

/// Real time, for speed figures and nothing else.
struct Stopwatch(std::time::Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "measures the simulator, not the simulated"
    )]
    fn start() -> Self {
        Self(std::time::Instant::now())
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
