//! The program under callgrind, and what callgrind says.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use crate::Case;

/// Pattern of the name of the function whose calls are counted.
const MEASURED: &str = "*::instructions_measured";

/// The argument that tells the program that it is run under callgrind.
const UNDER_CALLGRIND: &str = "--under-callgrind";

/// Why nothing was counted.
#[derive(Debug)]
pub enum CountError {
    /// There is no valgrind.
    NoValgrind,
    /// It could not be run, or its files not be read.
    Io(io::Error),
    /// The program failed under valgrind, or what valgrind wrote is not understood.
    Failed(String),
}

impl std::fmt::Display for CountError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoValgrind => f.write_str(
                "valgrind was not found, so NOTHING WAS COUNTED AND NOTHING COMPARED. \
                 It is in the Debian package `valgrind`: apt-get install valgrind",
            ),
            Self::Io(error) => error.fmt(f),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for CountError {}

impl From<io::Error> for CountError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What the program does when it is run under callgrind.
pub fn run_under_callgrind(cases: &[&Case]) {
    for case in cases {
        case.run_measured();
    }
}

/// Instructions per operation of each of `cases`, which the program finds again by `filter`.
///
/// # Errors
/// See [`CountError`].
pub fn count(cases: &[&Case], filter: &str) -> Result<Vec<u64>, CountError> {
    let program = std::env::current_exe()?;
    let dir = program.with_extension(format!("callgrind-{}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let counts = count_in(&dir, &program, cases, filter);
    fs::remove_dir_all(&dir)?;
    counts
}

fn count_in(
    dir: &Path,
    program: &Path,
    cases: &[&Case],
    filter: &str,
) -> Result<Vec<u64>, CountError> {
    let out = dir.join("out");
    // A fixed environment, because its size moves the stack and so the alignment of copies.
    let output = Command::new("valgrind")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(format!("--zero-before={MEASURED}"))
        .arg(format!("--dump-after={MEASURED}"))
        .arg(program)
        .args([UNDER_CALLGRIND, filter])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CountError::NoValgrind,
            _ => CountError::Io(error),
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(CountError::Failed(said));
    }
    // Two dumps for each case, numbered from 1.
    let mut dumps = (1..).map(|number| total(&out.with_extension(number.to_string())));
    let mut next = || dumps.next().unwrap_or(Ok(0));
    cases
        .iter()
        .map(|case| {
            let [few, many] = case.rounds.map(u64::from);
            let (low, high) = (next()?, next()?);
            let operations = (many - few) * case.per;
            Ok((high.saturating_sub(low) + operations / 2) / operations)
        })
        .collect()
}

/// The instructions of one dump.
fn total(dump: &Path) -> Result<u64, CountError> {
    let failed = |why| CountError::Failed(format!("{why} in {}", dump.display()));
    let text = fs::read_to_string(dump).map_err(|_| failed("callgrind left no dump"))?;
    text.lines()
        .find_map(|line| line.strip_prefix("summary: "))
        .and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| failed("no summary"))
}
