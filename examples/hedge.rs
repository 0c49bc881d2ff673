//! Two replicas hold the same data, and now and then one is slow. A second request beside the slow one is answered first.
//!
//! `cargo run --example hedge`. The clock is paused: what takes seconds on it takes none of yours.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use retry_runtime::{Attempt, RetryError, RetryThrottle, retry};
use tokio::time::{Instant, sleep};

/// What all callers together may ask a second time: 5 % of their calls, and one a second besides.
static SECOND_REQUESTS: RetryThrottle = RetryThrottle::ratio(5, 1);

#[retry(total = "3s", attempts = 2, hedge = "50ms", throttle = SECOND_REQUESTS, on = Refused)]
async fn read(replicas: &Replicas) -> Result<u32, RetryError<Refused>> {
    replicas.read().await
}

#[retry(total = "3s", per_attempt = "none", attempts = 2, on = Refused)]
async fn read_one(replicas: &Replicas) -> Result<u32, RetryError<Refused>> {
    replicas.read().await
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let replicas = Replicas::default();
    let plain = hundred("one request at a time", async || read_one(&replicas).await.unwrap()).await;
    assert_eq!((plain, replicas.requests.swap(0, Relaxed)), (Duration::from_secs(2), 100));

    let hedged = hundred("hedged after 50 ms", async || read(&replicas).await.unwrap()).await;
    // 50 ms until the second request starts, and 10 ms for its answer.
    assert_eq!(hedged, Duration::from_millis(60));
    // Five of a hundred were slow, and asked twice.
    assert_eq!(replicas.requests.load(Relaxed), 105);
    // The request that lost was dropped with its connection.
    assert_eq!((replicas.answered.load(Relaxed), replicas.open.load(Relaxed)), (200, 0));
    println!("requests that were dropped: {}", replicas.dropped.load(Relaxed));
    assert_eq!(replicas.dropped.load(Relaxed), 5);
}

/// Makes a hundred calls one after the other, and returns how long the slowest took.
async fn hundred(what: &str, call: impl AsyncFn() -> u32) -> Duration {
    let mut took = Vec::new();
    for _ in 0..100 {
        let start = Instant::now();
        call().await;
        took.push(start.elapsed());
    }
    took.sort();
    let slowest = took[99];
    println!("{what:<22}  median {:?}, slowest {slowest:?}", took[49]);
    slowest
}

#[derive(Debug, thiserror::Error)]
#[error("the replica refused the request")]
struct Refused;

/// Every twentieth call meets a replica that is slow; a second attempt goes to the other one.
#[derive(Default)]
struct Replicas {
    requests: AtomicU32,
    firsts: AtomicU32,
    answered: AtomicU32,
    dropped: AtomicU32,
    open: AtomicU32,
}

impl Replicas {
    async fn read(&self) -> Result<u32, Refused> {
        self.requests.fetch_add(1, Relaxed);
        let is_first = Attempt::current().is_some_and(|attempt| !attempt.is_retry());
        let is_slow = is_first && self.firsts.fetch_add(1, Relaxed) % 20 == 7;
        let connection = Connection::open(self);
        sleep(Duration::from_millis(if is_slow { 2000 } else { 10 })).await;
        connection.answer();
        Ok(7)
    }
}

/// Counts how it ends.
struct Connection<'a> {
    replicas: &'a Replicas,
    has_answered: bool,
}

impl<'a> Connection<'a> {
    fn open(replicas: &'a Replicas) -> Self {
        replicas.open.fetch_add(1, Relaxed);
        Self { replicas, has_answered: false }
    }

    fn answer(mut self) {
        self.has_answered = true;
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.replicas.open.fetch_sub(1, Relaxed);
        let how = if self.has_answered { &self.replicas.answered } else { &self.replicas.dropped };
        how.fetch_add(1, Relaxed);
    }
}
