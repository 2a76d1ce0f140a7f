//! Scenario files: TOML, every field checked, faults reported with line, field and expectation.
//!
//! A file holds the common settings and exactly one experiment: `[wan]`, `[discover]` or `[graph]`.
//!
//! ```toml
//! name = "two disjoint paths, one of them cut"
//! seed = 7
//! seeds = 3
//!
//! [graph]
//! links = [
//!     { between = ["alice", "left"], rate_mbps = 40, delay_ms = 5, down_ms = [[1000, 3000]] },
//!     { between = ["alice", "right"], rate_mbps = 20, delay_ms = 9, loss = 0.01 },
//!     { between = ["left", "bob"], rate_mbps = 100, delay_ms = 5 },
//!     { between = ["right", "bob"], rate_mbps = 100, delay_ms = 5 },
//! ]
//! producers = [{ node = "bob", bytes = "36MB" }]
//! fetches = [{ at = "alice", from = "bob" }]
//! ```

use std::fmt;

use serde::Deserialize;

use crate::discover::{Chosen, Discover, Settings};
use crate::graph::Graph;
use crate::plan::{FieldError, System, check_range};
use crate::survey::Survey;
use crate::wan::Wan;

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the report calls it.
    #[serde(default)]
    pub name: String,
    /// First seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// Seeds, counted up from the first.
    #[serde(default = "one")]
    pub seeds: u64,
    /// Whether every frame is encoded and decoded.
    #[serde(default)]
    pub wire: bool,
    /// What runs on the nodes.
    #[serde(default = "mars")]
    pub system: System,
    /// The wide-area experiment.
    pub wan: Option<Wan>,
    /// Discovery alone.
    pub discover: Option<Settings>,
    /// A network of the user's own.
    pub graph: Option<Graph>,
}

const fn one() -> u64 {
    1
}

const fn mars() -> System {
    System::Mars
}

/// What a scenario file asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Experiment {
    /// The wide-area experiment.
    Wan(Wan),
    /// Discovery alone on small graphs.
    Discover(Discover),
    /// Discovery alone on networks.
    Survey(Vec<Survey>),
    /// A network of the user's own.
    Graph(Graph),
}

impl Scenario {
    /// Reads and checks a scenario.
    ///
    /// # Errors
    /// The first fault.
    pub fn parse(text: &str) -> Result<(Self, Experiment), ScenarioError> {
        let scenario: Self = toml::from_str(text).map_err(|error| ScenarioError {
            line: error.span().map(|span| line_at(text, span.start)),
            message: error
                .span()
                .and_then(|span| key_at(text, span.start))
                .map_or_else(
                    || flatten(error.message()),
                    |key| format!("{key}: {}", flatten(error.message())),
                ),
        })?;
        let experiment = scenario.experiment().map_err(|error| ScenarioError {
            line: line_of_field(text, error.field),
            message: error.to_string(),
        })?;
        Ok((scenario, experiment))
    }

    fn experiment(&self) -> Result<Experiment, FieldError> {
        check_range("seeds", self.seeds, 1, 100_000)?;
        match (&self.wan, &self.discover, &self.graph) {
            (Some(wan), None, None) => {
                wan.check()?;
                Ok(Experiment::Wan(wan.clone()))
            }
            (None, Some(discover), None) => match discover.resolve()? {
                Chosen::Shapes(discover) => Ok(Experiment::Discover(discover)),
                Chosen::Networks(surveys) => {
                    check_range("seeds", self.seeds, 1, 1)?;
                    Ok(Experiment::Survey(surveys))
                }
            },
            (None, None, Some(graph)) => {
                graph.plan(self.seed, self.wire)?;
                Ok(Experiment::Graph(graph.clone()))
            }
            _ => Err(FieldError::new(
                "experiment",
                "expected exactly one of [wan], [discover] and [graph]",
            )),
        }
    }
}

