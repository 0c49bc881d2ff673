//! Real sockets, the real clock, and servers that misbehave: what the caller waits, and what it learns.
//!
//! Prints a table with a timeline under each row, checks every promise in it, and exits with 1 when one is broken.

mod servers;
mod store;
mod timeline;

use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use retry_runtime::{Deadline, Reason};
use tokio::time::Instant;

use servers::Server;
use store::{Store, StoreError};
use timeline::{Attempt, LEGEND, Limits, draw};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Timers fire late, never early; so much is granted to a busy machine.
const LATE: Duration = ms(100);

/// One row: a call, and what is promised of it.
struct Scenario<'a> {
    name: &'a str,
    server: &'a Server,
    limits: Limits,
    attempts: u32,
    /// When it ends.
    ends: Duration,
    /// `None`: it ends with an answer, or with an error that is not transient.
    reason: Option<Reason>,
}

/// What came of it.
struct Outcome {
    result: Result<String, StoreError>,
    elapsed: Duration,
    seen: Vec<Attempt>,
    connections: u32,
}

impl Scenario<'_> {
    async fn play(&self, call: impl AsyncFnOnce(&Store) -> Result<String, StoreError>) -> Outcome {
        self.server.take_connections();
        let (store, start) = (Store::at(self.server.address), Instant::now());
        let result = call(&store).await;
        let elapsed = start.elapsed();
        // A connection that was made last may not have been accepted yet.
        tokio::time::sleep(ms(5)).await;
        Outcome { result, elapsed, seen: store.watch.attempts(), connections: self.server.take_connections() }
    }

    fn print(&self, outcome: &Outcome) {
        let (reason, cause) = match &outcome.result {
            Ok(name) => ("answered".to_owned(), name.clone()),
            Err(StoreError::GaveUp(gave_up)) => (format!("{:?}", gave_up.reason()), root_cause(gave_up)),
            Err(error) => ("its own error".to_owned(), root_cause(error)),
        };
        println!(
            "{:<45} {:>8} {:>9.2} s {:>7.2} s  {:<18} {}",
            self.name,
            outcome.attempts(),
            outcome.elapsed.as_secs_f64(),
            self.limits.deadline.as_secs_f64(),
            reason,
            cause,
        );
        println!("    {}\n", draw(&outcome.timeline(), self.limits, outcome.is_out_of_time()));
    }

    /// The promises that were broken.
    fn check(&self, outcome: &Outcome) -> Vec<String> {
        let mut broken = Vec::new();
        let mut promise = |kept: bool, what: String| {
            if !kept {
                broken.push(format!("{}: {what}", self.name));
            }
        };
        let reason = outcome.reason();
        promise(reason == self.reason, format!("reason {:?} is {reason:?}", self.reason));
        let attempts = outcome.attempts();
        promise(attempts == self.attempts, format!("{} attempts are {attempts}", self.attempts));
        let connections = outcome.connections;
        promise(connections == self.attempts, format!("{} connections are {connections}", self.attempts));
        let elapsed = outcome.elapsed;
        promise(elapsed >= self.ends, format!("{:?} is early: {elapsed:?}", self.ends));
        promise(elapsed <= self.ends + LATE, format!("{:?} is late: {elapsed:?}", self.ends));
        promise(elapsed <= self.limits.deadline + LATE, format!("past its limit: {elapsed:?}"));
        // The history agrees with what the attempts saw of themselves.
        let (told, seen) = (outcome.timeline(), &outcome.seen);
        let agrees = told.len() == seen.len()
            && told.iter().zip(seen).all(|(told, seen)| told.start.abs_diff(seen.start) <= LATE);
        promise(agrees, format!("history {told:?} is {seen:?}"));
        broken
    }
}

impl Outcome {
    fn gave_up(&self) -> Option<&retry_runtime::GaveUp> {
        match &self.result {
            Err(StoreError::GaveUp(gave_up)) => Some(gave_up),
            _ => None,
        }
    }

    fn attempts(&self) -> u32 {
        self.gave_up().map_or(self.seen.len() as u32, retry_runtime::GaveUp::attempts)
    }

    fn reason(&self) -> Option<Reason> {
        self.gave_up().map(retry_runtime::GaveUp::reason)
    }

