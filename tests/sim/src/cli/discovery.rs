//! Discovery alone, on small graphs and on networks.

use std::ops::Range;
use std::path::Path;

use super::args::{Common, DiscoverArgs, all_different};
use super::output::{bar, command, say, write_json, write_with};
use super::{Failure, option_error, seeds};
use crate::discover::{Chosen, Discover, Settings};
use crate::plan::FieldError;
use crate::report::{SurveyDocument, comparison_table, map_svg, survey_table, write_survey_html};
use crate::survey::{Findings, Survey};

/// Seeds of small graphs unless told otherwise.
const SEEDS: u64 = 400;

/// How runs are done; the results do not depend on it.
#[derive(Clone, Copy)]
pub(super) struct Way {
    wire: bool,
    jobs: usize,
}

impl Way {
    pub(super) fn of(common: &Common) -> Self {
        Self {
            wire: common.wire,
            jobs: common.outputs.jobs.into(),
        }
    }
}

/// Files that are wanted of surveys.
pub(super) struct Files<'a> {
    pub(super) json: Option<&'a Path>,
    pub(super) html: Option<&'a Path>,
    pub(super) svg: Option<&'a Path>,
}

pub(super) fn discover_command(args: &DiscoverArgs) -> Result<(), Failure> {
    let settings = Settings {
        topology: args.topology.clone(),
        nodes: args.nodes,
        consumers: args.consumers,
        delay_ms: args.delay_ms,
        pairs: args.pairs,
        from: args.from.clone(),
        to: args.to.clone(),
        loss: args.loss,
        duplicate: args.duplicate,
        jitter_ms: args.jitter_ms,
        limit_s: args.limit_s,
    };
    let blame = |error: FieldError| option_error(&error);
    let chosen = settings.resolve().map_err(blame)?;
    all_different(&[
        ("--json", &args.json),
        ("--html", &args.html),
        ("--svg", &args.svg),
    ])?;
    let way = Way {
        wire: args.wire,
        jobs: args.jobs.into(),
    };
    match chosen {
        Chosen::Shapes(discover) => {
            for (option, path) in [("--html", &args.html), ("--svg", &args.svg)] {
                if path.is_some() {
                    let message = format!("{option}: expected a network as --topology");
                    return Err(Failure::Usage(message));
                }
            }
            let seeds = seeds(args.seed, args.seeds.unwrap_or(SEEDS)).map_err(blame)?;
            run_discover(&discover, seeds, way, args.json.as_deref())
        }
        Chosen::Networks(surveys) => {
            if args.seeds.is_some() {
                let message = "--seeds: only small graphs are drawn from seeds";
                return Err(Failure::Usage(message.into()));
            }
            if args.svg.is_some() && surveys.len() > 1 {
                let message = "--svg: expected one network; --html draws all";
                return Err(Failure::Usage(message.into()));
            }
            let files = Files {
                json: args.json.as_deref(),
                html: args.html.as_deref(),
                svg: args.svg.as_deref(),
            };
            run_surveys(&surveys, args.seed, way, &files)
        }
    }
}

pub(super) fn run_discover(
    discover: &Discover,
    seeds: Range<u64>,
    way: Way,
    json: Option<&Path>,
) -> Result<(), Failure> {
    let count = seeds.end - seeds.start;
    let bar = bar(count * 2);
    let comparison = discover.compare(seeds, way.wire, way.jobs, &|| bar.inc(1));
    bar.finish_and_clear();
    let wrote = json.map(|path| write_json(path, &comparison)).transpose()?;
    say(&format!(
        "Discovery on {count} {} graphs, loss {:.1} %, duplication {:.1} % per link\n{}",
        discover.topology,
        discover.loss.to_float() * 100.0,
        discover.duplicate.to_float() * 100.0,
        comparison_table(&comparison)
    ))?;
    if let Some(wrote) = wrote {
        say(&wrote)?;
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

pub(super) fn run_surveys(
    surveys: &[Survey],
    seed: u64,
    way: Way,
    files: &Files<'_>,
) -> Result<(), Failure> {
    let pairs: usize = surveys.iter().map(|survey| survey.chosen(seed).len()).sum();
    let bar = bar(pairs as u64);
    let look = |survey: &Survey| survey.run(seed, way.wire, way.jobs, &|| bar.inc(1));
    let findings: Vec<Findings> = surveys.iter().map(look).collect();
    bar.finish_and_clear();
    let mut lines = vec![
        "Discovery by a consumer that is alone; paths that share no link, mean over pairs".into(),
        survey_table(&findings),
    ];
    if let Some(path) = files.json {
        lines.push(write_json(path, &SurveyDocument::new(&findings))?);
    }
    if let Some(path) = files.html {
        let write = |out: &mut dyn std::io::Write| write_survey_html(&findings, &command(), out);
        lines.push(write_with(path, write)?);
    }
    let drawn = findings.first().and_then(|one| Some((one, one.richest()?)));
    if let (Some(path), Some((one, pair))) = (files.svg, drawn) {
        let svg = map_svg(&one.network, pair);
        let write = |out: &mut dyn std::io::Write| out.write_all(svg.as_bytes());
        lines.push(write_with(path, write)?);
    }
    say(&lines.join("\n"))?;
    conclude(&findings)
}

/// A machine broke its contract, or an invariant did not hold.
fn conclude(findings: &[Findings]) -> Result<(), Failure> {
    for one in findings {
        let failed = one.pairs.iter().find(|pair| !pair.failures.is_empty());
        if let Some(pair) = failed {
            let name = |node: usize| &one.network.nodes[node].name;
            return Err(Failure::Run(format!(
                "{}, {} to {}: {}",
                one.network.name,
                name(pair.from),
                name(pair.to),
                pair.failures.join("; ")
            )));
        }
    }
    Ok(())
}
