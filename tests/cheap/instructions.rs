//! An annotated call whose first attempt is ready costs at most 0.85 of the instructions of one
//! `tokio::time::timeout` around the same operation; a closed breaker and a throttle add at most 60, where they need no time.
//!
//! Runs itself under callgrind with two lengths; the difference of the two counts is the cost of the calls alone.
//! With `REQUIRE_VALGRIND` set, a missing valgrind is a failure.

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Duration;

use retry_runtime::{CircuitBreaker, RetryError, RetryThrottle, retry};
use retry_tests::ConnectionError;
use tokio::time::timeout;

const MOST: f64 = 0.85;
/// What each pair of a breaker and a throttle may add. A `ratio` knows the time, so it compares instants and writes a word
/// each call; a `rate` subtracts them, which alone costs 56 in the standard library.
const MOST_MORE: [(&str, f64); 3] =
    [("consecutive, tokens", 60.0), ("consecutive, ratio", 105.0), ("rate, ratio", 270.0)];
const SHORT: u64 = 2_000;
const LONG: u64 = 12_000;

async fn operation(number: u64) -> Result<u64, ConnectionError> {
    let number = black_box(number);
    if number == u64::MAX { Err(ConnectionError) } else { Ok(number) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError)]
async fn annotated(number: u64) -> Result<u64, RetryError<ConnectionError>> {
    operation(number).await
}

static CONSECUTIVE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));
static RATE: CircuitBreaker = CircuitBreaker::rate(50, 20, Duration::from_secs(10), Duration::from_secs(30));
static RATIO: RetryThrottle = RetryThrottle::ratio(20, 10);
static TOKENS: RetryThrottle = RetryThrottle::tokens(500, 14, 1);

/// The same function with a breaker and a throttle.
macro_rules! guarded {
    ($($name:ident: $breaker:expr, $throttle:expr;)*) => {$(
        #[retry(
            total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError, breaker = $breaker,
            throttle = $throttle,
        )]
        async fn $name(number: u64) -> Result<u64, RetryError<ConnectionError>> {
            operation(number).await
        }
    )*};
}

guarded! {
    consecutive_and_ratio: CONSECUTIVE, RATIO;
    consecutive_and_tokens: CONSECUTIVE, TOKENS;
    rate_and_ratio: RATE, RATIO;
}

fn run(contestant: &str, calls: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    macro_rules! calls {
        ($call:expr) => {{
            let call = $call;
            runtime.block_on(async {
                for number in 0..calls {
                    _ = black_box(call(number).await);
                }
            })
        }};
    }
    match contestant {
        "bare" => calls!(operation),
        "timeout" => calls!(|number| timeout(Duration::from_secs(1), operation(number))),
        "annotated" => calls!(annotated),
        "consecutive, ratio" => calls!(consecutive_and_ratio),
        "consecutive, tokens" => calls!(consecutive_and_tokens),
        "rate, ratio" => calls!(rate_and_ratio),
        other => panic!("no contestant {other}"),
    }
}

/// Instructions of the whole process.
fn count(contestant: &str, calls: u64) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().expect("a path"))
        .args(["run", contestant, &calls.to_string()])
        .output()
        .expect("valgrind runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, number)| number.trim().parse().ok()).unwrap_or_else(|| panic!("no count in: {text}"))
}

/// Instructions of one call.
fn cost(contestant: &str) -> f64 {
    (count(contestant, LONG) - count(contestant, SHORT)) as f64 / (LONG - SHORT) as f64
}

fn main() -> ExitCode {
    let args: Vec<_> = env::args().collect();
    if let [_, mode, contestant, calls] = args.as_slice() {
        if mode == "run" {
            run(contestant, calls.parse().expect("a number"));
            return ExitCode::SUCCESS;
        }
    }
    if cfg!(debug_assertions) {
        println!(
            "instructions: not counted, this is a debug build (cargo test --release --test instructions)"
        );
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions: not counted, valgrind is not installed");
        return if env::var_os("REQUIRE_VALGRIND").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let (bare, timeout, annotated) = (cost("bare"), cost("timeout"), cost("annotated"));
    let ratio = annotated / timeout;
    println!("instructions a call: bare {bare:.0}, timeout {timeout:.0}, annotated {annotated:.0}");
    println!("annotated / timeout = {ratio:.2}, at most {MOST}");
    let mut is_cheap = ratio <= MOST;
    for (guards, most) in MOST_MORE {
        let more = cost(guards) - annotated;
        println!("breaker and throttle ({guards}): {more:.0} more, at most {most}");
        is_cheap &= more <= most;
    }
    if is_cheap { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
