//! What the kernel counts of this process and its children (Linux).

use std::fs;
use std::time::Duration;

/// Processor time of this process, all threads.
pub(crate) fn own_cpu() -> Duration {
    cpu([11, 12])
}

/// Processor time of the children that have ended.
pub(crate) fn children_cpu() -> Duration {
    cpu([13, 14])
}

/// Sums up fields of `/proc/self/stat`, counted from the one after the name.
fn cpu(fields: [usize; 2]) -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, rest) = stat.rsplit_once(") ").expect("a name in parentheses");
    let all: Vec<&str> = rest.split(' ').collect();
    let ticks: u64 = fields.iter().map(|field| all[*field].parse::<u64>().expect("a number")).sum();
    // A hundred a second on every Linux.
    Duration::from_millis(ticks * 10)
}

/// Bytes of memory in use.
pub(crate) fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line VmRSS");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024
}
