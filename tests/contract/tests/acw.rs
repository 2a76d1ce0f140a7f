//! `mptcp-acw` under the contract.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::time::Duration;

use mars_contract::{Machine, Setting, Step, contract_suite};
use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Input, Loss, Output, SubflowId};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;

/// Subflows at most.
const SUBFLOWS: u8 = 3;

#[derive(Clone, Debug)]
struct Host(Coupler<{ SUBFLOWS as usize }>);

impl Machine for Host {
    type Input = Input;
    type Output = Output;

    /// Window and threshold of one subflow.
    const MAX_OUTPUTS: usize = 2;

    fn new(_: u64) -> Self {
        Self(Coupler::new(Config::new(), Instant::ZERO).expect("the defaults are valid"))
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

    fn prelude() -> Vec<Input> {
        let added = (0..2).map(|id| Input::SubflowAdded {
            subflow: SubflowId(id),
            mss: 1_400,
        });
        added.collect()
    }

    fn inputs() -> BoxedStrategy<Input> {
        // One subflow more than fits.
        let subflow = || (0..=u32::from(SUBFLOWS)).prop_map(SubflowId);
        let mss = prop_oneof![1 => Just(0), 4 => Just(1_400), 1 => any::<u16>()];
        let bytes = prop_oneof![10 => 0..30_000_u64, 1 => any::<u64>()];
        let delay = || {
            option::of(prop_oneof![
                10 => (1..400_u64).prop_map(Duration::from_millis),
                1 => Just(Duration::ZERO),
                1 => Just(Duration::MAX),
            ])
        };
        let loss = prop_oneof![4 => Just(Loss::Duplicates), 1 => Just(Loss::Timeout)];
        prop_oneof![
            1 => Just(Input::Timeout),
            2 => (subflow(), mss).prop_map(|(subflow, mss)| Input::SubflowAdded { subflow, mss }),
            1 => subflow().prop_map(|subflow| Input::SubflowRemoved { subflow }),
            16 => (subflow(), bytes, delay(), delay()).prop_map(
                |(subflow, bytes, rtt, one_way)| Input::Acked {
                    subflow,
                    bytes,
                    rtt,
                    one_way,
                }
            ),
            2 => (subflow(), loss).prop_map(|(subflow, loss)| Input::Lost { subflow, loss }),
        ]
        .boxed()
    }

    fn setting(output: &Output) -> Option<Setting> {
        match output {
            Output::Cwnd { subflow, .. } => Some((subflow.0.into(), "cwnd")),
            Output::Ssthresh { subflow, .. } => Some((subflow.0.into(), "ssthresh")),
            _ => None,
        }
    }

    fn retired(input: &Input) -> Option<u64> {
        match input {
            Input::SubflowRemoved { subflow } => Some(subflow.0.into()),
            _ => None,
        }
    }

    fn view(&self) -> String {
        let subflows = (0..SUBFLOWS).map(|id| {
            let id = SubflowId(id.into());
            format!("{:?} of {:?}, ", self.0.cwnd(id), self.0.ssthresh(id))
        });
        subflows.collect()
    }
}

contract_suite!(acw, Host);
