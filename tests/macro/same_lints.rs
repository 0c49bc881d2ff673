//! An annotated function causes the warnings of rustc and clippy that the same function causes without the attribute,
//! no more and no fewer.
//!
//! Every file in `samples/` goes into a crate twice: as it is, and without its attributes. The first line of a sample
//! names lints that must be among its warnings, so that nothing is compared with nothing.
//!
//! Where the two cannot be the same, the line says so, and the test holds it to that:
//!
//! - `// only plain: LINT`: the attribute silences it. A `mut` argument of which each attempt gets its own is a
//!   variable of the function that the attempt uses, so rustc does not see that it is assigned and never read. A
//!   receiver by value has another name in the attempt, and some lints of clippy pass over code whose text is not what
//!   they read.
//! - `// only annotated: LINT`: clippy passes over functions that a `macro_rules!` wrote, but not over the attempt in
//!   them, which has the place of the body; and what `#[async_trait]` writes round a body hides its last line from
//!   clippy, but wraps ours where it stands below.
//!
//! `clippy::unused_async` is left out: it is about an `async fn` that waits for nothing, and an annotated one waits for
//! its attempts.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where the crate is written, and what it is built in.
const CRATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/same-lints");

/// Left out.
const EXCEPTED: &[&str] = &["clippy::unused_async"];

/// What both files start with, so that their lines are the same.
const PRELUDE: &str = "#[allow(unused_imports)] use crate::*; ";

const LINTS: &str = "\
#![warn(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#![warn(unused, missing_docs, missing_debug_implementations, unreachable_pub, let_underscore_drop)]
#![warn(single_use_lifetimes, unused_lifetimes, unused_qualifications, unused_results, unit_bindings)]
#![warn(trivial_casts, trivial_numeric_casts, redundant_lifetimes, rust_2018_idioms, rust_2024_compatibility)]
";

const SHARED: &str = "
pub use std::future::Future;

/// The error of all samples.
#[derive(Debug)]
pub enum Error {
    /// Worth another attempt.
    Down,
    /// Where a give-up goes.
    GaveUp(retry_runtime::GaveUp),
}

impl From<retry_runtime::GaveUp> for Error {
    fn from(gave_up: retry_runtime::GaveUp) -> Self {
        Self::GaveUp(gave_up)
    }
}

/// Waits.
pub async fn tick() -> Result<(), Error> {
    tokio::task::yield_now().await;
    Err(Error::Down)
}

/// Waits for a number.
pub async fn number(n: u32) -> Result<u32, Error> {
    tokio::task::yield_now().await;
    Ok(n)
}

/// Fails, perhaps.
pub fn fallible() -> Result<(), Error> {
    Err(Error::Down)
}
";

/// These have methods in the samples, so each copy has its own.
const TYPES: &str = "#[derive(Debug)] pub struct Token(pub u32); \
    #[derive(Clone, Debug)] pub struct Pair { pub left: u32, pub right: u32 } ";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Warning {
    line: u64,
    column: u64,
    end: (u64, u64),
    lint: String,
    text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}: {}", self.line, self.column, self.lint, self.text)
    }
}

struct Sample {
    name: String,
    text: String,
}

fn samples() -> Vec<Sample> {
    let files = fs::read_dir("samples").expect("the folder of samples");
    let mut samples: Vec<Sample> = files
        .map(|file| file.expect("a readable folder").path())
        .map(|path| Sample {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).expect("a readable sample"),
        })
        .collect();
    samples.sort_by(|left, right| left.name.cmp(&right.name));
    samples
}

impl Sample {
    /// The lints that the first line names.
    fn fires(&self) -> Vec<&str> {
        let first = self.text.lines().next().unwrap_or_default();
        let lints = first.strip_prefix("// fires:").expect("the first line names lints");
        lints.split(',').map(str::trim).filter(|lint| !lint.is_empty()).collect()
    }

    /// The lines with this comment, each with a lint that it names.
    fn marked(&self, marker: &str) -> BTreeSet<(u64, &str)> {
        let lines = (1..).zip(self.text.lines());
        let lints = lines.filter_map(|(number, line)| Some((number, line.split_once(marker)?.1)));
        lints.flat_map(|(number, lints)| lints.split(", ").map(move |lint| (number, lint))).collect()
    }

    /// Each attribute has a line of its own, which one that means nothing takes: an empty line would be a warning.
    fn plain(&self) -> String {
        let is_attribute = |line: &&str| line.trim_start().starts_with("#[retry(");
        let line = |line| if is_attribute(&line) { "#[cfg(any(unix, windows))]" } else { line };
        self.text.lines().flat_map(|each| [line(each), "\n"]).collect()
    }

    fn annotated(&self) -> String {
        self.text.replace("#[retry(", "#[retry_runtime::retry(").replace("on = Down", "on = Error::Down")
    }
}