    fn is_out_of_time(&self) -> bool {
        matches!(self.reason(), Some(Reason::TotalElapsed | Reason::InheritedDeadline))
    }

    fn timeline(&self) -> Vec<Attempt> {
        match self.gave_up() {
            Some(gave_up) => gave_up.history().iter().map(Attempt::from).collect(),
            None => self.seen.clone(),
        }
    }
}

/// The last error in the chain.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let silent = Server::silent().await?;
    let recovering = Server::recovering().await?;
    let resetting = Server::resetting().await?;
    let dripping = Server::dripping().await?;
    let without_users = Server::without_users().await?;

    let second = Limits { deadline: ms(1000), per_attempt: Some(ms(200)) };
    let default = Limits { deadline: ms(10_000), per_attempt: None };

    println!(
        "{:<45} {:>8} {:>11} {:>9}  {:<18} root cause",
        "scenario", "attempts", "elapsed", "limit", "reason"
    );
    println!("{}", "-".repeat(122));
    let mut broken = Vec::new();
    let mut finish = |scenario: &Scenario<'_>, outcome: &Outcome| {
        scenario.print(outcome);
        broken.extend(scenario.check(outcome));
    };

    let scenario = Scenario {
        name: "one timeout around everything, hung server",
        server: &silent,
        limits: Limits { deadline: ms(1000), per_attempt: None },
        attempts: 1,
        ends: ms(1000),
        reason: Some(Reason::TotalElapsed),
    };
    finish(&scenario, &scenario.play(async |store| store.with_one_timeout().await).await);

    let scenario = Scenario {
        name: "a limit for each attempt too, hung server",
        server: &silent,
        limits: second,
        attempts: 4,
        ends: ms(1000),
        reason: Some(Reason::TotalElapsed),
    };
    finish(&scenario, &scenario.play(async |store| store.with_two_limits().await).await);

    let scenario = Scenario {
        name: "two connections reset, then an answer",
        server: &recovering,
        limits: second,
        attempts: 3,
        ends: ms(150),
        reason: None,
    };
    finish(&scenario, &scenario.play(async |store| store.with_two_limits().await).await);

    let scenario = Scenario {
        name: "every connection reset, 20 attempts allowed",
        server: &resetting,
        limits: second,
        attempts: 6,
        ends: ms(875),
        reason: Some(Reason::TotalElapsed),
    };
    finish(&scenario, &scenario.play(async |store| store.with_many_attempts().await).await);

    let scenario = Scenario {
        name: "200 ms left of the caller's time, slow server",
        server: &dripping,
        limits: Limits { deadline: ms(180), per_attempt: Some(ms(300)) },
        attempts: 1,
        ends: ms(180),
        reason: Some(Reason::InheritedDeadline),
    };
    let request = Deadline::within(ms(200));
    finish(&scenario, &scenario.play(async |store| request.scope(store.for_a_request()).await).await);

    let scenario = Scenario {
        name: "three layers of three attempts, failing",
        server: &resetting,
        limits: default,
        attempts: 3,
        ends: ms(150),
        reason: Some(Reason::AttemptsExhausted),
    };
    finish(&scenario, &scenario.play(async |store| store.page().await).await);

    let scenario = Scenario {
        name: "three layers of three attempts, hanging",
        server: &dripping,
        limits: default,
        attempts: 3,
        // A third of a third of ten seconds.
        ends: ms(1111),
        reason: Some(Reason::InheritedDeadline),
    };
    finish(&scenario, &scenario.play(async |store| store.page().await).await);

    let scenario = Scenario {
        name: "a failure that is not transient",
        server: &without_users,
        limits: second,
        attempts: 1,
        ends: ms(0),
        reason: None,
    };
    finish(&scenario, &scenario.play(async |store| store.with_two_limits().await).await);

    println!("{LEGEND}\n");
    if broken.is_empty() {
        println!("every promise was kept: no call ended early, or more than {} ms late", LATE.as_millis());
        return Ok(ExitCode::SUCCESS);
    }
    for promise in &broken {
        eprintln!("broken promise: {promise}");
    }
    Ok(ExitCode::FAILURE)
}
