//! A small machine that keeps the contract, and the same machine with a bug planted.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use core::time::Duration;

use mars_time::Instant;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;

use crate::{Machine, Step};

/// Which bug a [`Reference`] has.
#[derive(Clone, Copy, Debug)]
pub struct Mutant;

impl Mutant {
    /// No bug.
    pub const NONE: u8 = 0;
    /// Due is `at < now` instead of `at <= now`.
    pub const LESS_FOR_LESS_OR_EQUAL: u8 = 1;
    /// A tick before the deadline starts the alarms afresh.
    pub const REARM_ON_SPURIOUS_TICK: u8 = 2;
    /// A duplicate alarm is refused after its period was overwritten.
    pub const MUTATE_BEFORE_REFUSING: u8 = 3;
    /// Alarms overtake earlier answers that still wait to be polled.
    pub const ORDER_BY_DRAIN: u8 = 4;
    /// An alarm that was slept through rings once for every period missed.
    pub const BURST: u8 = 5;
    /// Alarms that are due together ring by id, whichever was due first.
    pub const ORDER_BY_ID: u8 = 6;
    /// Only the first alarm counts for the deadline.
    pub const INCOMPLETE_DEADLINE: u8 = 7;
    /// The host's clock is believed even when it goes backwards.
    pub const BACKWARDS: u8 = 8;
    /// Something outside the machine decides.
    pub const AMBIENT_STATE: u8 = 9;
    /// A clone shares a counter with its original.
    pub const SHARED_CLONE: u8 = 10;
    /// Polling a drained machine moves its deadline.
    pub const RESTLESS_POLL: u8 = 11;
    /// The n-th ping is answered n times.
    pub const UNBOUNDED: u8 = 12;
    /// An input is looked at before the alarms that are due ring.
    pub const INPUT_BEFORE_TIMERS: u8 = 13;
}

/// Alarms at most.
const ALARMS: usize = 4;

/// A few periodic alarms and an echo; `MUTANT` is one of the constants of [`Mutant`].
#[derive(Clone, Debug)]
pub struct Reference<const MUTANT: u8> {
    now: Instant,
    /// By id.
    alarms: Vec<Alarm>,
    queue: VecDeque<ReferenceOutput>,
    pings: u64,
    shared: Arc<AtomicU64>,
    restless: u64,
}

#[derive(Clone, Debug)]
struct Alarm {
    id: u8,
    period: Duration,
    at: Instant,
}

/// What a [`Reference`] is told.
#[derive(Clone, Debug)]
pub enum ReferenceInput {
    /// Nothing but time.
    Timeout,
    /// A new alarm.
    Set {
        /// Not in use.
        id: u8,
        /// Not zero.
        period: Duration,
    },
    /// An alarm is no longer wanted.
    Cleared {
        /// In use.
        id: u8,
    },
    /// To be echoed.
    Ping,
}

/// What a [`Reference`] says.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceOutput {
    /// An alarm rang.
    Rang {
        /// Which.
        id: u8,
    },
    /// Echo of the n-th ping.
    Pong(u64),
}

/// Outside of every machine, for [`Mutant::AMBIENT_STATE`].
static AMBIENT: AtomicU64 = AtomicU64::new(0);

impl<const MUTANT: u8> Reference<MUTANT> {
    /// Rings what is due, then arms it again after `now`.
    fn ring(&mut self) {
        let now = self.now;
        let mut due: Vec<(Instant, u8)> = Vec::new();
        self.alarms.retain_mut(|alarm| {
            let is_due = match MUTANT {
                Mutant::LESS_FOR_LESS_OR_EQUAL => alarm.at < now,
                _ => alarm.at <= now,
            };
            if !is_due {
                return true;
            }
            let missed = now.saturating_duration_since(alarm.at).as_nanos();
            let times = match MUTANT {
                Mutant::BURST => 1 + (missed / alarm.period.as_nanos()).min(64),
                _ => 1,
            };
            due.extend((0..times).map(|_| (alarm.at, alarm.id)));
            alarm.at = now + alarm.period;
            // At the end of all time there is no later instant to ring at.
            alarm.at > now
        });
        if MUTANT != Mutant::ORDER_BY_ID {
            due.sort_unstable();
        }
        for (_, id) in due {
            self.emit(ReferenceOutput::Rang { id });
        }
    }

    fn emit(&mut self, output: ReferenceOutput) {
        let rang = |output: &ReferenceOutput| matches!(output, ReferenceOutput::Rang { .. });
        let at = match MUTANT {
            Mutant::ORDER_BY_DRAIN if rang(&output) => self
                .queue
                .iter()
                .take_while(|waiting| rang(waiting))
                .count(),
            _ => self.queue.len(),
        };
        self.queue.insert(at, output);
    }

