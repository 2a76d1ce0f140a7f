//! The command line.

mod args;
mod discovery;
mod output;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use self::args::{Cli, Command, Common, Outputs, RunArgs, WanArgs};
use self::discovery::{Files, Way, discover_command, run_discover, run_surveys};
use self::output::{report, say};
use crate::graph::Graph;
use crate::network::Network;
use crate::plan::{FieldError, Plan, System};
use crate::scenario::{Experiment, Scenario};
use crate::topology::Shape;
use crate::wan::Wan;

/// The head of what `list` tells.
const LIST: &str = "\
experiments
  wan        servers fetch an object from each client of their group, over access links to a full mesh
  discover   discovery alone: small graphs with the rank order and without, or real networks
  run FILE   a scenario file with [wan], [discover] or [graph]
scenario files to start from, every field explained
  tests/sim/scenarios/wan.toml
  tests/sim/scenarios/discover.toml
  tests/sim/scenarios/graph.toml
";

/// Octets that a scenario file may have.
const SCENARIO_MAX: u64 = 1 << 20;

/// Why the program ends early.
#[derive(Debug)]
enum Failure {
    /// The user asked for what cannot be: exit code 2.
    Usage(String),
    /// It cannot be written, or a run failed: exit code 1.
    Run(String),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Wan(args) => wan(args),
        Command::Discover(args) => discover_command(&args),
        Command::Run(args) => run_file(&args),
        Command::List => list(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Run(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A setting is called by its option.
fn option_error(error: &FieldError) -> Failure {
    let option = error.field.replace('_', "-");
    Failure::Usage(format!("--{option}: {}", error.message))
}

fn wan(args: WanArgs) -> Result<(), Failure> {
    let wan = Wan {
        servers: args.servers,
        clients: args.clients,
        links: args.links,
        bytes: args.bytes,
        object: args.object,
        chunk: args.chunk,
        hetero: args.hetero,
        loss: args.loss,
        fail: args.fail,
        stagger: args.stagger,
        detection_ms: args.detection_ms,
        deploy: args.deploy,
        host_transit: !args.no_host_transit,
        limit_s: args.limit_s,
    };
    wan.check().map_err(|error| option_error(&error))?;
    let mut common = args.common;
    common
        .outputs
        .html
        .get_or_insert_with(|| PathBuf::from("out/wan.html"));
    common.outputs.check()?;
    let name = "Wide-area fetch of many objects at once";
    run_wan(&wan, name, &common, &|error| option_error(&error))
}

fn run_wan(
    wan: &Wan,
    name: &str,
    common: &Common,
    blame: &dyn Fn(FieldError) -> Failure,
) -> Result<(), Failure> {
    let seeds = seeds(common.seed, common.seeds).map_err(blame)?;
    let object = wan.read_object().map_err(blame)?;
    let octets = object
        .as_ref()
        .map_or(wan.bytes.0, |object| object.len() as u64);
    let plans: Vec<Plan> = seeds
        .map(|seed| wan.plan(seed, common.wire, object.clone()))
        .collect();
    let settings = BTreeMap::from([
        ("servers", wan.servers.to_string()),
        ("clients", wan.clients.to_string()),
        ("access links per server", wan.links.to_string()),
        ("octets per object", octets.to_string()),
        ("octets of content per Data", wan.chunk.to_string()),
        (
            "access links",
            if wan.hetero {
                "24 to 56 Mbit/s"
            } else {
                "40 Mbit/s"
            }
            .into(),
        ),
        (
            "loss per link",
            format!("{:.3} %", wan.loss.to_float() * 100.0),
        ),
        (
            "a fifth of the links down from 1 s to 3 s",
            wan.fail.to_string(),
        ),
        ("groups start after, in turn", starts(&wan.stagger)),
        ("forwarders", format!("{:?}", wan.deploy).to_lowercase()),
        (
            "hosts carry traffic of others",
            wan.host_transit.to_string(),
        ),
        ("seeds", format!("{} from {}", common.seeds, common.seed)),
    ]);
    report(
        name,
        settings,
        wan.wire_limit(octets),
        &plans,
        &common.outputs,
    )
}

fn run_file(args: &RunArgs) -> Result<(), Failure> {
    let shown = args.file.display();
    args.outputs.check()?;
    let text = read_scenario(&args.file)?;
    let (scenario, experiment) =
        Scenario::parse(&text).map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
    let blame = |error: FieldError| Failure::Usage(format!("{shown}: {error}"));
    let outputs = Outputs {
        jobs: args.outputs.jobs,
        json: args.outputs.json.clone(),
        csv: args.outputs.csv.clone(),
        html: args.outputs.html.clone(),
    };
    let common = Common {
        seed: scenario.seed,
        seeds: scenario.seeds,
        wire: scenario.wire,
        outputs,
    };
    let name = if scenario.name.is_empty() {
        shown.to_string()
    } else {
        scenario.name.clone()
    };
    match experiment {
        Experiment::Wan(wan) => run_wan(&wan, &name, &common, &blame),
        Experiment::Discover(discover) => {
            common.outputs.only_json("[discover] on small graphs")?;
            let seeds = seeds(common.seed, common.seeds).map_err(&blame)?;
            run_discover(
                &discover,
                seeds,
                Way::of(&common),
                common.outputs.json.as_deref(),
            )
        }
        Experiment::Survey(surveys) => {
            if common.outputs.csv.is_some() {
                let message = "--csv: [discover] on networks gives --json and --html";
                return Err(Failure::Usage(message.into()));
            }
            let files = Files {
                json: common.outputs.json.as_deref(),
                html: common.outputs.html.as_deref(),
                svg: None,
            };
            run_surveys(&surveys, common.seed, Way::of(&common), &files)
        }
        Experiment::Graph(graph) => run_graph(&graph, &name, &common, &blame),
    }
}

fn read_scenario(path: &Path) -> Result<String, Failure> {
    let told = |message: String| Failure::Usage(format!("{}: {message}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(|error| told(error.to_string()))?;
    let octets = file
        .take(SCENARIO_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| told(error.to_string()))?;
    if octets as u64 > SCENARIO_MAX {
        return Err(told(format!(
            "expected a scenario of at most {SCENARIO_MAX} octets, got more"
        )));
    }
    Ok(text)
}

fn run_graph(
    graph: &Graph,
    name: &str,
    common: &Common,
    blame: &dyn Fn(FieldError) -> Failure,
) -> Result<(), Failure> {
    let plans: Result<Vec<Plan>, FieldError> = seeds(common.seed, common.seeds)
        .map_err(blame)?
        .map(|seed| graph.plan(seed, common.wire))
        .collect();
    let settings = BTreeMap::from([
        ("links", graph.links.len().to_string()),
        ("producers", graph.producers.len().to_string()),
        ("fetches", graph.fetches.len().to_string()),
        ("octets of content per Data", graph.chunk.to_string()),
        ("seeds", format!("{} from {}", common.seeds, common.seed)),
    ]);
    report(
        name,
        settings,
        Duration::ZERO,
        &plans.map_err(blame)?,
        &common.outputs,
    )
}

/// `count` seeds from `first` on; the one after the last is a number, too.
fn seeds(first: u64, count: u64) -> Result<Range<u64>, FieldError> {
    let end = first.checked_add(count).ok_or_else(|| {
        let message = format!(
            "expected a first seed of at most {} for {count} seeds, got {first}",
            u64::MAX - count
        );
        FieldError::new("seed", message)
    })?;
    Ok(first..end)
}

/// Seconds as in `0 s, 1 s`.
fn starts(seconds: &[u32]) -> String {
    let shown: Vec<String> = seconds.iter().map(|start| format!("{start} s")).collect();
    shown.join(", ")
}

fn list() -> Result<(), Failure> {
    let systems = System::ALL.iter().map(|(_, name, about)| (*name, *about));
    let shapes = Shape::ALL.iter().map(|(_, name, about)| (*name, *about));
    let networks: Vec<(&str, String)> = Network::names()
        .filter_map(|name| {
            let network = Network::shipped(name)?;
            let (nodes, links) = (network.nodes.len(), network.links.len());
            Some((name, format!("{nodes} nodes, {links} links")))
        })
        .collect();
    let mut text = LIST.to_owned();
    for (head, entries) in [
        ("systems", systems.collect::<Vec<_>>()),
        ("small graphs of discover", shapes.collect()),
        (
            "networks of discover",
            networks
                .iter()
                .map(|(name, about)| (*name, &**about))
                .collect(),
        ),
    ] {
        text.push_str(head);
        text.push('\n');
        for (name, about) in entries {
            text.extend([format!("  {name:<10} {about}\n")]);
        }
    }
    say(text.trim_end())
}
