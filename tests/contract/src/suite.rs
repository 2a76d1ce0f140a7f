//! Running a property over many scripts.

use core::time::Duration;
use std::sync::mpsc;
use std::thread;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{
    Config, FileFailurePersistence, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner,
};

use crate::run::Run;
use crate::{Machine, Property, Script};

/// A script takes milliseconds; one that takes longer than this never ends.
const PATIENCE: Duration = Duration::from_secs(30);
/// Scripts from fixed seeds, the same in every run.
const FIXED: u32 = 96;
/// Steps that shrinking may take.
const SHRINK: u32 = 20_000;
/// Fresh scripts, unless `PROPTEST_CASES` says otherwise.
const FRESH: u32 = 32;

/// Tries `property` on scripts from fixed seeds, then on kept failures and fresh seeds.
///
/// `file` is the `file!()` of the test; seeds that fail are kept beside it.
///
/// # Panics
/// With the smallest script that it could find, if the property is violated.
pub fn check<M: Machine>(property: Property, file: &'static str) {
    if let Some(violation) = violation::<M>(property, true) {
        panic_with(property, &violation);
    }
    let mut config = Config {
        source_file: Some(file),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        max_shrink_iters: SHRINK,
        ..Config::default()
    };
    if config.cases == Config::with_cases(256).cases {
        config.cases = FRESH;
    }
    if let Some(violation) = run::<M>(property, TestRunner::new(config)) {
        panic_with(property, &violation);
    }
}

/// The first violation among the scripts from fixed seeds, shrunk if wanted.
#[must_use]
pub fn violation<M: Machine>(property: Property, shrink: bool) -> Option<String> {
    let config = Config {
        cases: FIXED,
        failure_persistence: None,
        max_shrink_iters: if shrink { SHRINK } else { 0 },
        ..Config::default()
    };
    run::<M>(property, TestRunner::new_with_rng(config, fixed()))
}

/// Everything that a perfect host sees and has refused in the scripts from fixed seeds, so that a
/// test can say what scripts must reach: a suite over a machine that does nothing proves nothing.
///
/// # Panics
/// If an input never returns.
#[must_use]
#[expect(
    clippy::expect_used,
    reason = "called from tests only, it is how they fail"
)]
pub fn reach<M: Machine>() -> Reach<M> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || drop(send.send(reach_here())));
    let reach = receive.recv_timeout(PATIENCE);
    reach.expect("every input returns, and none panics")
}

fn reach_here<M: Machine>() -> Reach<M> {
    let mut runner = TestRunner::new_with_rng(Config::default(), fixed());
    let mut reach = Reach {
        outputs: Vec::new(),
        refusals: Vec::new(),
    };
    for _ in 0..FIXED {
        let Ok(tree) = Script::<M>::strategy().new_tree(&mut runner) else {
            continue;
        };
        let script = tree.current();
        let mut run = Run::<M>::new(script.seed);
        for (at, input) in &script.steps {
            run.wake_before(*at);
            reach.refusals.extend(run.input(*at, input).err());
        }
        reach.outputs.extend_from_slice(run.log.seen());
    }
    reach
}

/// See [`reach`].
#[derive(Clone, Debug)]
pub struct Reach<M: Machine> {
    /// Outputs in order, script after script.
    pub outputs: Vec<M::Output>,
    /// Errors as text, script after script.
    pub refusals: Vec<String>,
}

/// The same scripts for every property: what one finds in them, another can be asked about.
fn fixed() -> TestRng {
    TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32])
}

/// Runs the scripts on a thread of their own, so that a machine that never returns from an input
/// fails a test in place of hanging it.
fn run<M: Machine>(property: Property, runner: TestRunner) -> Option<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let done = send.clone();
        let violation = run_here::<M>(property, runner, || drop(send.send(News::Script)));
        drop(done.send(News::End(violation)));
    });
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(News::Script) => {}
            Ok(News::End(violation)) => return violation,
            Err(error) => return Some(format!("an input never returns, or panics: {error}")),
        }
    }
}

enum News {
    /// One more script was played.
    Script,
    /// That was all; the violation, if any.
    End(Option<String>),
}

fn run_here<M: Machine>(
    property: Property,
    mut runner: TestRunner,
    played: impl Fn(),
) -> Option<String> {
    let outcome = runner.run(&Script::<M>::strategy(), |script| {
        let verdict = property.try_on(&script);
        played();
        verdict.map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => None,
        Err(TestError::Fail(reason, script)) => Some(format!("{reason}\n{script:?}")),
        Err(TestError::Abort(reason)) => Some(format!("aborted: {reason}")),
    }
}

#[expect(clippy::panic, reason = "called from tests only, it is how they fail")]
fn panic_with(property: Property, violation: &str) -> ! {
    panic!("{property:?}: {violation}");
}

/// Makes a module of tests, one per [`Property`], for a [`Machine`].
///
/// ```
/// # use mars_contract::{Reference, Mutant};
/// mars_contract::contract_suite!(reference, Reference<{ Mutant::NONE }>);
/// ```
#[macro_export]
macro_rules! contract_suite {
    ($name:ident, $machine:ty) => {
        mod $name {
            #[allow(unused_imports, reason = "the machine may be of a parent's import")]
            use super::*;

            $crate::contract_suite!(@tests $machine,
                spurious_ticks_change_nothing SpuriousTicks,
                a_host_that_wakes_every_millisecond_sees_no_more EveryMillisecond,
                draining_late_changes_nothing LateDrain,
                the_deadline_is_after_now DeadlineAfterNow,
                a_refused_input_is_a_tick RefusalIsTick,
                a_late_wake_fires_once LateWake,
                same_inputs_same_outputs SameInputs,
                a_clone_agrees CloneAgrees,
                an_idle_poll_is_stable IdlePoll,
                a_clock_that_goes_backwards_stands_still BackwardsClock,
                outputs_are_bounded Bounded,
            );
        }
    };
    (@tests $machine:ty, $($test:ident $property:ident,)*) => {
        $(
            #[test]
            fn $test() {
                $crate::check::<$machine>($crate::Property::$property, file!());
            }
        )*
    };
}