    fn handle(&mut self, input: &ReferenceInput) -> Result<(), String> {
        let known = |id| self.alarms.iter().position(|alarm| alarm.id == id);
        match *input {
            ReferenceInput::Timeout => {
                if MUTANT == Mutant::REARM_ON_SPURIOUS_TICK {
                    for alarm in &mut self.alarms {
                        alarm.at = self.now + alarm.period;
                    }
                }
            }
            ReferenceInput::Set { id, period } => {
                if let Some(alarm) = known(id).and_then(|i| self.alarms.get_mut(i)) {
                    if MUTANT == Mutant::MUTATE_BEFORE_REFUSING {
                        alarm.period = period.max(Duration::from_nanos(1));
                    }
                    return Err(format!("duplicate alarm {id}"));
                }
                if period.is_zero() || self.alarms.len() >= ALARMS {
                    return Err("zero period or too many alarms".into());
                }
                let at = self.now + period;
                if at > self.now {
                    self.alarms.push(Alarm { id, period, at });
                    self.alarms.sort_by_key(|alarm| alarm.id);
                }
            }
            ReferenceInput::Cleared { id } => {
                let i = known(id).ok_or(format!("unknown alarm {id}"))?;
                self.alarms.remove(i);
            }
            ReferenceInput::Ping => {
                self.pings += 1;
                let n = match MUTANT {
                    Mutant::AMBIENT_STATE => AMBIENT.fetch_add(1, Ordering::Relaxed),
                    Mutant::SHARED_CLONE => self.shared.fetch_add(1, Ordering::Relaxed),
                    _ => self.pings,
                };
                let times = match MUTANT {
                    Mutant::UNBOUNDED => self.pings,
                    _ => 1,
                };
                for _ in 0..times {
                    self.emit(ReferenceOutput::Pong(n));
                }
            }
        }
        Ok(())
    }

    fn deadline(&self) -> Option<Instant> {
        let deadlines = self.alarms.iter().map(|alarm| alarm.at);
        match MUTANT {
            Mutant::INCOMPLETE_DEADLINE => deadlines.take(1).min(),
            Mutant::RESTLESS_POLL => deadlines
                .min()
                .map(|at| at + Duration::from_nanos(self.restless)),
            _ => deadlines.min(),
        }
    }
}

impl<const MUTANT: u8> Machine for Reference<MUTANT> {
    type Input = ReferenceInput;
    type Output = ReferenceOutput;

    const MAX_OUTPUTS: usize = ALARMS + 1;

    fn new(seed: u64) -> Self {
        Self {
            now: Instant::ZERO,
            alarms: Vec::new(),
            queue: VecDeque::new(),
            pings: seed % 10,
            shared: Arc::default(),
            restless: 0,
        }
    }

    fn apply(&mut self, now: Instant, input: &ReferenceInput) -> Result<(), String> {
        self.now = match MUTANT {
            Mutant::BACKWARDS => now,
            _ => self.now.max(now),
        };
        if MUTANT == Mutant::INPUT_BEFORE_TIMERS {
            let result = self.handle(input);
            self.ring();
            return result;
        }
        self.ring();
        self.handle(input)
    }

    fn poll(&mut self) -> Step<ReferenceOutput> {
        if let Some(output) = self.queue.pop_front() {
            return Step::Output(output);
        }
        if MUTANT == Mutant::RESTLESS_POLL {
            self.restless += 1;
        }
        Step::Timeout(self.deadline())
    }

    fn tick() -> ReferenceInput {
        ReferenceInput::Timeout
    }

    fn inputs() -> BoxedStrategy<ReferenceInput> {
        // One alarm more than fits, and now and then a period of zero.
        let id = || 0..=u8::try_from(ALARMS).unwrap_or(u8::MAX);
        let period = (0..40_u64).prop_map(|quarters| Duration::from_micros(250 * quarters));
        prop_oneof![
            1 => Just(ReferenceInput::Timeout),
            4 => (id(), period).prop_map(|(id, period)| ReferenceInput::Set { id, period }),
            1 => id().prop_map(|id| ReferenceInput::Cleared { id }),
            2 => Just(ReferenceInput::Ping),
        ]
        .boxed()
    }

    fn timer(output: &ReferenceOutput) -> Option<u64> {
        match output {
            ReferenceOutput::Rang { id } => Some(u64::from(*id)),
            ReferenceOutput::Pong(_) => None,
        }
    }

    fn view(&self) -> String {
        format!("{} alarms", self.alarms.len())
    }
}
