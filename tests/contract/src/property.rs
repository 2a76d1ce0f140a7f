//! The properties. Each plays a script once as a perfect host, once with a liberty taken.

use core::time::Duration;

use mars_time::Instant;

use crate::run::{Run, same};
use crate::{Machine, Script};

/// `Err` says what the machine did that it must not.
pub type Verdict = Result<(), String>;

/// What every machine keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Waking early changes nothing, and every input is first of all a tick: what is due at its
    /// time fires before it is looked at.
    SpuriousTicks,
    /// The deadline is complete: nothing happens between two deadlines.
    EveryMillisecond,
    /// What is emitted is settled when the input is handled, not when it is drained.
    LateDrain,
    /// After a drain the deadline is strictly later than the latest `now`.
    DeadlineAfterNow,
    /// A refused input leaves the machine exactly as a tick does.
    RefusalIsTick,
    /// However late the wake, each due timer fires once, in order of (deadline, id).
    LateWake,
    /// Nothing but seed and inputs decides.
    SameInputs,
    /// A clone goes on like the original; neither disturbs the other.
    CloneAgrees,
    /// Polling a drained machine gives the same deadline and changes nothing.
    IdlePoll,
    /// An earlier `now` counts as the latest seen.
    BackwardsClock,
    /// One input makes a bounded number of outputs.
    Bounded,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::SpuriousTicks,
        Self::EveryMillisecond,
        Self::LateDrain,
        Self::DeadlineAfterNow,
        Self::RefusalIsTick,
        Self::LateWake,
        Self::SameInputs,
        Self::CloneAgrees,
        Self::IdlePoll,
        Self::BackwardsClock,
        Self::Bounded,
    ];

    /// Tries the property on one script.
    ///
    /// # Errors
    /// The violation, in words.
    pub fn try_on<M: Machine>(self, script: &Script<M>) -> Verdict {
        match self {
            Self::SpuriousTicks => spurious_ticks(script),
            Self::EveryMillisecond => every_millisecond(script),
            Self::LateDrain => late_drain(script),
            Self::DeadlineAfterNow => deadline_after_now(script),
            Self::RefusalIsTick => refusal_is_tick(script),
            Self::LateWake => late_wake(script),
            Self::SameInputs => same_inputs(script),
            Self::CloneAgrees => clone_agrees(script),
            Self::IdlePoll => idle_poll(script),
            Self::BackwardsClock => backwards_clock(script),
            Self::Bounded => bounded(script),
        }
    }
}

/// The perfect host: wakes at every deadline, drains after every input.
fn perfect<M: Machine>(script: &Script<M>) -> Run<M> {
    let mut run = Run::new(script.seed);
    run.play(&script.steps);
    run
}

fn spurious_ticks<M: Machine>(script: &Script<M>) -> Verdict {
    let mut lot = Lot::new(script.seed);
    let mut run = Run::<M>::new(script.seed);
    for (at, input) in &script.steps {
        run.wake_before_with(*at, |run, end| {
            for _ in 0..lot.below(3) {
                let early = lot.between(run.now, end);
                run.tick(early);
            }
        });
        // At the time of the input itself: once before it, twice behind it.
        run.tick(*at);
        let _ = run.input(*at, input);
        run.tick(*at);
        run.tick(*at);
        run.mark();
    }
    perfect(script).finish().same(&run.finish())
}

fn every_millisecond<M: Machine>(script: &Script<M>) -> Verdict {
    const GRID: Duration = Duration::from_millis(1);
    /// Ticks per quiet stretch; a quiet hour need not be walked through to its end.
    const TICKS: usize = 250;

    let mut run = Run::<M>::new(script.seed);
    for (at, input) in &script.steps {
        run.wake_before_with(*at, |run, end| {
            for _ in 0..TICKS {
                let next = run.now + GRID;
                if next >= end {
                    break;
                }
                run.tick(next);
            }
            // The last nanosecond before the deadline tells `<=` from a rounded comparison.
            let last = end.saturating_sub(Duration::from_nanos(1));
            if last > run.now {
                run.tick(last);
            }
        });
        let _ = run.input(*at, input);
        run.mark();
    }
    perfect(script).finish().same(&run.finish())
}

