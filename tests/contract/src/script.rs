//! Schedules of inputs.

use core::fmt;
use core::time::Duration;

use mars_time::Instant;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use crate::Machine;
use crate::run::Run;

/// Longest script, in inputs.
const LENGTH: usize = 160;

/// A seed for the machine, and inputs at times that never fall.
#[derive(Clone)]
pub struct Script<M: Machine> {
    /// Seed of the machine, and of what a property decides by lot.
    pub seed: u64,
    /// The inputs in order.
    pub steps: Vec<(Instant, M::Input)>,
}

impl<M: Machine> Script<M> {
    /// Random scripts: the prelude, then random inputs at random gaps, aimed.
    pub fn strategy() -> impl Strategy<Value = Self> {
        (any::<u64>(), vec((gap(), M::inputs()), 0..LENGTH))
            .prop_map(|(seed, inputs)| Self::rehearsed(seed, inputs))
    }

    /// Plays the inputs once to a machine so as to aim each at what it has sent before.
    fn rehearsed(seed: u64, inputs: Vec<(Duration, M::Input)>) -> Self {
        let prelude = M::prelude().into_iter().map(|input| (Instant::ZERO, input));
        let mut steps: Vec<_> = prelude.collect();
        let mut run = Run::<M>::new(seed);
        for (at, input) in &steps {
            let _ = run.input(*at, input);
        }
        let mut at = Instant::ZERO;
        let mut open = Vec::new();
        let mut known = 0;
        for (gap, input) in inputs {
            at += gap;
            run.wake_before(at);
            let outputs = run.log.seen();
            open.extend_from_slice(outputs.get(known..).unwrap_or_default());
            known = outputs.len();
            let input = M::aim(input, &mut open);
            let _ = run.input(at, &input);
            steps.push((at, input));
        }
        Self { seed, steps }
    }
}

impl<M: Machine> fmt::Debug for Script<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for (at, input) in &self.steps {
            writeln!(f, "{at:?}: {input:?}")?;
        }
        Ok(())
    }
}

/// Time between two inputs: often none, mostly short, sometimes longer than any timer, at times up
/// to the end of all time.
fn gap() -> impl Strategy<Value = Duration> {
    prop_oneof![
        100 => Just(Duration::ZERO),
        50 => (0..2_000_u64).prop_map(Duration::from_nanos),
        150 => (0..1_000_u64).prop_map(Duration::from_micros),
        150 => (0..60_u64).prop_map(Duration::from_millis),
        30 => (0..2_500_u64).prop_map(Duration::from_millis),
        6 => (0..60_000_u64).prop_map(Duration::from_millis),
        2 => (0..10_000_000_u64).prop_map(Duration::from_secs),
        1 => Just(Duration::MAX),
    ]
}
