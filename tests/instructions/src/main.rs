//! Counts instructions and compares them with the recorded baseline.

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use clap::Parser;
use mars_instructions::ledger::{Baseline, Entry, failures, table};
use mars_instructions::{Group, count, groups, run_under_callgrind, worst};

/// Counts instructions with callgrind and compares them with the recorded baseline.
#[derive(Parser)]
struct Arguments {
    /// Only cases with this in their group or name.
    #[arg(default_value = "")]
    filter: String,
    /// Take the counts for the new baseline.
    #[arg(long)]
    bless: bool,
    /// Go through the cases and count nothing.
    #[arg(long, hide = true)]
    under_callgrind: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut groups = groups();
    for Group { name, cases } in &mut groups {
        cases.retain(|case| format!("{name}: {}", case.name).contains(&arguments.filter));
    }
    if arguments.under_callgrind {
        let cases: Vec<_> = groups.iter().flat_map(|group| &group.cases).collect();
        run_under_callgrind(&cases);
        return ExitCode::SUCCESS;
    }
    match compare(&groups, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts, prints, and says whether the gate is passed.
fn compare(groups: &[Group], arguments: &Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("baseline.toml");
    let mut baseline: Baseline = match fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text)?,
        Err(_) => Baseline::new(),
    };
    let cases: Vec<_> = groups.iter().flat_map(|group| &group.cases).collect();
    let counts = count(&cases, &arguments.filter)?;
    let named = groups
        .iter()
        .flat_map(|group| group.cases.iter().map(|case| (group.name, case)));
    let entries: Vec<Entry> = named
        .zip(&counts)
        .map(|((group, case), count)| Entry {
            group: group.into(),
            case: case.name.clone(),
            count: *count,
            baseline: baseline.get(group).and_then(|b| b.get(&case.name)).copied(),
            bar: case.bar,
            peer: case.peer,
        })
        .collect();
    println!("{}", table(&entries));
    let worst: Vec<_> = entries
        .iter()
        .filter(|entry| entry.group == "worst")
        .map(|entry| (entry.case.clone(), entry.count))
        .collect();
    if !worst.is_empty() {
        println!("{}", worst::verdict(&worst)?);
    }
    if arguments.bless {
        if arguments.filter.is_empty() {
            baseline.clear();
        }
        for entry in entries.into_iter().filter(|entry| !entry.peer) {
            let group = baseline.entry(entry.group).or_default();
            group.insert(entry.case, entry.count);
        }
        fs::write(&path, toml::to_string(&baseline)?)?;
        println!("recorded in {}", path.display());
        return Ok(true);
    }
    let failures = failures(&entries);
    for failure in &failures {
        eprintln!("error: {failure}");
    }
    Ok(failures.is_empty())
}
