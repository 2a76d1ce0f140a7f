//! What the suite needs to know about a machine.

use core::fmt::Debug;
use core::time::Duration;

use mars_time::Instant;
use proptest::strategy::BoxedStrategy;

/// What one poll took.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<O> {
    /// Something to do, or a fact.
    Output(O),
    /// Nothing more; the time of the next wake-up, if any.
    Timeout(Option<Instant>),
}

/// Key of a coalesced setting: whose, and which.
pub type Setting = (u64, &'static str);

/// A machine with its host's view of it.
pub trait Machine: Clone + Debug + Send + Sync + 'static {
    /// An input that owns its data.
    type Input: Clone + Debug + 'static;
    /// An output other than the wake-up time.
    type Output: Clone + Debug + PartialEq + Send + 'static;

    /// Most outputs that one input can make, given the configuration that [`Machine::new`] uses.
    const MAX_OUTPUTS: usize;

    /// Longer than any timer that the machine ever sets.
    const HORIZON: Duration = Duration::from_hours(1);

    /// A machine created at [`Instant::ZERO`].
    fn new(seed: u64) -> Self;

    /// Hands in one input.
    ///
    /// # Errors
    /// The machine's own, as text.
    fn apply(&mut self, now: Instant, input: &Self::Input) -> Result<(), String>;

    /// Takes one output.
    fn poll(&mut self) -> Step<Self::Output>;

    /// The input that is nothing but time.
    #[must_use]
    fn tick() -> Self::Input;

    /// Inputs of all kinds: usual, hostile, and ones to be refused. Draw ids and names from small
    /// sets, so that independent draws meet.
    fn inputs() -> BoxedStrategy<Self::Input>;

    /// Inputs that come before the random ones, at [`Instant::ZERO`].
    #[must_use]
    fn prelude() -> Vec<Self::Input> {
        Vec::new()
    }

    /// Makes an input fit what the machine has sent (a nonce, a number that only it knows). `open`
    /// holds all outputs so far, for this method to take out what it has dealt with. Called once
    /// per script, in a rehearsal; the properties all play the result.
    fn aim(input: Self::Input, open: &mut Vec<Self::Output>) -> Self::Input {
        let _ = open;
        input
    }

    /// The key, if `output` sets something and is coalesced to the latest value.
    fn setting(output: &Self::Output) -> Option<Setting> {
        let _ = output;
        None
    }

    /// The id (the first half of a [`Setting`]) whose settings end with `input`, because what they
    /// belong to is gone.
    #[must_use]
    fn retired(input: &Self::Input) -> Option<u64> {
        let _ = input;
        None
    }

    /// The id of the timer whose firing `output` shows, where outputs and timers go one to one.
    fn timer(output: &Self::Output) -> Option<u64> {
        let _ = output;
        None
    }

    /// What can be read from the machine without polling; compared like the outputs.
    fn view(&self) -> String {
        String::new()
    }
}
