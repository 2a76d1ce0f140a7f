//! One thing that is counted.

use std::hint::black_box;

/// One thing that is counted: a name, what to set up, and the work.
pub struct Case {
    /// What is done, in a few words.
    pub name: String,
    /// Most instructions that one operation may take, where a figure was promised.
    pub bar: Option<u64>,
    /// Whether it is other people's code, which is counted to be compared with and not gated.
    pub peer: bool,
    /// Operations in one round of the work.
    pub per: u64,
    /// Rounds of the short and of the long run.
    pub rounds: [u32; 2],
    make: Box<dyn Fn() -> Box<dyn FnMut(u32)>>,
}

impl Case {
    /// A case whose `work` is one operation. The results of the work go to [`keep`].
    #[must_use]
    pub fn new<S: 'static>(
        name: impl Into<String>,
        setup: impl Fn() -> S + 'static,
        work: impl Fn(&mut S) + Copy + 'static,
    ) -> Self {
        let make = move || -> Box<dyn FnMut(u32)> {
            let mut state = setup();
            Box::new(move |rounds| {
                for _ in 0..rounds {
                    work(black_box(&mut state));
                }
            })
        };
        Self {
            name: name.into(),
            bar: None,
            peer: false,
            per: 1,
            rounds: [8, 108],
            make: Box::new(make),
        }
    }

    /// With a figure that was promised.
    #[must_use]
    pub const fn bar(mut self, instructions: u64) -> Self {
        self.bar = Some(instructions);
        self
    }

    /// As other people's code.
    #[must_use]
    pub const fn peer(mut self) -> Self {
        self.peer = true;
        self
    }

    /// With so many operations in one round.
    #[must_use]
    pub const fn per(mut self, operations: u64) -> Self {
        self.per = operations;
        self
    }

    /// With few rounds, for work that takes long.
    #[must_use]
    pub const fn long(mut self) -> Self {
        self.rounds = [1, 3];
        self
    }

    /// Sets up, and gives what works so many rounds.
    #[must_use]
    pub fn start(&self) -> Box<dyn FnMut(u32)> {
        (self.make)()
    }

    /// Sets up and works so many rounds.
    pub fn run(&self, rounds: u32) {
        self.start()(rounds);
    }

    /// Sets up, warms up, and works through the short and the long run, each in a call of its own of
    /// the function that callgrind looks for.
    pub(crate) fn run_measured(&self) {
        let mut work = self.start();
        work(1);
        for rounds in self.rounds {
            instructions_measured(&mut work, rounds);
        }
    }
}

/// Callgrind counts from the start to the end of each call of this function, and knows it by its
/// name.
#[inline(never)]
fn instructions_measured(work: &mut dyn FnMut(u32), rounds: u32) {
    work(rounds);
    // Not a jump to the work, but a call that comes back here.
    black_box(rounds);
}

/// Makes the compiler believe that somebody looks at every octet of a result.
#[inline(always)]
#[allow(clippy::inline_always)]
pub fn keep<T>(result: &T) {
    black_box(result);
}