/// What is wrong with a scenario file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The line, from 1, if it is on one; its text is part of the message.
    pub line: Option<(usize, String)>,
    /// Field and expectation.
    pub message: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            Some((number, text)) => {
                write!(f, "line {number}: {}\n  {number} | {text}", self.message)
            }
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ScenarioError {}

fn line_at(text: &str, offset: usize) -> (usize, String) {
    let before = text.get(..offset).unwrap_or(text);
    let number = before.matches('\n').count();
    let line = text.lines().nth(number).unwrap_or_default();
    (number + 1, line.trim_end().to_owned())
}

/// The key, with its table if it stands on a line of its own, whose value begins at `offset`.
fn key_at(text: &str, offset: usize) -> Option<String> {
    let before = text.get(..offset)?.trim_end().strip_suffix('=')?.trim_end();
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let rest = before.trim_end_matches(is_key);
    let key = before.get(rest.len()..).filter(|key| !key.is_empty())?;
    let alone = rest
        .lines()
        .next_back()
        .is_none_or(|line| rest.ends_with('\n') || line.trim().is_empty());
    let heads = rest
        .lines()
        .rev()
        .filter(|line| line.trim_start().starts_with('['));
    let table = heads
        .map(|line| line.trim().trim_matches(['[', ']']))
        .next();
    match table.filter(|_| alone) {
        Some(table) => Some(format!("{table}.{key}")),
        None => Some(key.to_owned()),
    }
}

/// The first line that sets a field.
fn line_of_field(text: &str, field: &str) -> Option<(usize, String)> {
    text.lines().enumerate().find_map(|(number, line)| {
        let sets = line.split(['{', ',']).any(|part| {
            part.trim_start()
                .strip_prefix(field)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        });
        sets.then(|| (number + 1, line.trim_end().to_owned()))
    })
}

