//! What the attribute refuses, and in which words: one mistake a file, in a folder a topic.
//!
//! The texts are compared on the compiler they were recorded with. On another one, whose own part of a message may
//! read differently, each case must still fail to compile.

mod editions;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler that the `.stderr` files were recorded with.
const RECORDED_WITH: &str = "1.95";

/// The topics, and how many cases each has at least: a glob that matches nothing would pass.
const TOPICS: &[(&str, usize)] = &[
    ("args", 45),
    ("block", 11),
    ("borrow", 5),
    ("compiler", 96),
    ("duration", 28),
    ("function", 22),
    ("guards", 44),
    ("hedge", 16),
    ("limits", 18),
    ("on", 34),
    ("policy", 2),
    ("returns", 21),
    ("values", 26),
    ("waits", 17),
    ("when", 15),
];

/// Where the copies are that are compiled without comparing.
const UNCOMPARED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/ui-fail");

fn cases(topic: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(topic).unwrap_or_else(|error| panic!("{}: {error}", topic.display()));
    let files = files.map(|file| file.expect("a readable folder").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"))
}

fn compiler() -> String {
    let output = Command::new(rustc()).arg("--version").output().expect("rustc runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn is_recorded(compiler: &str) -> bool {
    let version = compiler.split_whitespace().nth(1).unwrap_or_default();
    version.strip_prefix(RECORDED_WITH).is_some_and(|patch| patch.starts_with('.')) && !version.contains('-')
}

/// Whether the compiler can show lines of the standard library, which it could not when the texts were recorded.
fn shows_std() -> bool {
    let output = Command::new(rustc()).args(["--print", "sysroot"]).output().expect("rustc runs");
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Path::new(&sysroot).join("lib/rustlib/src/rust/library").exists()
}

/// Whether the text of this case points into the standard library.
fn mentions_std(case: &Path) -> bool {
    fs::read_to_string(case.with_extension("stderr")).is_ok_and(|text| text.contains("$RUST"))
}

#[test]
fn every_topic_has_its_cases() {
    let mut found: Vec<_> =
        fs::read_dir("ui/fail").expect("the folder of topics").flatten().map(|e| e.file_name()).collect();
    found.sort();
    assert_eq!(found, TOPICS.iter().map(|topic| topic.0).collect::<Vec<_>>());
    for (topic, least) in TOPICS {
        let count = cases(&Path::new("ui/fail").join(topic)).len();
        assert!(count >= *least, "{topic}: {count} cases, at least {least}");
    }
}

#[test]
fn fail() {
    let compiler = compiler();
    let (is_recorded, shows_std) = (is_recorded(&compiler), shows_std());
    let cases = TOPICS.iter().flat_map(|(topic, _)| cases(&Path::new("ui/fail").join(topic)));
    let (compared, uncompared): (Vec<_>, Vec<_>) =
        cases.partition(|case| is_recorded && !(shows_std && mentions_std(case)));
    if !uncompared.is_empty() {
        let count = uncompared.len();
        println!("{compiler}: {count} texts were recorded with {RECORDED_WITH} and are not compared");
        fail_to_compile(&uncompared);
    }
    let tests = trybuild::TestCases::new();
    for case in compared {
        tests.compile_fail(case);
    }
}

fn fail_to_compile(cases: &[PathBuf]) {
    let _ = fs::remove_dir_all(UNCOMPARED);
    fs::create_dir_all(UNCOMPARED).expect("a folder for the copies");
    for case in cases {
        let name: Vec<_> = case.iter().skip(2).map(|part| part.to_string_lossy()).collect();
        fs::copy(case, Path::new(UNCOMPARED).join(name.join("-"))).expect("a copy");
    }
    // Overwriting accepts any text, but no case that compiles; the variable is read by the process, so another one.
    let status = Command::new(env::current_exe().expect("a path"))
        .args(["--ignored", "--exact", "fail_without_comparing"])
        .env("TRYBUILD", "overwrite")
        .status()
        .expect("the test runs again");
    assert!(status.success(), "a case that must not compile does");
}

#[test]
#[ignore = "run by `fail` where the texts are not compared"]
fn fail_without_comparing() {
    trybuild::TestCases::new().compile_fail(format!("{UNCOMPARED}/*.rs"));
}
