//! One line per fetch.

use std::io::Write;

use super::Document;

/// Writes all fetches of all runs.
///
/// # Errors
/// `out` cannot be written.
pub fn write_csv(document: &Document, out: impl Write) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "system",
        "seed",
        "at",
        "from",
        "group",
        "start_s",
        "fct_s",
        "octets",
        "startup_s",
        "converged_s",
        "probes",
        "interests",
        "paths",
    ])?;
    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for system in &document.systems {
        for run in &system.runs {
            for flow in &run.flows {
                writer.write_record([
                    system.name,
                    &run.seed.to_string(),
                    &flow.at,
                    &flow.from,
                    &flow.group.to_string(),
                    &flow.start_s.to_string(),
                    &text(flow.fct_s),
                    &flow.octets.to_string(),
                    &text(flow.startup_s),
                    &text(flow.converged_s),
                    &flow.probes.to_string(),
                    &flow.interests.to_string(),
                    &flow.paths.to_string(),
                ])?;
            }
        }
    }
    writer.flush()?;
    Ok(())
}