fn write_crate(samples: &[Sample]) {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../retry-runtime");
    let runtime = fs::canonicalize(runtime).expect("the runtime's folder");
    let root = Path::new(CRATE);
    for copy in ["plain", "annotated"] {
        fs::create_dir_all(root.join("src").join(copy)).expect("a folder");
    }
    let manifest = format!(
        "[package]\nname = \"same-lints\"\nedition = \"2024\"\n\n[dependencies]\nasync-trait = \"0.1\"\n\
         retry-runtime = {{ path = {runtime:?} }}\ntokio = {{ version = \"1\", features = [\"rt\"] }}\n\n[workspace]\n"
    );
    fs::write(root.join("Cargo.toml"), manifest).expect("a manifest");
    // The versions of the workspace, so that nothing is fetched.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, root.join("Cargo.lock")).expect("a lock file");
    let mut lib = format!("{LINTS}{SHARED}");
    for copy in ["plain", "annotated"] {
        lib.push_str(&format!("\n/// Copies.\npub mod {copy} {{\n"));
        for sample in samples {
            lib.push_str(&format!("    /// A copy.\n    pub mod {};\n", sample.name));
            let text = if copy == "plain" { sample.plain() } else { sample.annotated() };
            let path = root.join("src").join(copy).join(format!("{}.rs", sample.name));
            fs::write(path, format!("{PRELUDE}{TYPES}{text}")).expect("a copy");
        }
        lib.push_str("}\n");
    }
    fs::write(root.join("src/lib.rs"), lib).expect("a lib.rs");
}

/// The warnings of each file, by its path below `src`.
fn clippy() -> BTreeMap<PathBuf, BTreeSet<Warning>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["clippy", "--offline", "--quiet", "--message-format=json"])
        .current_dir(CRATE)
        .env("CARGO_TARGET_DIR", Path::new(CRATE).join("target"))
        // What is denied by default is compared as well.
        .env("RUSTFLAGS", "--cap-lints=warn")
        .output()
        .expect("cargo runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut warnings: BTreeMap<PathBuf, BTreeSet<Warning>> = BTreeMap::new();
    let mut errors = String::new();
    for line in stdout.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let message = &line["message"];
        if line["reason"] != "compiler-message" || line["target"]["name"] != "same_lints" {
            continue;
        }
        if message["level"] == "error" {
            errors.push_str(message["rendered"].as_str().unwrap_or_default());
        }
        let spans = message["spans"].as_array().expect("spans");
        let Some(span) = spans.iter().find(|span| span["is_primary"] == true) else { continue };
        let number = |key: &str| span[key].as_u64().unwrap_or_default();
        let warning = Warning {
            line: number("line_start"),
            column: number("column_start"),
            end: (number("line_end"), number("column_end")),
            lint: message["code"]["code"].as_str().unwrap_or_default().to_owned(),
            text: message["message"].as_str().unwrap_or_default().replace("annotated::", "plain::"),
        };
        let file = Path::new(span["file_name"].as_str().unwrap_or_default());
        warnings.entry(file.strip_prefix("src").unwrap_or(file).to_owned()).or_default().insert(warning);
    }
    assert!(errors.is_empty(), "the samples compile:\n{errors}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    warnings
}

#[test]
fn with_the_attribute_and_without_it() {
    let samples = samples();
    assert!(samples.len() >= 9, "{} samples", samples.len());
    write_crate(&samples);
    let warnings = clippy();
    let of = |copy: &str, sample: &Sample| {
        let path = Path::new(copy).join(format!("{}.rs", sample.name));
        let mut warnings = warnings.get(&path).cloned().unwrap_or_default();
        warnings.retain(|warning| !EXCEPTED.contains(&warning.lint.as_str()));
        warnings
    };
    let mut differences = String::new();
    for sample in &samples {
        let (plain, annotated) = (of("plain", sample), of("annotated", sample));
        for lint in sample.fires() {
            if !plain.iter().any(|warning| warning.lint == lint) {
                differences.push_str(&format!("? samples/{}.rs: {lint} does not fire\n", sample.name));
            }
        }
        for (sign, warnings, marker) in [
            ("+", annotated.difference(&plain), "// only annotated: "),
            ("-", plain.difference(&annotated), "// only plain: "),
        ] {
            let mut expected = sample.marked(marker);
            for warning in warnings {
                if !expected.remove(&(warning.line, warning.lint.as_str())) {
                    differences.push_str(&format!("{sign} samples/{}.rs:{warning}\n", sample.name));
                }
            }
            for (line, lint) in expected {
                differences.push_str(&format!("? samples/{}.rs:{line} {lint} is the same\n", sample.name));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "more (+) and fewer (-) warnings with the attribute, what a sample says about itself (?):\n{differences}"
    );
}
