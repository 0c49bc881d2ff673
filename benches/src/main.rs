//! What a call costs, side by side with what else one would put around it. `benches/README.md` has the results.

mod contestants;
mod counts;
mod drive;
mod measures;
mod preset;
mod process;
mod promises;
mod scenario;
mod table;
mod valgrind;

use std::env;
use std::fmt::Display;
use std::process::{Command, ExitCode};

use crate::contestants::Contestant;
use crate::measures::{allocations, compile, instructions, lateness, million, nanoseconds, sizes};
use crate::scenario::Scenario;

const USAGE: &str = "\
usage: cargo run --release -p retry-benches -- COMMAND
  quick      instructions, allocations, sizes; fails when one is above what may be at most; needs valgrind
  lto        the same, built with thin LTO and one codegen unit; nothing fails
  time       nanoseconds of a call
  million    a million calls in flight
  lateness   how late a hung call ends
  compile    what 500 functions cost the compiler, and the crate of the attribute
  all        all of them; takes half an hour, on an idle machine
";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if cfg!(debug_assertions) {
        eprintln!("a debug build tells nothing: add --release");
        return ExitCode::FAILURE;
    }
    match args.as_slice() {
        ["quick"] => return quick(),
        ["lto"] => lto(),
        ["time"] => time(),
        ["million"] => million(),
        ["lateness"] => lateness(),
        ["compile"] => compile(),
        ["all"] => {
            let code = quick();
            lto();
            time();
            million();
            lateness();
            compile();
            return code;
        }
        // Processes of their own.
        ["run", scenario, contestant, times] => {
            let scenario = Scenario::find(scenario).expect("a scenario");
            drive::run(scenario, find(contestant), times.parse().expect("a number"));
        }
        ["million", contestant, threads] => {
            million::run(find(contestant), threads.parse().expect("a number"));
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn find(contestant: &str) -> Contestant {
    Contestant::find(contestant).expect("a contestant")
}

fn section(title: &str, table: impl Display) {
    println!("### {title}\n\n{table}");
}

fn quick() -> ExitCode {
    if !valgrind::is_installed() {
        eprintln!("needs valgrind");
        return ExitCode::FAILURE;
    }
    let instructions = instructions::count();
    section("Instructions of a call", instructions.table());
    let allocations = allocations::count();
    section("Heap allocations of a call", allocations.table());
    section("Size of the future", sizes::table());
    let (table, missed) = promises::check(&instructions, &allocations);
    section("What may be at most", table);
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn lto() {
    println!("## Thin LTO, one codegen unit\n");
    let target = env::temp_dir().join("retry-benches-lto");
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--release", "--package", "retry-benches", "--quiet"])
        .args(["--config", "profile.release.lto=\"thin\"", "--config", "profile.release.codegen-units=1"])
        .args(["--", "quick"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", target)
        .status();
    status.expect("cargo runs");
}

fn time() {
    let nanoseconds = nanoseconds::measure();
    section("Nanoseconds of a call: median, and the fastest turn", nanoseconds.table());
    section("Nanoseconds, as ratios", nanoseconds.ratios());
}

fn million() {
    section("A million calls in flight, 1 thread", million::table(1));
    section("A million calls in flight, 2 threads", million::table(2));
}

fn lateness() {
    section("Lateness in microseconds: least / median / 99 of 100", lateness::table());
}

fn compile() {
    section("The compiler", compile::functions());
    let (wall, cpu) = compile::macro_crate();
    println!("The crate of the attribute, with all that it needs: {wall:.1} s, {cpu:.1} s of CPU.");
}