fn flatten(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (Option<usize>, String) {
        let error = Scenario::parse(text).unwrap_err();
        (error.line.map(|(number, _)| number), error.message)
    }

    const GRAPH: &str = r#"
[graph]
links = [
    { between = ["a", "b"], rate_mbps = 10, delay_ms = 5, loss = 0.5 },
    { between = ["b", "c"], rate_mbps = 10, delay_ms = 5, down_ms = [[1, 2]] },
]
producers = [{ node = "c", bytes = "1MB" }]
fetches = [{ at = "a", from = "c" }]
"#;

    #[test]
    fn a_minimal_file_takes_the_defaults() {
        let (scenario, experiment) = Scenario::parse("[wan]\n").unwrap();
        assert_eq!(
            (scenario.seed, scenario.seeds, scenario.wire),
            (1, 1, false)
        );
        assert_eq!(experiment, Experiment::Wan(Wan::default()));
        let (_, experiment) =
            Scenario::parse("[discover]\ntopology = \"ring\"\nnodes = \"4..9\"\n").unwrap();
        let Experiment::Discover(discover) = experiment else {
            panic!("{experiment:?}");
        };
        assert_eq!(discover.nodes, crate::units::Span { low: 4, high: 9 });
        assert!(matches!(
            Scenario::parse(GRAPH),
            Ok((_, Experiment::Graph(_)))
        ));
    }

    #[test]
    fn faults_name_line_and_field() {
        for (text, line, parts) in [
            (
                "[wan]\nclients = 0\n",
                Some(2),
                &["clients", "from 1", "got 0"][..],
            ),
            (
                "[wan]\nseeds = 1\n",
                Some(2),
                &["unknown field `seeds`", "servers"],
            ),
            (
                "[wan]\nloss = 2.0\n",
                Some(2),
                &["probability from 0 to 1", "got 2"],
            ),
            ("[wan]\nloss = nan\n", Some(2), &["probability from 0 to 1"]),
            ("[wan]\nbytes = -1\n", Some(2), &["octets", "-1"]),
            ("[wan]\nbytes = \"x\"\n", Some(2), &["octets", "`x`"]),
            ("[wan]\nservers = 99999999999\n", Some(2), &["99999999999"]),
            ("[wan]\ndeploy = \"moon\"\n", Some(2), &["`moon`", "`full`"]),
            (
                "[discover]\ntopology = \"torus\"\n",
                Some(2),
                &["unknown topology `torus`", "line, ring"],
            ),
            (
                "seed = 1\n",
                None,
                &["exactly one of [wan], [discover] and [graph]"],
            ),
            ("[wan]\n[discover]\n", None, &["exactly one"]),
            ("seed = = 1\n", Some(1), &[]),
            ("seeds = 0\n[wan]\n", Some(1), &["seeds", "from 1"]),
            ("system = \"tcp\"\n[wan]\n", Some(1), &["`tcp`", "`mars`"]),
        ] {
            let (at, message) = error(text);
            assert_eq!(at, line, "{text}: {message}");
            for part in parts {
                assert!(message.contains(part), "{text}: {message}");
            }
        }
    }

    #[test]
    fn faults_of_graphs_name_what_they_are_about() {
        for (from, to, line, part) in [
            (
                "rate_mbps = 10, delay_ms = 5, loss",
                "rate_mbps = 0, delay_ms = 5, loss",
                4,
                "rate_mbps",
            ),
            ("loss = 0.5", "loss = 1.5", 4, "probability"),
            ("[[1, 2]]", "[[2, 2]]", 5, "before its end"),
            (
                "node = \"c\"",
                "node = \"d\"",
                7,
                "a node that a link names, got `d`",
            ),
            ("from = \"c\"", "from = \"b\"", 8, "a producer's node"),
            ("at = \"a\"", "at = \"c\"", 8, "another node"),
            ("[\"a\", \"b\"]", "[\"a\", \"a\"]", 4, "two nodes"),
            ("[\"a\", \"b\"]", "[\"a\"]", 4, "2"),
            ("bytes = \"1MB\"", "bytes = 0", 7, "bytes"),
        ] {
            let text = GRAPH.replace(from, to);
            assert_ne!(text, GRAPH, "{from}");
            let (at, message) = error(&text);
            assert!(message.contains(part), "{to}: {message}");
            assert_eq!(at, Some(line), "{to}: {message}");
        }
    }

    #[test]
    fn values_of_the_wrong_kind_are_named_by_their_key() {
        for (text, start) in [
            ("[wan]\nservers = \"x\"\n", "wan.servers: "),
            ("[discover]\n  loss=2\n", "discover.loss: "),
            ("seed = -1\n[wan]\n", "seed: "),
            ("wan.clients = true\n", "wan.clients: "),
            (&GRAPH.replace("loss = 0.5", "loss = 1.5"), "loss: "),
            (
                "[graph]\nproducers = []\nfetches = []\n[[graph.links]]\nqueue = false\n",
                "graph.links.queue: ",
            ),
        ] {
            let (_, message) = error(text);
            assert!(message.starts_with(start), "{text}: {message}");
        }
    }

    #[test]
    fn a_topology_decides_what_discover_means() {
        let (_, experiment) =
            Scenario::parse("[discover]\ntopology = \"geant\"\npairs = 5\n").unwrap();
        let Experiment::Survey(surveys) = experiment else {
            panic!("{experiment:?}");
        };
        assert_eq!(surveys[0].network.nodes.len(), 22);
        assert_eq!(surveys[0].pairs, Some(5));
        let (line, message) = error("seeds = 2\n[discover]\ntopology = \"all\"\n");
        assert_eq!(line, Some(1), "{message}");
        let (line, message) = error("[discover]\ntopology = \"ring\"\npairs = 5\n");
        assert_eq!(line, Some(3), "{message}");
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in [
            "\u{0}",
            "[",
            "[wan",
            "[[wan]]",
            "graph = 1",
            "wan.servers = \"é\"",
            "é = 1",
        ] {
            assert!(Scenario::parse(text).is_err(), "{text}");
        }
    }
}
