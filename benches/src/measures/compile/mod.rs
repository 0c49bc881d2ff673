//! What 500 functions cost the compiler: plain ones, with a hand-written loop in each, and annotated.

mod functions;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use self::functions::Style;
use crate::process;
use crate::table::{Table, number};

/// How often what is timed is repeated; the fastest counts.
const TIMES: usize = 3;

struct Cost {
    seconds: f64,
    /// Of LLVM's code before any optimization.
    lines: f64,
    /// Bytes of machine code, without those of a program that has no function.
    text: f64,
}

/// Both tables: debug and release.
pub(crate) fn functions() -> Table {
    let folder = Folder::new("retry-benches-functions");
    let mut table = Table::new(&[
        "500 functions",
        "debug: s of CPU",
        "LLVM lines",
        "text, kB",
        "release: s of CPU",
        "LLVM lines",
        "text, kB",
    ]);
    folder.write("Cargo.toml", &functions::manifest());
    for style in Style::ALL {
        folder.write(&format!("src/bin/{}.rs", style.name()), &functions::program(style));
    }
    let all: Vec<(Style, [Cost; 2])> = Style::ALL
        .into_iter()
        .map(|style| (style, ["dev", "release"].map(|profile| cost(&folder, style, profile))))
        .collect();
    let of = |wanted: Style| all.iter().find(|(style, _)| *style == wanted).map(|(_, costs)| costs);
    let (Some(none), Some(hand)) = (of(Style::None), of(Style::HandLoop)) else { return table };
    let cells = |costs: &[Cost; 2]| {
        let cells = costs.iter().zip(none).flat_map(|(cost, none)| {
            [format!("{:.2}", cost.seconds), number(cost.lines), number((cost.text - none.text) / 1e3)]
        });
        cells.collect::<Vec<_>>()
    };
    for (style, costs) in all.iter().filter(|(style, _)| *style != Style::None) {
        let mut row = vec![style.name().to_owned()];
        row.extend(cells(costs));
        table.row(row);
    }
    let Some(ours) = of(Style::Annotated) else { return table };
    let mut row = vec!["annotated / hand_loop".to_owned()];
    for ((ours, hand), none) in ours.iter().zip(hand).zip(none) {
        let text = (ours.text - none.text) / (hand.text - none.text);
        row.extend(
            [ours.seconds / hand.seconds, ours.lines / hand.lines, text].map(|ratio| format!("{ratio:.2}")),
        );
    }
    table.row(row);
    table
}

/// Seconds, of the clock and of CPU, to build the crate of the attribute and all that it needs.
pub(crate) fn macro_crate() -> (f64, f64) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let times = (0..TIMES).map(|_| {
        let folder = Folder::new("retry-benches-macros");
        let (cpu, start) = (process::children_cpu(), Instant::now());
        let target = folder.0.join("target");
        cargo(&workspace, &target, &["build", "--package", "retry-macros"]);
        (start.elapsed().as_secs_f64(), (process::children_cpu() - cpu).as_secs_f64())
    });
    times.fold((f64::MAX, f64::MAX), |(wall, cpu), (w, c)| (wall.min(w), cpu.min(c)))
}

fn cost(folder: &Folder, style: Style, profile: &str) -> Cost {
    let (target, name) = (folder.0.join("target"), style.name());
    let source = folder.0.join(format!("src/bin/{name}.rs"));
    let build = |extra: &[&str]| {
        // Its dependencies are built only once, but the program each time.
        fs::write(&source, functions::program(style)).expect("a file");
        let mut args = vec!["rustc", "--profile", profile, "--bin", name, "--"];
        args.extend(extra);
        cargo(&folder.0, &target, &args);
    };
    build(&[]);
    let times = (0..TIMES).map(|_| {
        let cpu = process::children_cpu();
        build(&[]);
        process::children_cpu() - cpu
    });
    let seconds = times.min().unwrap_or(Duration::ZERO).as_secs_f64();
    let folder = target.join(if profile == "dev" { "debug" } else { "release" });
    let text = text_size(&folder.join(name));
    build(&["--emit=llvm-ir", "-Cno-prepopulate-passes", "-Ccodegen-units=1"]);
    Cost { seconds, lines: llvm_lines(&folder.join("deps"), name), text }
}

fn cargo(folder: &Path, target: &Path, args: &[&str]) {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(args)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Instructions inside of functions, as `cargo llvm-lines` counts them: what is indented by two spaces. Debug
/// information is indented deeper, labels are not.
fn llvm_lines(folder: &Path, name: &str) -> f64 {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let start = format!("{name}-");
    let is_ours = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "ll")
            && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
    };
    let mut lines = 0;
    for path in files.filter(is_ours) {
        let mut inside = false;
        for line in fs::read_to_string(path).expect("a file").lines() {
            inside |= line.starts_with("define ");
            lines += usize::from(inside && line.starts_with("  ") && !line.starts_with("   "));
            inside &= line != "}";
        }
    }
    assert!(lines > 0, "no code of {name} in {}", folder.display());
    lines as f64
}

/// Asks `size`, which comes with every linker.
fn text_size(program: &Path) -> f64 {
    let output = Command::new("size").arg("-A").arg(program).output().expect("`size` of binutils");
    let text = String::from_utf8_lossy(&output.stdout);
    let sizes = text.lines().filter(|line| line.starts_with(".text"));
    sizes.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum()
}

/// A folder for the time being.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src/bin")).expect("a folder");
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
