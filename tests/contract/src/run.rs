//! A host: drives one machine and writes down what it sees.

use core::fmt::Debug;
use std::collections::BTreeMap;

use mars_time::Instant;

use crate::{Machine, Setting, Step};

/// Wake-ups that a host grants one gap between two inputs before it oversleeps.
const PATIENCE: usize = 64;

/// No machine makes this many outputs at once; more is taken for an endless poll.
const ENDLESS: usize = 1_000_000;

/// One machine with its host.
#[derive(Clone)]
pub(crate) struct Run<M: Machine> {
    pub(crate) machine: M,
    /// Latest time that the machine was told.
    pub(crate) now: Instant,
    /// Deadline as of the last drain.
    pub(crate) wake: Option<Instant>,
    pub(crate) log: Log<M::Output>,
    /// Every input handed in, wake-ups included.
    pub(crate) played: Vec<(Instant, M::Input)>,
}

impl<M: Machine> Run<M> {
    /// A fresh machine, drained.
    pub(crate) fn new(seed: u64) -> Self {
        let mut run = Self::undrained(seed);
        run.drain();
        run
    }

    /// A fresh machine, not yet polled.
    pub(crate) fn undrained(seed: u64) -> Self {
        Self {
            machine: M::new(seed),
            now: Instant::ZERO,
            wake: None,
            log: Log::default(),
            played: Vec::new(),
        }
    }

    /// Hands in one input and leaves its outputs in the machine.
    pub(crate) fn push(&mut self, now: Instant, input: &M::Input) -> Result<(), String> {
        if now > self.now {
            self.log.settle(self.now);
            self.now = now;
        }
        self.played.push((now, input.clone()));
        self.machine.apply(now, input)?;
        if let Some(id) = M::retired(input) {
            self.log.retire(id);
        }
        Ok(())
    }

    /// Polls once; `false` at the end of the drain.
    pub(crate) fn poll(&mut self) -> bool {
        match self.machine.poll() {
            Step::Output(output) => {
                self.log.add(self.now, output, M::setting);
                true
            }
            Step::Timeout(wake) => {
                self.wake = wake;
                false
            }
        }
    }

    /// Polls until there is nothing more; gives the number of outputs.
    pub(crate) fn drain(&mut self) -> usize {
        let count = (0..ENDLESS).take_while(|_| self.poll()).count();
        assert!(count < ENDLESS, "polling never ends");
        count
    }

    /// Hands in one input and drains.
    pub(crate) fn input(&mut self, now: Instant, input: &M::Input) -> Result<(), String> {
        let result = self.push(now, input);
        self.drain();
        result
    }

    /// A tick and a drain. A refused tick is the business of one property alone.
    pub(crate) fn tick(&mut self, now: Instant) {
        let _ = self.input(now, &M::tick());
    }

    /// Wakes the machine at each of its deadlines before `until`.
    pub(crate) fn wake_before(&mut self, until: Instant) {
        self.wake_before_with(until, |_, _| {});
    }

    /// The same, and calls `idle(run, end)` in each stretch of time before `end` in which the
    /// machine has asked to be left alone.
    pub(crate) fn wake_before_with(
        &mut self,
        until: Instant,
        mut idle: impl FnMut(&mut Self, Instant),
    ) {
        for _ in 0..PATIENCE {
            let wake = self.wake.filter(|wake| *wake < until && *wake > self.now);
            idle(self, wake.unwrap_or(until));
            let Some(wake) = wake else {
                return;
            };
            self.tick(wake);
        }
    }

    /// Plays a whole script as a perfect host does.
    pub(crate) fn play(&mut self, steps: &[(Instant, M::Input)]) {
        for (at, input) in steps {
            self.wake_before(*at);
            let _ = self.input(*at, input);
            self.mark();
        }
    }

    /// Writes down deadline and readings for comparison.
    pub(crate) fn mark(&mut self) {
        self.log.marks.push(format!(
            "{:?}: wake {:?} {}",
            self.now,
            self.wake,
            self.machine.view()
        ));
    }

    /// What the host saw, complete.
    pub(crate) fn finish(mut self) -> Log<M::Output> {
        self.mark();
        self.log.settle(self.now);
        self.log
    }
}

/// What a host saw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Log<O> {
    /// Everything in order, settings too, for aiming.
    seen: Vec<O>,
    /// Outputs that are no settings, in order.
    pub(crate) queued: Vec<(Instant, O)>,
    /// Changes of settings, at most one per instant and key.
    settled: Vec<(Instant, Setting, O)>,
    /// Latest value of each setting as of the last settling.
    before: BTreeMap<Setting, O>,
    /// Latest value of each setting.
    pub(crate) known: BTreeMap<Setting, O>,
    /// Deadlines and readings after each step of the script.
    marks: Vec<String>,
}

impl<O> Default for Log<O> {
    fn default() -> Self {
        Self {
            seen: Vec::new(),
            queued: Vec::new(),
            settled: Vec::new(),
            before: BTreeMap::new(),
            known: BTreeMap::new(),
            marks: Vec::new(),
        }
    }
}

impl<O: Clone + Debug + PartialEq> Log<O> {
    fn add(&mut self, now: Instant, output: O, setting: impl Fn(&O) -> Option<Setting>) {
        self.seen.push(output.clone());
        match setting(&output) {
            Some(key) => {
                self.known.insert(key, output);
            }
            None => self.queued.push((now, output)),
        }
    }

    /// Everything seen so far, in order.
    pub(crate) fn seen(&self) -> &[O] {
        &self.seen
    }

    /// What `id` stood for is gone, with its settings.
    fn retire(&mut self, id: u64) {
        self.known.retain(|key, _| key.0 != id);
        self.before.retain(|key, _| key.0 != id);
    }

    /// Time moves on from `now`: what is known of the settings is what they were at `now`.
    fn settle(&mut self, now: Instant) {
        for (key, value) in &self.known {
            if self.before.get(key) != Some(value) {
                self.settled.push((now, *key, value.clone()));
                self.before.insert(*key, value.clone());
            }
        }
    }

    /// Whether two hosts saw the same things at the same times.
    pub(crate) fn same(&self, other: &Self) -> Result<(), String> {
        same("outputs", &self.queued, &other.queued)?;
        same("settings", &self.settled, &other.settled)?;
        same("deadlines and readings", &self.marks, &other.marks)
    }
}

/// Equality with the first difference in the message.
pub(crate) fn same<T: Debug + PartialEq>(what: &str, a: &[T], b: &[T]) -> Result<(), String> {
    let len = a.len().max(b.len());
    match (0..len).find(|i| a.get(*i) != b.get(*i)) {
        None => Ok(()),
        Some(i) => Err(format!(
            "{what} differ at {i}: {:?} against {:?}",
            a.get(i),
            b.get(i)
        )),
    }
}
