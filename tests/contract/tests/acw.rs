//! `mptcp-acw` under the contract.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::time::Duration;

use mars_contract::{Machine, Script, Setting, Step, contract_suite, reach};
use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Coupling, Input, Loss, Output, SubflowId};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Subflows at most.
const SUBFLOWS: u8 = 3;

#[derive(Clone, Debug)]
struct Host(Coupler<{ SUBFLOWS as usize }>);

impl Machine for Host {
    type Input = Input;
    type Output = Output;

    /// Window and threshold of every subflow.
    const MAX_OUTPUTS: usize = 2 * SUBFLOWS as usize;

    fn new(seed: u64) -> Self {
        let mut config = Config::new();
        config.coupling = match seed % 3 {
            0 => Coupling::Lia,
            1 => Coupling::Olia,
            _ => Coupling::Balia,
        };
        Self(Coupler::new(config, Instant::ZERO).expect("the fields are in their ranges"))
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
        let bytes = || prop_oneof![10 => 0..30_000_u64, 1 => any::<u64>()];
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
            1 => (subflow(), any::<bool>())
                .prop_map(|(subflow, backup)| Input::Priority { subflow, backup }),
            32 => (subflow(), bytes(), delay(), delay(), bytes()).prop_map(
                |(subflow, bytes, rtt, one_way, in_flight)| Input::Acked {
                    subflow,
                    bytes,
                    rtt,
                    one_way,
                    in_flight,
                }
            ),
            4 => (subflow(), bytes())
                .prop_map(|(subflow, in_flight)| Input::Duplicate { subflow, in_flight }),
            3 => (subflow(), loss, bytes()).prop_map(|(subflow, loss, in_flight)| Input::Lost {
                subflow,
                loss,
                in_flight,
            }),
            3 => subflow().prop_map(|subflow| Input::Recovered { subflow }),
            1 => subflow().prop_map(|subflow| Input::Idled { subflow }),
            1 => subflow().prop_map(|subflow| Input::Penalised { subflow }),
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
            let (cwnd, ssthresh) = (self.0.cwnd(id), self.0.ssthresh(id));
            let (phase, cuts) = (self.0.phase(id), self.0.cuts(id));
            format!("{cwnd:?} of {ssthresh:?}, {phase:?}, {cuts:?} cuts; ")
        });
        subflows.collect()
    }
}

contract_suite!(acw, Host);

/// The suite would prove little over a coupler that never sets a threshold or refuses nothing.
#[test]
fn the_scripts_reach_what_matters() {
    let reach = reach::<Host>();
    let lowered = reach.outputs.iter().filter(
        |output| matches!(output, Output::Ssthresh { bytes, .. } if *bytes < Config::new().max_window),
    );
    assert!(lowered.count() > 100);
    for refusal in ["unknown", "duplicate", "mss of 0"] {
        let of_kind = reach.refusals.iter().filter(|text| text.contains(refusal));
        assert!(of_kind.count() > 10, "{refusal}");
    }
}

/// Nor over one whose update never cuts.
#[test]
fn the_scripts_reach_cuts() {
    let mut runner = TestRunner::deterministic();
    let mut cuts = 0;
    for _ in 0..64 {
        let script = Script::<Host>::strategy().new_tree(&mut runner);
        let script = script.expect("nothing is rejected").current();
        let mut host = Host::new(script.seed);
        for (at, input) in &script.steps {
            let before = host.cuts();
            let _ = host.0.handle_input(*at, Input::Timeout);
            cuts += u32::from(host.cuts() > before);
            let _ = host.0.handle_input(*at, *input);
        }
    }
    assert!(cuts > 20, "{cuts}");
}

impl Host {
    fn cuts(&self) -> u32 {
        let ids = (0..u32::from(SUBFLOWS)).map(SubflowId);
        ids.filter_map(|id| self.0.cuts(id)).map(u32::from).sum()
    }
}