fn late_drain<M: Machine>(script: &Script<M>) -> Verdict {
    let eager = perfect(script);
    let mut lot = Lot::new(script.seed);
    // Chances in 8 that a host polls, and polls again, after an input; 0: only at the very end.
    for chance in [0, 2, 6] {
        let mut lazy = Run::<M>::undrained(script.seed);
        for (at, input) in &eager.played {
            let _ = lazy.push(*at, input);
            while lot.below(8) < chance && lazy.poll() {}
        }
        lazy.drain();
        let order = |run: &Run<M>| -> Vec<M::Output> {
            let queued = run.log.queued.iter();
            queued.map(|(_, output)| output.clone()).collect()
        };
        same("outputs", &order(&eager), &order(&lazy))?;
        let settings = |run: &Run<M>| -> Vec<_> { run.log.known.clone().into_iter().collect() };
        same("final settings", &settings(&eager), &settings(&lazy))?;
        same("deadline", &[eager.wake], &[lazy.wake])?;
        same("readings", &[eager.machine.view()], &[lazy.machine.view()])?;
    }
    Ok(())
}

fn deadline_after_now<M: Machine>(script: &Script<M>) -> Verdict {
    let mut run = Run::<M>::new(script.seed);
    let check = |run: &Run<M>| match run.wake {
        Some(wake) if wake <= run.now => {
            Err(format!("deadline {wake:?} is not after {:?}", run.now))
        }
        _ => Ok(()),
    };
    check(&run)?;
    for (at, input) in &perfect(script).played {
        let _ = run.input(*at, input);
        check(&run)?;
    }
    Ok(())
}

fn refusal_is_tick<M: Machine>(script: &Script<M>) -> Verdict {
    let mut run = Run::<M>::new(script.seed);
    let mut good = Run::<M>::new(script.seed);
    for (at, input) in &perfect(script).played {
        match run.input(*at, input) {
            Ok(()) => {
                let _ = good.input(*at, input);
            }
            Err(refused) => {
                let tick = M::tick();
                good.input(*at, &tick)
                    .map_err(|error| format!("a tick was refused: {error}"))?;
                let (a, b) = (format!("{:?}", run.machine), format!("{:?}", good.machine));
                if a != b {
                    return Err(format!(
                        "refusing {input:?} ({refused}) left {a}, a tick leaves {b}"
                    ));
                }
            }
        }
        run.mark();
        good.mark();
    }
    run.finish().same(&good.finish())
}

fn late_wake<M: Machine>(script: &Script<M>) -> Verdict {
    let mut lot = Lot::new(script.seed);
    let mut run = Run::<M>::new(script.seed);
    for (at, input) in &script.steps {
        run.wake_before(*at);
        let _ = run.input(*at, input);
        if lot.below(8) == 0 {
            oversleep(&run)?;
        }
    }
    oversleep(&run)
}

/// From one state: wake far too late, and twice as late. All timers are due in both.
fn oversleep<M: Machine>(run: &Run<M>) -> Verdict {
    let late = run.now + M::HORIZON;
    let later = late + M::HORIZON;
    if later == Instant::MAX {
        return Ok(());
    }
    let (a, b) = (wake_once(run, late)?, wake_once(run, later)?);
    let count = |woken: &Run<M>| woken.log.queued.len() - run.log.queued.len();
    if count(&a) != count(&b) {
        return Err(format!(
            "a wake at {late:?} made {} outputs, at {later:?} {}: a burst",
            count(&a),
            count(&b)
        ));
    }
    let settings = |woken: &Run<M>| -> Vec<_> { woken.log.known.clone().into_iter().collect() };
    same("settings by lateness", &settings(&a), &settings(&b))?;

    let fired = fired::<M>(a.log.queued.get(run.log.queued.len()..).unwrap_or_default());
    same("timers fired, and first firings in order", &fired, &{
        let mut punctual = run.clone();
        let mut first = Vec::new();
        while first.len() < fired.len() {
            let from = punctual.log.queued.len();
            let Some(wake) = punctual.wake.filter(|wake| *wake <= late) else {
                break;
            };
            if wake <= punctual.now {
                break;
            }
            punctual.tick(wake);
            for id in self::fired::<M>(punctual.log.queued.get(from..).unwrap_or_default()) {
                if !first.contains(&id) {
                    first.push(id);
                }
            }
        }
        first
    })
}

