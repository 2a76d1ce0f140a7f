//! Tables for people.

use comfy_table::{CellAlignment, Table, presets};

use super::{Document, SystemSummary};
use crate::discover::{Comparison, Tally};

/// One figure: what it is called and how it is told.
pub(crate) type Row = (&'static str, fn(&SystemSummary) -> String);

/// The figures of a system, in the order in which they are told.
pub(crate) const ROWS: [Row; 19] = [
    ("p95 of completion times, max over seeds [s]", |s| {
        seconds(s.p95_fct_s_max)
    }),
    ("the same, median [s]", |s| seconds(s.p95_fct_s_median)),
    ("the max in wire limits", |s| {
        format!("{:.3}", s.p95_fct_over_limit)
    }),
    ("Jain index of goodput in a group, min", |s| {
        format!("{:.5}", s.jain_min)
    }),
    ("the same, median", |s| format!("{:.5}", s.jain_median)),
    ("paths per fetch, min", |s| s.paths_min.to_string()),
    ("links used per server, min", |s| {
        s.links_used_min.to_string()
    }),
    ("first data Interest after, max [s]", |s| {
        seconds(s.discovery_startup_s_max)
    }),
    ("its share of the completion time, max", |s| {
        format!("{:.2} %", s.discovery_share_of_fct_max * 100.0)
    }),
    ("discovery converged after, max [s]", |s| {
        seconds(s.discovery_converged_s_max)
    }),
    ("Interests on a forwarding cycle", |s| {
        s.looped_interests.to_string()
    }),
    ("Interests that met a node twice during discovery", |s| {
        s.revisits_during_discovery.to_string()
    }),
    ("largest discovery Interest [octets]", |s| {
        s.interest_bytes_max.to_string()
    }),
    ("largest discovery Data [octets]", |s| {
        s.data_bytes_max.to_string()
    }),
    ("largest discovery Nack [octets]", |s| {
        s.nack_bytes_max.to_string()
    }),
    ("packets dropped at a full queue", |s| {
        s.tail_drops.to_string()
    }),
    ("packets lost on links", |s| s.losses.to_string()),
    ("packet hops", |s| s.packet_hops.to_string()),
    ("packet hops per second of real time", |s| {
        format!("{:.0}", s.events_per_s)
    }),
];

fn seconds(value: f64) -> String {
    format!("{value:.3}")
}

/// The figures of all systems side by side.
#[must_use]
pub fn summary_table(document: &Document) -> String {
    let names = document.systems.iter().map(|system| system.name.to_owned());
    let rows = ROWS.iter().map(|(label, value)| {
        let values = document.systems.iter().map(value).collect();
        ((*label).to_owned(), values)
    });
    render(names.collect(), rows)
}

/// Discovery with and without the rank order.
#[must_use]
pub fn comparison_table(comparison: &Comparison) -> String {
    type TallyRow = (&'static str, fn(&Tally) -> String);
    const ROWS: [TallyRow; 12] = [
        ("runs", |t| t.runs.to_string()),
        ("consumers with a route", |t| t.consumers.to_string()),
        ("runs with a forwarding cycle", |t| {
            t.runs_with_cycles.to_string()
        }),
        ("cycles seen, looking after every event", |t| {
            t.cycles.to_string()
        }),
        ("looks that saw a valid upstream out of rank order", |t| {
            t.disorders.to_string()
        }),
        ("consumers unserved", |t| t.unserved.to_string()),
        ("consumers whose discovery did not converge", |t| {
            t.unconverged.to_string()
        }),
        ("probes per consumer, mean", |t| {
            format!("{:.1}", t.probes_mean())
        }),
        ("probes per consumer, max", |t| t.probes_max.to_string()),
        ("paths found per consumer, mean", |t| {
            format!("{:.2}", t.paths_mean())
        }),
        ("probes that met a node twice", |t| {
            (t.revisits + t.looped).to_string()
        }),
        ("faults of the host or a machine", |t| t.faults.to_string()),
    ];
    let names = vec!["rank order on".to_owned(), "rank order off".to_owned()];
    let rows = ROWS.iter().map(|(label, value)| {
        let values = vec![value(&comparison.enforced), value(&comparison.off)];
        ((*label).to_owned(), values)
    });
    render(names, rows)
}

pub(super) fn render(
    names: Vec<String>,
    rows: impl Iterator<Item = (String, Vec<String>)>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    let columns = names.len();
    table.set_header([String::new()].into_iter().chain(names));
    for (label, values) in rows {
        table.add_row([label].into_iter().chain(values));
    }
    for column in 1..=columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}
