//! What surveys of networks found: a table, JSON, and a page with the networks drawn.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::html::STYLE;
use super::table::render;
use super::{escape, map_svg};
use crate::survey::{Findings, Pair, Summary};

type Row = (&'static str, fn(&Summary) -> String);

/// The figures of a survey, in the order in which they are told.
const ROWS: [Row; 18] = [
    ("nodes / links", |s| format!("{} / {}", s.nodes, s.links)),
    ("pairs", |s| s.pairs.to_string()),
    ("disjoint paths found, mean", |s| two(s.found_mean)),
    ("  in the arcs that theta makes eligible", |s| {
        two(s.eligible_mean)
    }),
    ("  in the whole network", |s| two(s.whole_mean)),
    ("  by equal-cost multipath", |s| two(s.ecmp_mean)),
    ("routes of equal-cost multipath, mean", |s| {
        two(s.ecmp_routes_mean)
    }),
    ("found / eligible, mean over pairs", |s| {
        format!("{:.4}", s.found_over_eligible_mean)
    }),
    ("  min", |s| two(s.found_over_eligible_min)),
    ("found / whole, mean over pairs", |s| {
        format!("{:.4}", s.found_over_whole_mean)
    }),
    ("  min", |s| two(s.found_over_whole_min)),
    ("pairs with less than equal-cost multipath", |s| {
        s.fewer_than_ecmp.to_string()
    }),
    ("links over shortest, mean / max", |s| {
        format!("{} / {}", two(s.stretch_mean), two(s.stretch_max))
    }),
    ("probes, mean / max", |s| {
        format!("{:.1} / {}", s.probes_mean, s.probes_max)
    }),
    ("first path after [RTT], mean / max", |s| {
        format!(
            "{} / {}",
            two(s.first_path_rtt_mean),
            two(s.first_path_rtt_max)
        )
    }),
    ("converged after [RTT], mean / max", |s| {
        format!("{:.1} / {:.1}", s.converged_rtt_mean, s.converged_rtt_max)
    }),
    ("pairs unserved / unconverged / without route", |s| {
        format!(
            "{} / {} / {}",
            s.unserved, s.unconverged, s.pairs_without_route
        )
    }),
    ("pairs with a fault or a cycle", |s| s.failed.to_string()),
];

fn two(value: f64) -> String {
    format!("{value:.2}")
}

/// The figures of all networks side by side.
#[must_use]
pub fn survey_table(findings: &[Findings]) -> String {
    let names = findings.iter().map(|one| one.network.name.clone());
    let rows = ROWS.iter().map(|(label, value)| {
        let values = findings.iter().map(|one| value(&one.summary)).collect();
        ((*label).to_owned(), values)
    });
    render(names.collect(), rows)
}

/// The document for tools.
#[derive(Debug, Serialize)]
pub struct SurveyDocument<'a> {
    /// Per network.
    pub topologies: Vec<SurveyRecord<'a>>,
}

/// What a survey of a network found, with names in place of numbers.
#[derive(Debug, Serialize)]
pub struct SurveyRecord<'a> {
    /// The network.
    pub topology: &'a str,
    /// Figures over the pairs.
    pub summary: &'a Summary,
    /// The pairs.
    pub pairs: Vec<PairRecord<'a>>,
}

/// A pair, with names in place of numbers.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `survey::Pair`")]
pub struct PairRecord<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub found: usize,
    pub eligible: usize,
    pub whole: usize,
    pub ecmp: usize,
    pub routes: u64,
    pub ecmp_routes: u64,
    pub stretch_mean: f64,
    pub stretch_max: f64,
    pub probes: u64,
    pub round_trip_ms: f64,
    pub first_path_rtt: Option<f64>,
    pub converged_rtt: Option<f64>,
    pub paths: Vec<Vec<&'a str>>,
    pub failures: &'a [String],
}

impl<'a> SurveyDocument<'a> {
    /// Of these findings.
    #[must_use]
    pub fn new(findings: &'a [Findings]) -> Self {
        let record = |one: &'a Findings| SurveyRecord {
            topology: &one.network.name,
            summary: &one.summary,
            pairs: one.pairs.iter().map(|pair| one.record(pair)).collect(),
        };
        Self {
            topologies: findings.iter().map(record).collect(),
        }
    }
}

impl Findings {
    fn record<'a>(&'a self, pair: &'a Pair) -> PairRecord<'a> {
        let name = |node: usize| self.network.nodes[node].name.as_str();
        let names = |path: &Vec<usize>| path.iter().map(|node| name(*node)).collect();
        PairRecord {
            from: name(pair.from),
            to: name(pair.to),
            found: pair.found,
            eligible: pair.eligible,
            whole: pair.whole,
            ecmp: pair.ecmp,
            routes: pair.routes,
            ecmp_routes: pair.ecmp_routes,
            stretch_mean: pair.stretch_mean,
            stretch_max: pair.stretch_max,
            probes: pair.probes,
            round_trip_ms: pair.round_trip_ms,
            first_path_rtt: pair.first_path_rtt,
            converged_rtt: pair.converged_rtt,
            paths: pair.paths.iter().map(names).collect(),
            failures: &pair.failures,
        }
    }
}

/// Writes a page with the figures, and each network with the paths of its richest pair.
///
/// # Errors
/// `out` cannot be written.
pub fn write_survey_html(
    findings: &[Findings],
    command: &str,
    mut out: impl Write,
) -> io::Result<()> {
    out.write_all(
        page(findings, command)
            .map_err(io::Error::other)?
            .as_bytes(),
    )
}

fn page(findings: &[Findings], command: &str) -> Result<String, std::fmt::Error> {
    let mut page = String::new();
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Discovery on real networks</title><style>{STYLE}</style></head><body>\n\
         <h1>Discovery on real networks</h1>\n<p>Made by</p><pre>{}</pre>\n\
         <h2>Figures</h2>\n<div class=\"wide\"><table><tr><th></th>",
        escape(command)
    )?;
    for one in findings {
        write!(page, "<td>{}</td>", escape(&one.network.name))?;
    }
    page.push_str("</tr>");
    for (label, value) in ROWS {
        write!(page, "<tr><th>{}</th>", escape(label))?;
        for one in findings {
            write!(page, "<td>{}</td>", value(&one.summary))?;
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></div>\n");
    for one in findings {
        let Some(pair) = one.richest() else { continue };
        let svg = map_svg(&one.network, pair);
        writeln!(
            page,
            "<h2>{}</h2>\n<div class=\"wide\">{svg}</div>",
            escape(&one.network.name)
        )?;
    }
    page.push_str("</body></html>\n");
    Ok(page)
}
