//! Runs with progress, and what is printed and written of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use super::args::Outputs;
use crate::campaign::run_all;
use crate::plan::{Plan, System};
use crate::report::{Document, Header, SystemSummary, summary_table, write_csv, write_html};
use crate::routing::{equal_cost_paths, next_hops};
use crate::run::RunResult;

/// Prints lines. A reader that has gone away has seen enough: that is no failure.
pub(super) fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Runs plans, writes the files that are wanted and prints the table.
pub(super) fn report(
    name: &str,
    mut settings: BTreeMap<&'static str, String>,
    limit: Duration,
    plans: &[Plan],
    outputs: &Outputs,
) -> Result<(), Failure> {
    let Some(first) = plans.first() else {
        return Ok(());
    };
    let results = run_with_progress(plans, usize::from(outputs.jobs));
    if first.object.is_some() {
        settings.insert("objects verified", verified(&results));
    }
    let document = Document {
        header: Header {
            name: name.to_owned(),
            settings,
            wire_limit_s: limit.as_secs_f64(),
            shortest_path_routes: shortest_path_routes(first),
        },
        systems: vec![SystemSummary::new(System::Mars, first, limit, &results)],
    };
    let wrote = write_files(&document, first, &results, outputs)?;
    let mut lines = vec![name.to_owned()];
    for (setting, value) in &document.header.settings {
        lines.push(format!("  {setting}: {value}"));
    }
    if !limit.is_zero() {
        lines.push(format!("  wire limit L: {:.3} s", limit.as_secs_f64()));
    }
    let routes = document.header.shortest_path_routes;
    lines.push(format!(
        "  routes that plain shortest-path routing would have had: {routes}"
    ));
    lines.push(summary_table(&document));
    lines.extend(wrote);
    say(&lines.join("\n"))?;
    conclude(&document)
}

/// Fetches, of all seeds, whose digest is that of the object.
fn verified(results: &[RunResult]) -> String {
    let flows = || results.iter().flat_map(|run| &run.flows);
    let good = flows().filter(|flow| flow.meter.verified == Some(true));
    format!("{} of {}", good.count(), flows().count())
}

/// Writes the files that are wanted and gives a line on each.
fn write_files(
    document: &Document,
    plan: &Plan,
    results: &[RunResult],
    outputs: &Outputs,
) -> Result<Vec<String>, Failure> {
    let mut wrote = Vec::new();
    if let Some(path) = &outputs.json {
        wrote.push(write_json(path, document)?);
    }
    if let Some(path) = &outputs.csv {
        write_csv(document, create(path)?).map_err(|error| told(path, &error))?;
        wrote.push(format!("wrote {}", path.display()));
    }
    if let (Some(path), Some(first)) = (&outputs.html, results.first()) {
        let page = |out: &mut dyn Write| write_html(document, plan, first, &command(), out);
        wrote.push(write_with(path, page)?);
    }
    Ok(wrote)
}

/// Writes a file and gives a line on it.
pub(super) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<String, Failure> {
    write_with(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        writeln!(out)
    })
}

/// Lets `write` write a file and gives a line on it.
pub(super) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<String, Failure> {
    let mut out = create(path)?;
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| told(path, &error))?;
    Ok(format!("wrote {}", path.display()))
}

/// A file that cannot be written.
fn told(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Run(format!("{}: {error}", path.display()))
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
    let told = |error: io::Error| told(path, &error);
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
    let done: Vec<AtomicU64> = plans.iter().map(|_| 0.into()).collect();
    let results = run_all(plans, jobs, &|number, share| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let share = (share.clamp(0.0, 1.0) * 1_000.0) as u64;
        let relaxed = Ordering::Relaxed;
        done[number].store(share, relaxed);
        bar.set_position(done.iter().map(|share| share.load(relaxed)).sum());
    });
    bar.finish_and_clear();
    results
}

/// A progress bar with an estimate on a terminal, nothing elsewhere.
pub(super) fn bar(length: u64) -> ProgressBar {
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

/// What the user typed.
pub(super) fn command() -> String {
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
