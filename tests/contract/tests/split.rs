//! `mpquic-split` under the contract.
#![expect(clippy::expect_used, reason = "a test may fail")]

use core::time::Duration;

use mars_contract::{Machine, Setting, Step, contract_suite};
use mars_time::Instant;
use mpquic_split::{
    Config, Ecn, Input, Metrics, Output, PathId, Received, Scheduler, Side, Status,
};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;

/// Paths at most.
const PATHS: u8 = 3;
/// Id of the settings that belong to no path.
const CONNECTION: u64 = u64::MAX;

fn id(path: PathId) -> u64 {
    path.0.into()
}

#[derive(Clone, Debug)]
struct Host(Scheduler<{ PATHS as usize }>);

impl Machine for Host {
    type Input = Input;
    type Output = Output;

    /// Where data goes; of each path where its ACKs go and whether one is owed.
    const MAX_OUTPUTS: usize = 1 + 2 * PATHS as usize;

    fn new(_: u64) -> Self {
        Self(Scheduler::new(Config::new(), Instant::ZERO).expect("the defaults are valid"))
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
        let opened = (0..2).map(PathId).flat_map(|path| {
            let mut metrics = Metrics::default();
            metrics.cwnd = 12_000;
            [
                Input::PathAdded { path },
                Input::PathValidated { path },
                Input::Metrics { path, metrics },
            ]
        });
        opened.collect()
    }

    fn inputs() -> BoxedStrategy<Input> {
        // One path more than fits.
        let path = || (0..=u32::from(PATHS)).prop_map(PathId);
        let by = prop_oneof![Just(Side::Local), Just(Side::Peer)];
        let status = prop_oneof![Just(Status::Available), Just(Status::Backup)];
        let wish = (0..20_u64, 0..6_u64, duration(), 0..6_u64);
        prop_oneof![
            1 => Just(Input::Timeout),
            1 => path().prop_map(|path| Input::PathAdded { path }),
            1 => path().prop_map(|path| Input::PathValidated { path }),
            1 => path().prop_map(|path| Input::PathRemoved { path }),
            2 => (path(), by, status)
                .prop_map(|(path, by, status)| Input::PathStatus { path, by, status }),
            6 => (path(), metrics()).prop_map(|(path, metrics)| Input::Metrics { path, metrics }),
            16 => received(path()).prop_map(Input::Received),
            3 => path().prop_map(|path| Input::AckSent { path }),
            2 => wish.prop_map(|(sequence, threshold, max_ack_delay, reordering_threshold)| {
                Input::AckFrequency {
                    sequence,
                    threshold,
                    max_ack_delay,
                    reordering_threshold,
                }
            }),
            1 => path().prop_map(|path| Input::ImmediateAck { path }),
        ]
        .boxed()
    }

    fn setting(output: &Output) -> Option<Setting> {
        match output {
            Output::Data(_) => Some((CONNECTION, "data")),
            Output::AckRoute { path, .. } => Some((id(*path), "ack route")),
            Output::AckDue { path, .. } => Some((id(*path), "ack due")),
            _ => None,
        }
    }

    fn retired(input: &Input) -> Option<u64> {
        match input {
            Input::PathRemoved { path } => Some(id(*path)),
            _ => None,
        }
    }

    fn view(&self) -> String {
        let paths = (0..PATHS).map(|id| {
            let id = PathId(id.into());
            format!("{:?} {}, ", self.0.ack_route(id), self.0.ack_due(id))
        });
        paths.collect::<String>() + &format!("{:?}", self.0.data_path())
    }
}

contract_suite!(split, Host);

fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![
        10 => (0..80_000_u64).prop_map(Duration::from_micros),
        1 => Just(Duration::MAX),
    ]
}

/// Pacing within the first minute of a script, where most inputs fall.
fn metrics() -> impl Strategy<Value = Metrics> {
    let next_send = prop_oneof![
        2 => Just(Instant::ZERO),
        4 => (0..60_000_u64).prop_map(Instant::from_millis),
        1 => Just(Instant::MAX),
    ];
    (0..4_u64, 0..4_u64, next_send, option::of(duration())).prop_map(
        |(cwnd, in_flight, next_send, srtt)| {
            let mut metrics = Metrics::default();
            metrics.cwnd = cwnd;
            metrics.in_flight = in_flight;
            metrics.next_send = next_send;
            metrics.srtt = srtt;
            metrics
        },
    )
}

fn received(path: impl Strategy<Value = PathId>) -> impl Strategy<Value = Received> {
    let packet = prop_oneof![20 => 0..30_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)];
    let ecn = prop_oneof![5 => Just(Ecn::NotCe), 1 => Just(Ecn::Ce)];
    (path, packet, any::<u32>(), any::<bool>(), ecn).prop_map(
        |(path, packet, bytes, ack_eliciting, ecn)| Received {
            path,
            packet,
            bytes,
            ack_eliciting,
            ecn,
        },
    )
}
