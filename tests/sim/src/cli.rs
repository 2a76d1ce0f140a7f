//! The command line.

mod args;
mod output;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use self::args::{Cli, Command, Common, DiscoverArgs, Outputs, RunArgs, WanArgs};
use self::output::{bar, report, write_json};
use crate::discover::Discover;
use crate::graph::Graph;
use crate::plan::{FieldError, Plan, System};
use crate::report::comparison_table;
use crate::scenario::{Experiment, Scenario};
use crate::topology::Shape;
use crate::wan::Wan;

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

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Run(error.to_string())
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
    let name = "Wide-area fetch of many objects at once";
    run_wan(&wan, name, &common, &|error| option_error(&error))
}

fn run_wan(
    wan: &Wan,
    name: &str,
    common: &Common,
    blame: &dyn Fn(FieldError) -> Failure,
) -> Result<(), Failure> {
    let object = wan.read_object().map_err(blame)?;
    let octets = object
        .as_ref()
        .map_or(wan.bytes.0, |object| object.len() as u64);
    let plans: Vec<Plan> = seeds(common.seed, common.seeds)
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

fn discover_command(args: &DiscoverArgs) -> Result<(), Failure> {
    let discover = Discover {
        topology: args.topology,
        nodes: args.nodes,
        consumers: args.consumers,
        loss: args.loss,
        duplicate: args.duplicate,
        delay_ms: args.delay_ms,
        jitter_ms: args.jitter_ms,
        limit_s: args.limit_s,
    };
    discover.check().map_err(|error| option_error(&error))?;
    run_discover(
        &discover,
        args.seed,
        args.seeds,
        args.wire,
        args.json.as_deref(),
    )
}

fn run_discover(
    discover: &Discover,
    seed: u64,
    count: u64,
    wire: bool,
    json: Option<&Path>,
) -> Result<(), Failure> {
    let bar = bar(count * 2);
    let comparison = discover.compare(seeds(seed, count), wire, || bar.inc(1));
    bar.finish_and_clear();
    println!(
        "Discovery on {count} {} graphs, loss {:.1} %, duplication {:.1} % per link",
        discover.topology,
        discover.loss.to_float() * 100.0,
        discover.duplicate.to_float() * 100.0
    );
    println!("{}", comparison_table(&comparison));
    if let Some(path) = json {
        write_json(path, &comparison)?;
    }
    let safe = &comparison.enforced;
    if let Some(fault) = &safe.first_fault {
        return Err(Failure::Run(fault.clone()));
    }
    if safe.cycles > 0 {
        let seed = safe.first_cycle_seed.unwrap_or(0);
        return Err(Failure::Run(format!(
            "a forwarding cycle with the rank order on, seed {seed}"
        )));
    }
    Ok(())
}

fn run_file(args: &RunArgs) -> Result<(), Failure> {
    let shown = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
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
            let json = common.outputs.json.as_deref();
            run_discover(&discover, common.seed, common.seeds, common.wire, json)
        }
        Experiment::Graph(graph) => run_graph(&graph, &name, &common, &blame),
    }
}

fn run_graph(
    graph: &Graph,
    name: &str,
    common: &Common,
    blame: &dyn Fn(FieldError) -> Failure,
) -> Result<(), Failure> {
    let plans: Result<Vec<Plan>, FieldError> = seeds(common.seed, common.seeds)
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

fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    first..first.saturating_add(count)
}

#[expect(clippy::unnecessary_wraps, reason = "one shape for all commands")]
fn list() -> Result<(), Failure> {
    println!("experiments");
    println!(
        "  wan        servers fetch an object from each client of their group, over access links to a full mesh"
    );
    println!("  discover   discovery alone, with the rank order and without");
    println!("  run FILE   a scenario file with [wan], [discover] or [graph]");
    println!("systems");
    for (_, name, about) in System::ALL {
        println!("  {name:<10} {about}");
    }
    println!("topologies of discover");
    for (_, name, about) in Shape::ALL {
        println!("  {name:<10} {about}");
    }
    Ok(())
}
