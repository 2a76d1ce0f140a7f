//! One contract, one suite.
//!
//! Every state machine of the family is driven by the same two verbs: `handle_input` pushes,
//! `poll_output` takes, and the last thing taken is always the time of the next wake-up. What the
//! caller may rely on beyond that is written here as code. Implement [`Machine`] for a machine
//! (a newtype around it), call [`contract_suite!`], and these become tests, one each:
//!
//! | property | in words |
//! |---|---|
//! | [`SpuriousTicks`](Property::SpuriousTicks) | waking early changes nothing; every input is first of all a tick |
//! | [`EveryMillisecond`](Property::EveryMillisecond) | a host that wakes only at the deadline sees what one that wakes every millisecond sees |
//! | [`LateDrain`](Property::LateDrain) | draining late, by halves or never changes neither what is emitted nor its order |
//! | [`DeadlineAfterNow`](Property::DeadlineAfterNow) | after a drain the deadline is strictly later than now |
//! | [`RefusalIsTick`](Property::RefusalIsTick) | after an `Err` the machine is exactly as after a tick; a tick is never refused |
//! | [`LateWake`](Property::LateWake) | a late wake fires each due timer once, by (deadline, id), never a burst |
//! | [`SameInputs`](Property::SameInputs) | the same inputs give the same outputs |
//! | [`CloneAgrees`](Property::CloneAgrees) | a clone goes on like the original and shares nothing with it |
//! | [`IdlePoll`](Property::IdlePoll) | polling a drained machine changes nothing |
//! | [`BackwardsClock`](Property::BackwardsClock) | a `now` that goes backwards counts as the latest seen |
//! | [`Bounded`](Property::Bounded) | one input makes at most [`Machine::MAX_OUTPUTS`] outputs |
//!
//! Each property is a function from a [`Script`] to a verdict: it plays the script to a machine
//! once as a perfect host would and once with the liberty that the property allows, and compares
//! what the two hosts saw. Scripts are random, from fixed seeds first and then from fresh ones, and
//! shrink; `PROPTEST_CASES` asks for more of the fresh ones. Seeds that failed once are kept beside
//! the tests and played first.
//!
//! An output that *sets* something may be coalesced: [`Machine::setting`] names its key, and then
//! only the value that the host knows at each instant counts, not how often it was told.
//!
//! The suite is itself under test: [`Reference`] is a small correct machine, and the same machine
//! with one of several bugs planted. Each bug must be caught, and by the right property.

mod machine;
mod property;
mod reference;
mod run;
mod script;
mod suite;

pub use machine::{Machine, Setting, Step};
pub use property::{Property, Verdict};
pub use reference::{Mutant, Reference, ReferenceInput, ReferenceOutput};
pub use script::Script;
pub use suite::{Reach, check, reach, violation};
