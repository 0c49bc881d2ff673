//! What the compiler says after the expansion: first of all, it points at what the user wrote, in every edition.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::{cases, rustc};

/// The crates that cases name.
const CRATES: [&str; 5] = ["retry_runtime", "retry_tests", "tokio", "anyhow", "thiserror"];

/// The first error of a case: its line and column, and its text.
#[derive(Debug, PartialEq)]
struct First {
    line: usize,
    column: usize,
    text: String,
}

/// The library of a crate that was built last, among those that this test was linked with.
fn library(name: &str, folder: &Path) -> PathBuf {
    let prefix = format!("lib{name}-");
    let libraries = fs::read_dir(folder).expect("a readable folder").flatten().map(|entry| entry.path());
    let built =
        |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    libraries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rlib"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
        .max_by_key(built)
        .unwrap_or_else(|| panic!("{name} is built in {}", folder.display()))
}

fn first_error(case: &Path, edition: &str) -> First {
    let test = env::current_exe().expect("a path");
    let libraries = test.parent().expect("a folder");
    let mut command = Command::new(rustc());
    command.args(["--edition", edition, "--emit=metadata", "--error-format=short", "--out-dir"]);
    command.arg(env!("CARGO_TARGET_TMPDIR")).arg("-L").arg(format!("dependency={}", libraries.display()));
    for name in CRATES {
        command.arg("--extern").arg(format!("{name}={}", library(name, libraries).display()));
    }
    let output = command.arg(case).output().expect("rustc runs");
    let output = String::from_utf8_lossy(&output.stderr);
    // file.rs:6:8: error[E0308]: mismatched types
    let first = output.lines().find(|line| line.contains(": error")).unwrap_or_else(|| panic!("{output}"));
    let place = first.strip_prefix(&format!("{}:", case.display())).unwrap_or_else(|| panic!("{first}"));
    let mut parts = place.splitn(3, ':');
    let mut number =
        || parts.next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{first}"));
    First { line: number(), column: number(), text: parts.next().unwrap_or_default().to_owned() }
}

#[test]
fn the_first_error_is_at_what_the_user_wrote() {
    for case in ["compiler", "returns"].iter().flat_map(|topic| cases(&Path::new("ui/fail").join(topic))) {
        let first = first_error(&case, "2024");
        assert_eq!(first, first_error(&case, "2021"), "{}", case.display());
        assert!(!first.text.contains("__"), "{}: {first:?}", case.display());
        let code = fs::read_to_string(&case).expect("a readable case");
        let line = code.lines().nth(first.line - 1).unwrap_or_default();
        let is_attribute = line.get(first.column - 1..).is_some_and(|rest| rest.starts_with("#["));
        assert!(!is_attribute, "{}: {first:?}", case.display());
    }
}
