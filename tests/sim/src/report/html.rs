//! One HTML file that needs neither script nor network.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::table::ROWS;
use super::{Document, escape, plots};
use crate::plan::Plan;
use crate::run::RunResult;

pub(super) const STYLE: &str = "
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; padding: 1rem; max-width: 62rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
svg { width: 100%; min-width: 40rem; height: auto; display: block; }
table { border-collapse: collapse; margin: 0.6rem 0; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.8rem 0.25rem 0; text-align: left; font-weight: normal; }
td { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f3f3f3; padding: 0.6rem; overflow-x: auto; }
.wide { overflow-x: auto; }
.bad { color: #a00000; font-weight: bold; }
";

/// Writes the report of `document`. The plots of time and paths are of `run`, the first of
/// `plan`'s; `command` is what makes the report again.
///
/// # Errors
/// `out` cannot be written, or a plot cannot be drawn.
pub fn write_html(
    document: &Document,
    plan: &Plan,
    run: &RunResult,
    command: &str,
    mut out: impl Write,
) -> io::Result<()> {
    let page =
        page(document, plan, run, command).map_err(|error| io::Error::other(error.to_string()))?;
    out.write_all(page.as_bytes())
}

fn page(
    document: &Document,
    plan: &Plan,
    run: &RunResult,
    command: &str,
) -> Result<String, Box<dyn std::error::Error>> {
    let header = &document.header;
    let mut page = String::new();
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n",
        title = escape(&header.name)
    )?;
    writeln!(page, "<p>Made by</p><pre>{}</pre>", escape(command))?;
    settings(&mut page, document)?;
    figures(&mut page, document)?;
    failures(&mut page, document)?;
    let groups = group_names(plan);
    let times: Vec<(&str, Vec<f64>)> = document
        .systems
        .iter()
        .map(|system| {
            let flows = system.runs.iter().flat_map(|run| &run.flows);
            (system.name, flows.filter_map(|flow| flow.fct_s).collect())
        })
        .collect();
    let seed = run.seed;
    section(
        &mut page,
        "Completion times, all seeds",
        &plots::completion(&times, header.wire_limit_s)?,
    )?;
    section(
        &mut page,
        &format!("Goodput over time, seed {seed}"),
        &plots::goodput(run, &groups)?,
    )?;
    if !plan.queues.is_empty() {
        section(
            &mut page,
            &format!("Queues over time, seed {seed}"),
            &plots::queues(plan, run)?,
        )?;
    }
    section(
        &mut page,
        &format!("Discovered paths, seed {seed}"),
        &plots::paths(plan, run)?,
    )?;
    fetches(&mut page, document)?;
    page.push_str("</body></html>\n");
    Ok(page)
}

fn section(page: &mut String, title: &str, plot: &str) -> std::fmt::Result {
    writeln!(
        page,
        "<h2>{}</h2>\n<div class=\"wide\">{plot}</div>",
        escape(title)
    )
}

fn settings(page: &mut String, document: &Document) -> std::fmt::Result {
    let header = &document.header;
    page.push_str("<h2>Settings</h2>\n<table>");
    for (name, value) in &header.settings {
        write!(
            page,
            "<tr><th>{}</th><td>{}</td></tr>",
            escape(name),
            escape(value)
        )?;
    }
    if header.wire_limit_s > 0.0 {
        let limit = header.wire_limit_s;
        write!(page, "<tr><th>wire limit</th><td>{limit:.3} s</td></tr>")?;
    }
    let routes = header.shortest_path_routes;
    writeln!(
        page,
        "<tr><th>routes of plain shortest-path routing</th><td>{routes}</td></tr></table>"
    )
}

fn figures(page: &mut String, document: &Document) -> std::fmt::Result {
    page.push_str("<h2>Figures</h2>\n<div class=\"wide\"><table><tr><th></th>");
    for system in &document.systems {
        write!(page, "<td>{}</td>", escape(system.name))?;
    }
    page.push_str("</tr>");
    for (label, value) in ROWS {
        write!(page, "<tr><th>{}</th>", escape(label))?;
        for system in &document.systems {
            write!(page, "<td>{}</td>", escape(&value(system)))?;
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></div>\n");
    Ok(())
}

fn failures(page: &mut String, document: &Document) -> std::fmt::Result {
    for system in &document.systems {
        for run in system.runs.iter().filter(|run| !run.failures.is_empty()) {
            let text = run.failures.join("; ");
            let (name, seed) = (escape(system.name), run.seed);
            writeln!(
                page,
                "<p class=\"bad\">{name}, seed {seed}: {}</p>",
                escape(&text)
            )?;
        }
    }
    Ok(())
}

fn fetches(page: &mut String, document: &Document) -> std::fmt::Result {
    page.push_str("<h2>Fetches</h2>\n<div class=\"wide\"><table><tr><th>system</th><td>seed</td><td>at</td><td>from</td><td>start [s]</td><td>completion [s]</td><td>first data after [s]</td><td>probes</td><td>Interests</td><td>paths</td></tr>");
    let seconds =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    for system in &document.systems {
        // The first seeds say enough; CSV has them all.
        for run in system.runs.iter().take(3) {
            for flow in &run.flows {
                write!(
                    page,
                    "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{:.3}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    escape(system.name),
                    run.seed,
                    escape(&flow.at),
                    escape(&flow.from),
                    flow.start_s,
                    seconds(flow.fct_s),
                    seconds(flow.startup_s),
                    flow.probes,
                    flow.interests,
                    flow.paths
                )?;
            }
        }
    }
    page.push_str("</table></div>\n");
    Ok(())
}

/// Per group the node that fetches.
fn group_names(plan: &Plan) -> Vec<String> {
    let groups = plan
        .flows
        .iter()
        .map(|flow| flow.group + 1)
        .max()
        .unwrap_or(0);
    (0..groups)
        .map(|group| {
            let flow = plan.flows.iter().find(|flow| flow.group == group);
            flow.map_or_else(String::new, |flow| {
                plan.topology.nodes[flow.node].name.clone()
            })
        })
        .collect()
}
