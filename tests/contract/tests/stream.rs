//! The stream decoder of `mars-wire` under the contract: elements good and bad, cut anywhere.

use mars_contract::{Machine, Step, contract_suite, reach};
use mars_time::Instant;
use mars_wire::stream::{Input, Output, StreamDecoder, StreamError};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;

/// Octets in one input at most.
const CHUNK: usize = 24;

#[derive(Clone, Debug)]
struct Host(StreamDecoder);

/// [`Input`] with owned octets.
#[derive(Clone, Debug)]
enum Told {
    Timeout,
    Octets(Vec<u8>),
    End,
}

/// [`Output`] with owned octets.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Element { offset: u64, octets: Vec<u8> },
    Failed(StreamError),
    Other(String),
}

impl Machine for Host {
    type Input = Told;
    type Output = Seen;

    const MAX_OUTPUTS: usize = CHUNK / 2 + 2;

    fn new(_: u64) -> Self {
        Self(StreamDecoder::new())
    }

    fn apply(&mut self, now: Instant, input: &Told) -> Result<(), String> {
        let input = match input {
            Told::Timeout => Input::Timeout,
            Told::Octets(octets) => Input::Octets(octets),
            Told::End => Input::End,
        };
        let result = self.0.handle_input(now, input);
        result.map_err(|error| error.to_string())
    }

    fn poll(&mut self) -> Step<Seen> {
        match self.0.poll_output() {
            Output::Element { offset, octets } => Step::Output(Seen::Element {
                offset,
                octets: octets.to_vec(),
            }),
            Output::Failed(error) => Step::Output(Seen::Failed(error)),
            Output::Timeout(wake) => Step::Timeout(wake),
            other => Step::Output(Seen::Other(format!("{other:?}"))),
        }
    }

    fn tick() -> Told {
        Told::Timeout
    }

    fn inputs() -> BoxedStrategy<Told> {
        // Whole elements and pieces of them; three octets are a head whose value comes later.
        let good = prop_oneof![
            Just(vec![5, 0]),
            Just(vec![6, 3, 1, 0, 1]),
            Just(vec![0xFD, 3, 32, 1, 9]),
            Just(vec![5]),
            Just(vec![6, 2]),
            Just(vec![6, 0xFD, 1]),
            Just(vec![]),
        ];
        let any_octets = vec(any::<u8>(), 0..CHUNK);
        prop_oneof![
            10 => Just(Told::Timeout),
            600 => vec(good, 0..4).prop_map(|parts| Told::Octets(parts.concat())),
            3 => any_octets.prop_map(Told::Octets),
            3 => Just(Told::End),
        ]
        .boxed()
    }

    fn view(&self) -> String {
        format!("{} ignored", self.0.ignored())
    }
}

contract_suite!(stream, Host);

#[test]
fn scripts_reach_what_matters() {
    let reach = reach::<Host>();
    let count = |kind: fn(&Seen) -> bool| {
        let outputs = reach.outputs.iter();
        outputs.filter(|output| kind(output)).count()
    };
    assert!(count(|o| matches!(o, Seen::Element { .. })) >= 500);
    assert!(count(|o| matches!(o, Seen::Failed(_))) >= 20);
    assert_eq!(count(|o| matches!(o, Seen::Other(_))), 0);
    assert!(reach.refusals.len() >= 20);
}
