//! The command line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::campaign::run_all;
use crate::discover::Discover;
use crate::graph::Graph;
use crate::plan::{Deploy, FieldError, Plan, System};
use crate::report::{
    Document, Header, SystemSummary, comparison_table, summary_table, write_csv, write_html,
};
use crate::routing::{equal_cost_paths, next_hops};
use crate::run::RunResult;
use crate::scenario::{Experiment, Scenario};
use crate::topology::Shape;
use crate::units::{Octets, Probability, Span};
use crate::wan::Wan;

/// A deterministic network simulator that hosts the MARS machines unchanged.
#[derive(Debug, Parser)]
#[command(name = "mars-sim", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Servers fetch objects from many clients over a wide-area network.
    Wan(WanArgs),
    /// Discovery alone on small graphs, with the rank order and without.
    Discover(DiscoverArgs),
    /// A scenario from a TOML file.
    Run(RunArgs),
    /// Topologies, systems and experiments.
    List,
}

#[derive(Debug, Args)]
struct Common {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seeds, counted up from the first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Encode and decode every packet; the results are the same.
    #[arg(long)]
    wire: bool,
    #[command(flatten)]
    outputs: Outputs,
}

#[derive(Debug, Args)]
struct Outputs {
    /// Runs at the same time; the results do not depend on it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Write figures as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one line per fetch as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a report with plots [default for `wan`: out/wan.html].
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct WanArgs {
    /// Servers, each with a group of clients.
    #[arg(long, default_value_t = 2)]
    servers: u32,
    /// Clients, dealt to the servers in turn.
    #[arg(long, default_value_t = 20)]
    clients: u32,
    /// Access links of each server, one to each core node.
    #[arg(long, default_value_t = 10)]
    links: u32,
    /// Octets that each client holds, as in 36MB.
    #[arg(long, default_value = "36MB")]
    bytes: Octets,
    /// A file that each client holds in place of zeros; digests are compared.
    #[arg(long, value_name = "FILE")]
    object: Option<PathBuf>,
    /// Octets of content per Data.
    #[arg(long, default_value_t = 1_200)]
    chunk: u32,
    /// Access links of 24, 32, 40, 48 and 56 Mbit/s with 3, 4, 5, 8 and 12 ms.
    #[arg(long)]
    hetero: bool,
    /// Loss on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    loss: Probability,
    /// A fifth of each server's access links is down from 1 s to 3 s.
    #[arg(long)]
    fail: bool,
    /// Start of the groups in turn, seconds.
    #[arg(long, value_delimiter = ',', default_value = "0,1,2")]
    stagger: Vec<u32>,
    /// Milliseconds until both ends of a link notice that it went down or came up.
    #[arg(long, default_value_t = 0)]
    detection_ms: u32,
    /// Where forwarders run.
    #[arg(long, value_enum, default_value_t = Deploy::Full)]
    deploy: Deploy,
    /// Servers and clients carry no traffic of others.
    #[arg(long)]
    no_host_transit: bool,
    /// Seconds after which a run ends even if fetches are still going on.
    #[arg(long, default_value_t = 300)]
    limit_s: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct DiscoverArgs {
    /// line, ring, triangle, ladder, star, mesh or random.
    #[arg(long, default_value = "random")]
    topology: Shape,
    /// Nodes, or a range to draw from as in 4..25; the last one produces.
    #[arg(long, default_value = "4..25")]
    nodes: Span,
    /// Consumers, or a range to draw from.
    #[arg(long, default_value = "1..5")]
    consumers: Span,
    /// Loss on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    loss: Probability,
    /// Duplication on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    duplicate: Probability,
    /// Greatest delay of a link, milliseconds.
    #[arg(long, default_value_t = 20)]
    delay_ms: u32,
    /// Milliseconds by which a packet may be late beyond the delay, so that packets overtake.
    #[arg(long, default_value_t = 0)]
    jitter_ms: u32,
    /// Seconds after which a run ends even if discovery is still going on.
    #[arg(long, default_value_t = 60)]
    limit_s: u32,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seeds, counted up from the first.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// Encode and decode every packet; the results are the same.
    #[arg(long)]
    wire: bool,
    /// Write figures as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// The scenario.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
}

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

/// Runs plans, prints the table and writes the files that are wanted.
fn report(
    name: &str,
    settings: BTreeMap<&'static str, String>,
    limit: Duration,
    plans: &[Plan],
    outputs: &Outputs,
) -> Result<(), Failure> {
    let Some(first) = plans.first() else {
        return Ok(());
    };
    let results = run_with_progress(plans, usize::from(outputs.jobs));
    let document = Document {
        header: Header {
            name: name.to_owned(),
            settings,
            wire_limit_s: limit.as_secs_f64(),
            shortest_path_routes: shortest_path_routes(first),
        },
        systems: vec![SystemSummary::new(System::Mars, first, limit, &results)],
    };
    println!("{name}");
    for (setting, value) in &document.header.settings {
        println!("  {setting}: {value}");
    }
    if !limit.is_zero() {
        println!("  wire limit L: {:.3} s", limit.as_secs_f64());
    }
    let routes = document.header.shortest_path_routes;
    println!("  routes that plain shortest-path routing would have had: {routes}");
    println!("{}", summary_table(&document));
    write_files(&document, first, &results, outputs)?;
    conclude(&document)
}

fn write_files(
    document: &Document,
    plan: &Plan,
    results: &[RunResult],
    outputs: &Outputs,
) -> Result<(), Failure> {
    if let Some(path) = &outputs.json {
        write_json(path, document)?;
    }
    if let Some(path) = &outputs.csv {
        write_csv(document, create(path)?).map_err(|error| Failure::Run(error.to_string()))?;
        println!("wrote {}", path.display());
    }
    if let (Some(path), Some(first)) = (&outputs.html, results.first()) {
        write_html(document, plan, first, &command(), create(path)?)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = create(path)?;
    serde_json::to_writer_pretty(&mut out, value)
        .map_err(|error| Failure::Run(error.to_string()))?;
    writeln!(out)?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Some run failed: say which and why.
fn conclude(document: &Document) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for system in &document.systems {
        for run in system.runs.iter().filter(|run| !run.failures.is_empty()) {
            let shown = run.failures.iter().take(4).cloned().collect::<Vec<_>>();
            let more = run.failures.len() - shown.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            lines.push(format!(
                "{}, seed {}: {}{more}",
                system.name,
                run.seed,
                shown.join("; ")
            ));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    Err(Failure::Run(lines.join("\n  ")))
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let told = |error: std::io::Error| Failure::Run(format!("{}: {error}", path.display()));
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(told)?;
    }
    Ok(BufWriter::new(File::create(path).map_err(told)?))
}

fn run_with_progress(plans: &[Plan], jobs: usize) -> Vec<RunResult> {
    let bar = bar(plans.len() as u64 * 1_000);
    let done: Vec<std::sync::atomic::AtomicU64> = plans.iter().map(|_| 0.into()).collect();
    let results = run_all(plans, jobs, &|number, share| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let share = (share.clamp(0.0, 1.0) * 1_000.0) as u64;
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        done[number].store(share, relaxed);
        bar.set_position(done.iter().map(|share| share.load(relaxed)).sum());
    });
    bar.finish_and_clear();
    results
}

/// A progress bar with an estimate on a terminal, nothing elsewhere.
fn bar(length: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn shortest_path_routes(plan: &Plan) -> u64 {
    let routes = plan.flows.iter().map(|flow| {
        let hops = next_hops(&plan.topology, plan.producers[flow.producer].node);
        equal_cost_paths(&plan.topology, &hops, flow.node)
    });
    routes.min().unwrap_or(0)
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

/// What the user typed.
fn command() -> String {
    let quoted = std::env::args().skip(1).map(|arg| {
        if arg
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./,=:".contains(c))
        {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    });
    let all: Vec<String> = ["mars-sim".to_owned()].into_iter().chain(quoted).collect();
    all.join(" ")
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
