//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::Failure;
use crate::discover::Where;
use crate::plan::Deploy;
use crate::units::{Octets, Probability, Span};

/// A deterministic network simulator that hosts the MARS machines unchanged.
#[derive(Debug, Parser)]
#[command(name = "mars-sim", version, about)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Servers fetch objects from many clients over a wide-area network.
    Wan(WanArgs),
    /// Discovery alone: on small graphs with the rank order and without, or on real networks.
    Discover(DiscoverArgs),
    /// A scenario from a TOML file.
    #[command(
        after_long_help = "Scenario files to start from, every field explained:\n  \
        tests/sim/scenarios/wan.toml\n  \
        tests/sim/scenarios/discover.toml\n  \
        tests/sim/scenarios/graph.toml"
    )]
    Run(RunArgs),
    /// Topologies, systems and experiments.
    List,
}

#[derive(Debug, Args)]
pub(super) struct Common {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Seeds, counted up from the first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) seeds: u64,
    /// Encode and decode every packet; the results are the same.
    #[arg(long)]
    pub(super) wire: bool,
    #[command(flatten)]
    pub(super) outputs: Outputs,
}

#[derive(Debug, Args)]
pub(super) struct Outputs {
    /// Runs at the same time; the results do not depend on it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: u16,
    /// Write figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write one line per fetch as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Write a report with plots [default for `wan`: out/wan.html].
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

impl Outputs {
    /// Whether each file is another one.
    pub(super) fn check(&self) -> Result<(), Failure> {
        all_different(&[
            ("--json", &self.json),
            ("--csv", &self.csv),
            ("--html", &self.html),
        ])
    }

    /// Whether nothing but JSON is wanted; `experiment` has nothing else.
    pub(super) fn only_json(&self, experiment: &str) -> Result<(), Failure> {
        for (option, path) in [("--csv", &self.csv), ("--html", &self.html)] {
            if path.is_some() {
                let message = format!("{option}: {experiment} gives --json only");
                return Err(Failure::Usage(message));
            }
        }
        Ok(())
    }
}

/// Whether each file is another one.
pub(super) fn all_different(files: &[(&str, &Option<PathBuf>)]) -> Result<(), Failure> {
    for (number, (option, path)) in files.iter().enumerate() {
        let Some(path) = path else { continue };
        let same =
            |other: &PathBuf| std::path::absolute(other).ok() == std::path::absolute(path).ok();
        let twin = files[..number]
            .iter()
            .find(|(_, other)| other.as_ref().is_some_and(same));
        if let Some((twin, _)) = twin {
            return Err(Failure::Usage(format!(
                "{option}: expected another file than that of {twin}, got `{}`",
                path.display()
            )));
        }
    }
    Ok(())
}

#[derive(Debug, Args)]
pub(super) struct WanArgs {
    /// Servers, each with a group of clients.
    #[arg(long, default_value_t = 2)]
    pub(super) servers: u32,
    /// Clients, dealt to the servers in turn.
    #[arg(long, default_value_t = 20)]
    pub(super) clients: u32,
    /// Access links of each server, one to each core node.
    #[arg(long, default_value_t = 10)]
    pub(super) links: u32,
    /// Octets that each client holds, as in 36MB.
    #[arg(long, default_value = "36MB", conflicts_with = "object")]
    pub(super) bytes: Octets,
    /// A file that each client holds in place of zeros; digests are compared.
    #[arg(long, value_name = "FILE")]
    pub(super) object: Option<PathBuf>,
    /// Octets of content per Data.
    #[arg(long, default_value_t = 1_200)]
    pub(super) chunk: u32,
    /// Access links of 24, 32, 40, 48 and 56 Mbit/s with 3, 4, 5, 8 and 12 ms.
    #[arg(long)]
    pub(super) hetero: bool,
    /// Loss on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    pub(super) loss: Probability,
    /// A fifth of each server's access links is down from 1 s to 3 s.
    #[arg(long)]
    pub(super) fail: bool,
    /// Start of the groups in turn, seconds.
    #[arg(long, value_delimiter = ',', default_value = "0,1,2")]
    pub(super) stagger: Vec<u32>,
    /// Milliseconds until both ends of a link notice that it went down or came up.
    #[arg(long, default_value_t = 0)]
    pub(super) detection_ms: u32,
    /// Where forwarders run.
    #[arg(long, value_enum, default_value_t = Deploy::Full)]
    pub(super) deploy: Deploy,
    /// Servers and clients carry no traffic of others.
    #[arg(long)]
    pub(super) no_host_transit: bool,
    /// Seconds after which a run ends even if fetches are still going on.
    #[arg(long, default_value_t = 300)]
    pub(super) limit_s: u32,
    #[command(flatten)]
    pub(super) common: Common,
}

#[derive(Debug, Args)]
pub(super) struct DiscoverArgs {
    /// A small graph (line, ring, triangle, ladder, star, mesh, random), a real network (abilene,
    /// geant, nobel-us, germany50, india35, attmpls, newyork), all of those, or a file with one.
    #[arg(long, default_value = "random", value_name = "NAME|FILE")]
    pub(super) topology: Where,
    /// Small graphs: nodes, or a range to draw from; the last one produces [default: 4..25].
    #[arg(long)]
    pub(super) nodes: Option<Span>,
    /// Small graphs: consumers, or a range to draw from [default: 1..5].
    #[arg(long)]
    pub(super) consumers: Option<Span>,
    /// Small graphs: greatest delay of a link, milliseconds [default: 20].
    #[arg(long)]
    pub(super) delay_ms: Option<u32>,
    /// Networks: pairs of nodes to draw [default: all up to 2500, else 1000].
    #[arg(long)]
    pub(super) pairs: Option<u32>,
    /// Networks: the consumer's node [default: any].
    #[arg(long, value_name = "NODE")]
    pub(super) from: Option<String>,
    /// Networks: the producer's node [default: any].
    #[arg(long, value_name = "NODE")]
    pub(super) to: Option<String>,
    /// Loss on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    pub(super) loss: Probability,
    /// Duplication on every link, from 0 to 1.
    #[arg(long, default_value = "0")]
    pub(super) duplicate: Probability,
    /// Milliseconds by which a packet may be late beyond the delay, so that packets overtake.
    #[arg(long, default_value_t = 0)]
    pub(super) jitter_ms: u32,
    /// Seconds after which a run ends even if discovery is still going on.
    #[arg(long, default_value_t = 60)]
    pub(super) limit_s: u32,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Small graphs: seeds, counted up from the first [default: 400].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) seeds: Option<u64>,
    /// Encode and decode every packet; the results are the same.
    #[arg(long)]
    pub(super) wire: bool,
    /// Runs at the same time; the results do not depend on it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: u16,
    /// Write figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Networks: write a report with the networks drawn.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// One network: draw it with the paths of the pair that has most.
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The scenario.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) outputs: Outputs,
}
