//! Sums over runs of discovery.

use serde::Serialize;

use super::One;

/// Sums over runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Runs.
    pub runs: u64,
    /// Consumers with a route to the producer.
    pub consumers: u64,
    /// Runs in which a cycle was seen at any time.
    pub runs_with_cycles: u64,
    /// Times that a change closed a cycle.
    pub cycles: u64,
    /// Valid upstreams that were not strictly closer to the producer.
    pub disorders: u64,
    /// Consumers with a route that found no path.
    pub unserved: u64,
    /// Consumers with a route whose discovery did not converge.
    pub unconverged: u64,
    /// Discovery Interests that consumers sent.
    pub probes: u64,
    /// Most of them by one consumer.
    pub probes_max: u64,
    /// Paths found: valid upstream links at the consumers' nodes.
    pub paths: u64,
    /// Interests that met a node twice during discovery.
    pub revisits: u64,
    /// Interests that met a node twice after it.
    pub looped: u64,
    /// Faults of host or machine.
    pub faults: u64,
    /// The first seed with a cycle.
    pub first_cycle_seed: Option<u64>,
    /// The first seed with an unserved consumer.
    pub first_unserved_seed: Option<u64>,
    /// The first fault, in words.
    pub first_fault: Option<String>,
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, one: &One) {
        let result = &one.result;
        self.runs += 1;
        self.runs_with_cycles += u64::from(result.cycles > 0);
        self.cycles += result.cycles;
        self.disorders += result.disorders;
        if result.cycles > 0 {
            self.first_cycle_seed.get_or_insert(result.seed);
        }
        for (flow, routed) in result.flows.iter().zip(&one.routed) {
            self.consumers += u64::from(*routed);
            self.probes += flow.meter.probes;
            self.probes_max = self.probes_max.max(flow.meter.probes);
            self.paths += flow.paths as u64;
            if *routed && (flow.meter.first_path.is_none() || flow.paths == 0) {
                self.unserved += 1;
                self.first_unserved_seed.get_or_insert(result.seed);
            }
            self.unconverged += u64::from(*routed && flow.meter.discovered.is_none());
        }
        for dest in &result.meter.dests {
            self.revisits += dest.revisits;
            self.looped += dest.looped;
        }
        self.faults += result.meter.faults.len() as u64;
        if self.first_fault.is_none() {
            self.first_fault = result.meter.faults.first().cloned();
        }
    }

    /// Of one run.
    #[must_use]
    pub fn of(one: &One) -> Self {
        let mut tally = Self::default();
        tally.add(one);
        tally
    }

    /// The sums of both; `self` came first.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            runs: self.runs + later.runs,
            consumers: self.consumers + later.consumers,
            runs_with_cycles: self.runs_with_cycles + later.runs_with_cycles,
            cycles: self.cycles + later.cycles,
            disorders: self.disorders + later.disorders,
            unserved: self.unserved + later.unserved,
            unconverged: self.unconverged + later.unconverged,
            probes: self.probes + later.probes,
            probes_max: self.probes_max.max(later.probes_max),
            paths: self.paths + later.paths,
            revisits: self.revisits + later.revisits,
            looped: self.looped + later.looped,
            faults: self.faults + later.faults,
            first_cycle_seed: self.first_cycle_seed.or(later.first_cycle_seed),
            first_unserved_seed: self.first_unserved_seed.or(later.first_unserved_seed),
            first_fault: self.first_fault.or(later.first_fault),
        }
    }

    /// Discovery Interests per consumer.
    #[must_use]
    pub fn probes_mean(&self) -> f64 {
        self.probes as f64 / self.consumers.max(1) as f64
    }

    /// Paths per consumer.
    #[must_use]
    pub fn paths_mean(&self) -> f64 {
        self.paths as f64 / self.consumers.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use mars_forwarder_core::RankRule;

    use super::super::Discover;
    use super::*;
    use crate::topology::Shape;
    use crate::units::Span;

    /// A run of the triangle, marred in every way that is counted.
    fn marred(seed: u64) -> One {
        let discover = Discover {
            topology: Shape::Triangle,
            consumers: Span::one(3),
            ..Discover::default()
        };
        let mut one = discover.run_one(seed, false, RankRule::Enforced);
        (one.result.cycles, one.result.disorders) = (seed, 2 * seed);
        one.result.meter.faults = vec![format!("fault of {seed}")];
        one.result.meter.dests[0].revisits = 3;
        one.result.meter.dests[0].looped = 4;
        one.result.flows[0].meter.first_path = None;
        one.result.flows[1].meter.discovered = None;
        one.result.flows[2].meter.discovered = None;
        one
    }

    #[test]
    fn what_goes_wrong_is_counted() {
        let tally = Tally::of(&marred(5));
        assert_eq!((tally.runs, tally.consumers), (1, 3));
        assert_eq!((tally.unserved, tally.unconverged), (1, 2));
        assert_eq!((tally.cycles, tally.disorders), (5, 10));
        assert_eq!((tally.revisits, tally.looped, tally.faults), (3, 4, 1));
        assert_eq!(tally.first_cycle_seed, Some(5));
        assert_eq!(tally.first_unserved_seed, Some(5));
        assert_eq!(tally.first_fault.as_deref(), Some("fault of 5"));
    }

    #[test]
    fn a_consumer_without_a_route_cannot_be_unserved() {
        let mut one = marred(5);
        one.routed = vec![false; 3];
        let tally = Tally::of(&one);
        assert_eq!(tally.consumers, 0);
        assert_eq!((tally.unserved, tally.unconverged), (0, 0));
    }

    #[test]
    fn sums_of_tallies_are_the_tally_of_all() {
        let mut tally = Tally::default();
        tally.add(&marred(5));
        tally.add(&marred(6));
        assert_eq!(tally, Tally::of(&marred(5)).and(Tally::of(&marred(6))));
        assert_eq!((tally.runs_with_cycles, tally.disorders), (2, 22));
    }
}
