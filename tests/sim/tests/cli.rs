//! What users meet: exit codes, messages, files.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mars-sim"))
        .args(args)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

/// A path for a file of this test's own.
fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Exit code 2, no panic, and a message that holds all `parts`.
fn refused(args: &[&str], parts: &[&str]) {
    let output = sim(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
    assert!(!text.contains("panicked"), "{args:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{args:?} lacks `{part}`: {text}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    refused(
        &["wan", "--clients", "0"],
        &["--clients", "from 1", "got 0"],
    );
    refused(
        &["wan", "--clients", "1"],
        &["--clients", "at least one for each of 2 servers"],
    );
    refused(&["wan", "--servers", "0"], &["--servers", "from 1"]);
    refused(&["wan", "--links", "1000"], &["--links", "to 64"]);
    refused(
        &["wan", "--loss", "2.0"],
        &["--loss", "probability from 0 to 1"],
    );
    refused(
        &["wan", "--loss", "NaN"],
        &["--loss", "probability from 0 to 1"],
    );
    refused(
        &["wan", "--loss=-1"],
        &["--loss", "probability from 0 to 1"],
    );
    refused(&["wan", "--bytes", "36XB"], &["--bytes", "36MB"]);
    refused(&["wan", "--bytes", "0"], &["--bytes", "from 1"]);
    refused(&["wan", "--chunk", "0"], &["--chunk", "from 1"]);
    refused(&["wan", "--chunk", "9000"], &["--chunk", "got 9000"]);
    refused(&["wan", "--seeds", "0"], &["--seeds"]);
    refused(&["wan", "--jobs", "0"], &["--jobs"]);
    refused(&["wan", "--deploy", "moon"], &["--deploy", "full"]);
    refused(&["wan", "--stagger", "x"], &["--stagger"]);
    refused(
        &["discover", "--topology", "torus"],
        &["--topology", "unknown topology", "line, ring"],
    );
    refused(
        &["discover", "--nodes", "9..4"],
        &["--nodes", "a range as in 4..25"],
    );
    refused(&["discover", "--nodes", "1"], &["--nodes", "from 2"]);
    refused(
        &["discover", "--nodes", "4000000000"],
        &["--nodes", "to 128"],
    );
    refused(
        &["discover", "--consumers", "0"],
        &["--consumers", "from 1"],
    );
    refused(
        &["discover", "--duplicate", "7"],
        &["--duplicate", "probability"],
    );
    refused(&["fly"], &["fly"]);
}

#[test]
fn a_missing_object_is_refused_by_name() {
    refused(
        &["wan", "--object", "no-such-file"],
        &["--object", "no-such-file", "readable file"],
    );
    let empty = scratch("empty-object");
    std::fs::write(&empty, "").unwrap();
    refused(
        &["wan", "--object", empty.to_str().unwrap()],
        &["--object", "at least one octet"],
    );
}

#[test]
fn hostile_scenario_files_are_refused_with_their_line() {
    let cases: &[(&str, &[&str])] = &[
        ("[wan]\nclients = 0\n", &["line 2", "clients", "got 0"]),
        (
            "[wan]\n\nloss = 2.0\n",
            &["line 3", "loss = 2.0", "probability from 0 to 1"],
        ),
        ("[wan]\nservers = -5\n", &["line 2", "servers"]),
        (
            "[wan]\ncolour = 1\n",
            &["line 2", "unknown field `colour`", "expected one of"],
        ),
        (
            "[discover]\ntopology = \"torus\"\n",
            &["line 2", "unknown topology `torus`"],
        ),
        (
            "[wan]\nobject = \"/no/such/file\"\n",
            &["object", "/no/such/file"],
        ),
        ("[wan", &["line 1"]),
        ("", &["exactly one of [wan], [discover] and [graph]"]),
        ("seed = 99999999999999999999999\n[wan]\n", &["line 1"]),
        (
            "[graph]\nlinks = []\nproducers = []\nfetches = []\n",
            &["line 2", "links"],
        ),
    ];
    for (number, (text, parts)) in cases.iter().enumerate() {
        let file = scratch(&format!("hostile-{number}.toml"));
        std::fs::write(&file, text).unwrap();
        refused(&["run", file.to_str().unwrap()], parts);
    }
    let octets = scratch("hostile-octets.toml");
    std::fs::write(&octets, [0xff, 0xfe, 0x00]).unwrap();
    refused(&["run", octets.to_str().unwrap()], &["hostile-octets.toml"]);
    refused(&["run", "no-such.toml"], &["no-such.toml"]);
}

#[test]
fn seeds_beyond_64_bits_are_refused() {
    let last = "18446744073709551615";
    refused(&["wan", "--seed", last], &["--seed", last]);
    refused(&["discover", "--seed", last], &["--seed", last]);
}

#[test]
fn outputs_that_cannot_be_are_refused() {
    let discover = shipped("discover.toml");
    for option in ["--csv", "--html"] {
        refused(&["run", &discover, option, "x"], &[option, "[discover]"]);
    }
    refused(
        &["wan", "--json", "same", "--csv", "./same"],
        &["--csv", "--json", "./same"],
    );
    refused(
        &["run", &discover, "--csv", "same", "--html", "same"],
        &["--html", "--csv"],
    );
    refused(&["wan", "--json", "out/wan.html"], &["--html", "--json"]);
    refused(
        &["wan", "--bytes", "1MB", "--object", "x"],
        &["--bytes", "--object", "cannot be used with"],
    );
}

#[test]
fn a_scenario_has_an_end() {
    let file = scratch("long.toml");
    let text = "[discover]\n".to_owned() + &"#\n".repeat(1 << 19);
    std::fs::write(&file, text).unwrap();
    refused(
        &["run", file.to_str().unwrap()],
        &["long.toml", "at most 1048576 octets"],
    );
}

const SHIPPED: [&str; 3] = ["wan.toml", "discover.toml", "graph.toml"];

fn shipped(name: &str) -> String {
    format!("{}/scenarios/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_shipped_scenarios_run_and_are_named() {
    for told in [sim(&["list"]), sim(&["run", "--help"])] {
        let text = String::from_utf8(told.stdout).unwrap();
        for name in SHIPPED {
            let path = format!("tests/sim/scenarios/{name}");
            assert!(text.contains(&path), "{path}: {text}");
        }
    }
    for name in SHIPPED {
        let json = scratch(&format!("shipped-{name}.json"));
        let output = sim(&["run", &shipped(name), "--json", json.to_str().unwrap()]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {error}");
        assert!(json.exists(), "{name}");
    }
}

/// What becomes of a command whose output goes to `stdout`.
#[cfg(unix)]
fn into(args: &[&str], stdout: impl Into<std::process::Stdio>) -> (Option<i32>, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_mars-sim"))
        .args(args)
        .stdout(stdout)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(into(&["list"], writer), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told_after_the_files_are_written() {
    let full = || std::fs::File::create("/dev/full").unwrap();
    let (code, text) = into(&["list"], full());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.starts_with("error: standard output: "), "{text}");
    let json = scratch("full.json");
    let _ = std::fs::remove_file(&json);
    let discover = shipped("discover.toml");
    let (code, text) = into(
        &["run", &discover, "--json", json.to_str().unwrap()],
        full(),
    );
    assert_eq!(code, Some(1), "{text}");
    assert!(json.exists());
}

#[test]
fn the_list_names_all_there_is() {
    let output = sim(&["list"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for name in [
        "wan", "discover", "mars", "line", "ring", "triangle", "ladder", "star", "mesh", "random",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
}

#[test]
fn a_run_writes_its_files_and_no_progress_off_a_terminal() {
    let (json, csv, html) = (scratch("run.json"), scratch("run.csv"), scratch("run.html"));
    let output = sim(&[
        "wan",
        "--servers",
        "1",
        "--clients",
        "2",
        "--links",
        "3",
        "--bytes",
        "200kB",
        "--json",
        json.to_str().unwrap(),
        "--csv",
        csv.to_str().unwrap(),
        "--html",
        html.to_str().unwrap(),
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.stderr, b"", "no progress bar off a terminal");
    assert!(text.contains("wire limit L: 0.069 s"), "{text}");

    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert!(document["settings"].get("objects verified").is_none());
    let system = &document["systems"][0];
    assert_eq!(system["name"], "mars");
    for field in [
        "p95_fct_s_max",
        "p95_fct_s_median",
        "jain_min",
        "jain_median",
        "paths_min",
        "discovery_startup_s_max",
        "discovery_share_of_fct_max",
        "looped_interests",
        "interest_bytes_max",
        "data_bytes_max",
        "nack_bytes_max",
        "events_per_s",
    ] {
        assert!(system[field].is_number(), "{field}: {}", system[field]);
    }
    let table = std::fs::read_to_string(csv).unwrap();
    assert_eq!(table.lines().count(), 3, "a head and two fetches: {table}");

    let page = std::fs::read_to_string(html).unwrap();
    assert_eq!(page.matches("<svg").count(), 4, "four plots");
    for needless in ["<script", "http-equiv", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(needless), "{needless}");
    }
    for wanted in [
        "time [s]",
        "[Mbit/s]",
        "packets waiting",
        "mars-sim wan --servers 1",
        "server1",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn a_real_file_is_moved_and_its_digest_compared() {
    let object = scratch("object.bin");
    let octets: Vec<u8> = (0..150_001u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    std::fs::write(&object, &octets).unwrap();
    let json = scratch("object.json");
    for wire in [false, true] {
        let mut args = vec![
            "wan",
            "--servers",
            "1",
            "--clients",
            "2",
            "--links",
            "3",
            "--loss",
            "0.01",
            "--object",
            object.to_str().unwrap(),
            "--json",
            json.to_str().unwrap(),
            "--html",
            "object.html",
        ];
        if wire {
            args.push("--wire");
        }
        let output = sim(&args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let document: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        let settings = &document["settings"];
        assert_eq!(settings["objects verified"], "2 of 2");
        assert_eq!(settings["groups start after, in turn"], "0 s, 1 s, 2 s");
        for flow in document["systems"][0]["runs"][0]["flows"]
            .as_array()
            .unwrap()
        {
            assert_eq!(flow["octets"], octets.len());
        }
    }
}

#[test]
fn another_process_writes_the_same_octets_but_for_speed_figures() {
    let told = |name: &str, more: &[&str]| {
        let json = scratch(name);
        let mut args = vec![
            "wan",
            "--servers",
            "2",
            "--clients",
            "4",
            "--links",
            "3",
            "--bytes",
            "300kB",
            "--loss",
            "0.01",
            "--seeds",
            "3",
            "--html",
            "same.html",
            "--json",
            json.to_str().unwrap(),
        ];
        args.extend(more);
        let output = sim(&args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = std::fs::read_to_string(json).unwrap();
        let speed = |line: &&str| line.contains("\"events_per_s\"") || line.contains("\"wall_s\"");
        assert_eq!(text.lines().filter(speed).count(), 2);
        text.lines()
            .filter(|line| !speed(line))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let once = told("once.json", &[]);
    assert_eq!(once, told("again.json", &[]));
    assert_eq!(once, told("wire.json", &["--wire"]));
    assert_eq!(once, told("jobs.json", &["--jobs", "3"]));
    assert_ne!(once, told("other.json", &["--seed", "2"]));
}

#[test]
fn a_network_is_surveyed_drawn_and_told() {
    let (json, html, svg) = (scratch("net.json"), scratch("net.html"), scratch("net.svg"));
    let path = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let output = sim(&[
        "discover",
        "--topology",
        "abilene",
        "--pairs",
        "10",
        "--jobs",
        "2",
        "--json",
        &path(&json),
        "--html",
        &path(&html),
        "--svg",
        &path(&svg),
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("12 / 15"), "{text}");
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let survey = &document["topologies"][0];
    assert_eq!(survey["topology"], "abilene");
    assert_eq!(survey["pairs"].as_array().unwrap().len(), 10);
    assert!(survey["summary"]["found_over_eligible_mean"].is_number());
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    let page = std::fs::read_to_string(html).unwrap();
    assert_eq!(page.matches("<svg").count(), 1);
    for needless in ["<script", "src=", "href=", "url("] {
        assert!(!page.contains(needless), "{needless}");
    }
}

#[test]
fn settings_of_networks_that_cannot_be_are_refused_by_name() {
    let on = |topology: &'static str, more: &[&'static str], parts: &[&str]| {
        let args = [&["discover", "--topology", topology], more].concat();
        refused(&args, parts);
    };
    on(
        "geant",
        &["--nodes", "5"],
        &["--nodes", "only small graphs"],
    );
    on("geant", &["--seeds", "5"], &["--seeds"]);
    on("geant", &["--from", "xx"], &["--from", "at1.at", "`xx`"]);
    on("ring", &["--pairs", "5"], &["--pairs", "a network"]);
    on("ring", &["--svg", "x.svg"], &["--svg", "a network"]);
    on("all", &["--svg", "x.svg"], &["--svg", "one network"]);
    on(
        "geant",
        &["--svg", "x", "--html", "./x"],
        &["--svg", "--html"],
    );
    on("./no-such", &[], &["--topology", "./no-such"]);
    let file = scratch("bad-network.txt");
    std::fs::write(&file, "node a A 1 2\nnode b B 3 4\nlink a b far\n").unwrap();
    let path = file.to_str().unwrap();
    refused(
        &["discover", "--topology", path],
        &["bad-network.txt", "line 3", "km", "`far`"],
    );
    std::fs::write(&file, "node a A 1 2\nnode b B 3 4\nlink a b 9\n").unwrap();
    assert!(sim(&["discover", "--topology", path]).status.success());
}
