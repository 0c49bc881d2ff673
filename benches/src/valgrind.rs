//! Runs this program again under a tool of valgrind. A count is the difference between a short and a long run, so what
//! a process does besides the calls is not in it, and it is the same each time.

use std::env;
use std::process::Command;

use crate::contestants::Contestant;
use crate::scenario::Scenario;

/// Whether valgrind is there.
pub(crate) fn is_installed() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Instructions of one call.
pub(crate) fn instructions(scenario: Scenario, contestant: Contestant) -> f64 {
    per_call(scenario, |times| {
        let text = run(&["--tool=callgrind", "--callgrind-out-file=/dev/null"], scenario, contestant, times);
        number_after(&text, "Collected :")
    })
}

/// Heap allocations of one call.
pub(crate) fn allocations(scenario: Scenario, contestant: Contestant) -> f64 {
    per_call(scenario, |times| {
        let text = run(&["--tool=dhat", "--dhat-out-file=/dev/null"], scenario, contestant, times);
        let total = text.lines().find_map(|line| line.split_once("Total:"));
        total.map_or(0.0, |(_, total)| number_after(total, " in "))
    })
}

fn per_call(scenario: Scenario, count: impl Fn(u32) -> f64) -> f64 {
    let (short, long) = scenario.lengths();
    (count(long) - count(short)) / f64::from(long - short)
}

/// What the tool has to say.
fn run(tool: &[&str], scenario: Scenario, contestant: Contestant, times: u32) -> String {
    let output = Command::new("valgrind")
        .args(tool)
        .arg(env::current_exe().expect("a path"))
        .args(["run", scenario.name(), contestant.name(), &times.to_string()])
        .output()
        .expect("valgrind runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

fn number_after(text: &str, mark: &str) -> f64 {
    let (_, rest) = text.split_once(mark).unwrap_or_else(|| panic!("no `{mark}` in: {text}"));
    let digits: String = rest
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(|c| *c != ',')
        .collect();
    digits.parse().unwrap_or_else(|_| panic!("no number after `{mark}` in: {text}"))
}
