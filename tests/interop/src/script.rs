//! A stack in another language, as a child process that answers one line of JSON with another.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::fields::{Fields, hex, unhex};
use crate::keys::{ED25519_SEED, HMAC_KEY, ed25519_public};
use crate::stack::Stack;

/// A running script.
#[derive(Debug)]
pub struct Script {
    name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Where a script is, and what must be installed for it.
struct Place {
    name: &'static str,
    program: PathBuf,
    script: PathBuf,
    installed: PathBuf,
}

impl Script {
    /// `NDNts`, if `run.sh` has installed it; otherwise says so, loudly.
    #[must_use]
    pub fn ndnts() -> Option<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::start(&Place {
            name: "NDNts 0.0.20250307",
            program: "node".into(),
            script: here.join("ndnts/script.mjs"),
            installed: here.join("ndnts/node_modules/.package-lock.json"),
        })
    }

    /// python-ndn, if `run.sh` has installed it; otherwise says so, loudly.
    #[must_use]
    pub fn python_ndn() -> Option<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::start(&Place {
            name: "python-ndn 0.5.2",
            program: here.join(".venv/bin/python"),
            script: here.join("python/script.py"),
            installed: here.join(".venv/installed"),
        })
    }

    fn start(place: &Place) -> Option<Self> {
        if !place.installed.exists() {
            skip(place.name);
            return None;
        }
        let keys = json!({
            "hmac": hex(&HMAC_KEY),
            "ed25519_seed": hex(&ED25519_SEED),
            "ed25519_public": hex(&ed25519_public()),
        });
        let mut child = Command::new(&place.program)
            .arg(&place.script)
            .arg(keys.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", place.name));
        Some(Self {
            name: place.name,
            requests: child.stdin.take().expect("piped"),
            answers: BufReader::new(child.stdout.take().expect("piped")),
            child,
        })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// Why the script refused.
    pub fn ask(&mut self, request: &Value) -> Result<Value, String> {
        writeln!(self.requests, "{request}").expect("the script reads");
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .expect("the script answers");
        let answer: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{}: {error} in {line:?}", self.name));
        match answer.get("refused") {
            Some(why) => Err(why.as_str().unwrap_or_default().to_owned()),
            None => Ok(answer),
        }
    }
}

impl Stack for Script {
    fn name(&self) -> &'static str {
        self.name
    }

    fn decode(&mut self, octets: &[u8]) -> Result<Fields, String> {
        let answer = self.ask(&json!({ "do": "decode", "hex": hex(octets) }))?;
        Ok(fields_of(&answer))
    }

    fn encode(&mut self, fields: &Fields) -> Result<Vec<u8>, String> {
        let answer = self.ask(&json!({ "do": "encode", "fields": fields }))?;
        Ok(octets_of(&answer))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fields_of(answer: &Value) -> Fields {
    answer["fields"].as_object().expect("fields").clone()
}

fn octets_of(answer: &Value) -> Vec<u8> {
    unhex(answer["hex"].as_str().expect("octets"))
}

/// Says so once for each stack, and past the test harness, which keeps to itself what a test that
/// passes prints.
fn skip(name: &'static str) {
    static SAID: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let required = std::env::var_os("MARS_INTEROP").is_some_and(|value| value == "required");
    assert!(!required, "{name} is not installed");
    if SAID.lock().expect("nobody panics with it").insert(name) {
        let text = format!(
            "\n*** SKIPPED: {name} is not installed. `bash tests/interop/run.sh` installs it and runs \
             these tests with it.\n\n"
        );
        // Where nobody listens, nobody is told.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
