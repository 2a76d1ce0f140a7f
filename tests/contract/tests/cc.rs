//! `mars-cc` under the contract, at both levels.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::time::Duration;

use mars_cc::{Config, Controller, Input, Level, Output};
use mars_contract::{Machine, Setting, Step, contract_suite};
use mars_time::Instant;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;

/// A controller; `FACE` chooses its level.
#[derive(Clone, Debug)]
struct Host<const FACE: bool>(Controller);

impl<const FACE: bool> Machine for Host<FACE> {
    type Input = Input;
    type Output = Output;

    /// Window and gap.
    const MAX_OUTPUTS: usize = 2;

    fn new(_: u64) -> Self {
        let level = if FACE { Level::Face } else { Level::Prefix };
        Self(Controller::new(Config::new(level), Instant::ZERO).expect("the defaults are valid"))
    }

    fn apply(&mut self, now: Instant, input: &Input) -> Result<(), String> {
        let result = self.0.handle_input(now, *input);
        result.map_err(|error| error.to_string())
    }

    fn poll(&mut self) -> Step<Output> {
        match self.0.poll_output() {
            Output::Timeout(wake) => Step::Timeout(wake),
            output => Step::Output(output),
        }
    }

    fn tick() -> Input {
        Input::Timeout
    }

    fn inputs() -> BoxedStrategy<Input> {
        let queue = option::of(prop_oneof![0..20_u16, any::<u16>()]);
        let rtt = option::of(prop_oneof![
            8 => (1..400_u64).prop_map(Duration::from_millis),
            1 => Just(Duration::ZERO),
            1 => Just(Duration::MAX),
        ]);
        prop_oneof![
            12 => Just(Input::Sent),
            8 => (queue, rtt).prop_map(|(queue, rtt)| Input::Delivered { queue, rtt }),
            1 => Just(Input::Nacked),
            1 => Just(Input::Lost),
            1 => Just(Input::Released),
            1 => Just(Input::Reset),
            1 => Just(Input::Timeout),
        ]
        .boxed()
    }

    fn setting(output: &Output) -> Option<Setting> {
        match output {
            Output::Window(_) => Some((0, "window")),
            Output::Gap(_) => Some((0, "gap")),
            _ => None,
        }
    }

    fn view(&self) -> String {
        let controller = &self.0;
        format!(
            "{} of {}, next {:?}, {:?}, srtt {:?}",
            controller.in_flight(),
            controller.window(),
            controller.next_send(),
            controller.phase(),
            controller.srtt()
        )
    }
}

contract_suite!(face, Host<true>);
contract_suite!(prefix, Host<false>);