/// Ids of the timers that some outputs show.
fn fired<M: Machine>(outputs: &[(Instant, M::Output)]) -> Vec<u64> {
    let ids = outputs.iter().filter_map(|(_, output)| M::timer(output));
    ids.collect()
}

/// A wake at `at`; a second one at the same time must find nothing to do.
fn wake_once<M: Machine>(run: &Run<M>, at: Instant) -> Result<Run<M>, String> {
    let mut woken = run.clone();
    woken.tick(at);
    let before = woken.log.queued.len();
    woken.tick(at);
    if woken.log.queued.len() > before {
        return Err(format!(
            "a second wake at {at:?} emitted {:?}",
            woken.log.queued.get(before..)
        ));
    }
    Ok(woken)
}

fn same_inputs<M: Machine>(script: &Script<M>) -> Verdict {
    let (a, b) = (perfect(script), perfect(script));
    let states = (format!("{:?}", a.machine), format!("{:?}", b.machine));
    a.finish().same(&b.finish())?;
    same("final states", &[states.0], &[states.1])
}

fn clone_agrees<M: Machine>(script: &Script<M>) -> Verdict {
    let mut lot = Lot::new(script.seed);
    let cut = usize::try_from(lot.below(script.steps.len() as u64 + 1)).unwrap_or(0);
    let (head, tail) = script.steps.split_at(cut);
    let mut run = Run::<M>::new(script.seed);
    run.play(head);
    // The last input before the cut once more, its outputs still inside: they are cloned too.
    if let Some((at, input)) = head.last() {
        let _ = run.push(*at, input);
    }
    let mut clone = run.clone();
    let mut spare = run.clone();
    let finish = |run: &mut Run<M>| {
        run.drain();
        run.play(tail);
    };
    finish(&mut clone);
    finish(&mut run);
    finish(&mut spare);
    let log = run.finish();
    log.same(&clone.finish())?;
    log.same(&spare.finish())
}

fn idle_poll<M: Machine>(script: &Script<M>) -> Verdict {
    let mut run = Run::<M>::new(script.seed);
    for (at, input) in &perfect(script).played {
        let _ = run.input(*at, input);
        let (wake, state) = (run.wake, format!("{:?}", run.machine));
        for _ in 0..3 {
            if run.poll() {
                return Err(format!("an idle poll emitted {:?}", run.log.seen().last()));
            }
            same("deadline", &[wake], &[run.wake])?;
            same("state", &[&state], &[&format!("{:?}", run.machine)])?;
        }
    }
    Ok(())
}

fn backwards_clock<M: Machine>(script: &Script<M>) -> Verdict {
    let mut lot = Lot::new(script.seed);
    let mut told = Run::<M>::new(script.seed);
    let mut meant = Run::<M>::new(script.seed);
    for (at, input) in &perfect(script).played {
        let now = if lot.below(3) == 0 {
            lot.between(Instant::ZERO, *at)
        } else {
            *at
        };
        let _ = told.input(now, input);
        let _ = meant.input(told.now, input);
        told.mark();
        meant.mark();
    }
    told.finish().same(&meant.finish())
}

fn bounded<M: Machine>(script: &Script<M>) -> Verdict {
    let mut run = Run::<M>::undrained(script.seed);
    let check = |count: usize, input: &dyn core::fmt::Debug| {
        if count > M::MAX_OUTPUTS {
            return Err(format!(
                "{count} outputs, not {} at most, after {input:?}",
                M::MAX_OUTPUTS
            ));
        }
        Ok(())
    };
    check(run.drain(), &"creation")?;
    for (at, input) in &perfect(script).played {
        let _ = run.push(*at, input);
        check(run.drain(), input)?;
    }
    Ok(())
}

/// Decisions by lot (`SplitMix64`), the same for the same script.
struct Lot(u64);

impl Lot {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, 0 if there is none.
    fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    /// A time from `start` on, before `end`.
    fn between(&mut self, start: Instant, end: Instant) -> Instant {
        let span = end.as_nanos().saturating_sub(start.as_nanos());
        start + Duration::from_nanos(self.below(span))
    }
}
