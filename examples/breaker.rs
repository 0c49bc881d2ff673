//! A store goes down. Its breaker opens, so that callers fail at once and leave it alone; a probe closes it again.
//!
//! `cargo run --example breaker`. The clock is paused: what takes seconds on it takes none of yours.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use retry_runtime::{CircuitBreaker, CircuitState, Reason, RetryError, retry};
use tokio::time::{Instant, sleep};

/// One for all callers of this store: it opens after three failures in a row, and probes five seconds later.
static STORE_BREAKER: CircuitBreaker = CircuitBreaker::consecutive(3, Duration::from_secs(5))
    .named("store")
    .on_change(|change| println!("           {change}"));

#[retry(attempts = 2, jitter = "none", breaker = STORE_BREAKER, on = Refused)]
async fn load(store: &Store) -> Result<&'static str, RetryError<Refused>> {
    store.request().await
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let store = Store::default();
    let clock = Instant::now();
    let call = async || {
        let result = load(&store).await;
        let time = clock.elapsed().as_millis();
        match &result {
            Ok(user) => println!("{time:>7} ms {user}"),
            Err(error) => println!("{time:>7} ms {error}"),
        }
        result
    };

    assert_eq!(call().await.unwrap(), "Ada Lovelace");

    println!("--- the store goes down");
    store.is_down.store(true, Relaxed);
    let exhausted = call().await.unwrap_err();
    assert_eq!((exhausted.reason(), exhausted.attempts()), (Reason::AttemptsExhausted, 2));
    // The third failure opens it. The attempt that is left is not made, and not waited for.
    let opened = call().await.unwrap_err();
    assert_eq!((opened.reason(), opened.attempts()), (Reason::CircuitOpen, 1));
    assert_eq!(opened.elapsed(), Duration::ZERO);

    println!("--- from now on calls are refused without an attempt, and told when to come back");
    sleep(Duration::from_secs(1)).await;
    for _ in 0..3 {
        let refused = call().await.unwrap_err();
        assert_eq!((refused.reason(), refused.attempts()), (Reason::CircuitOpen, 0));
        assert_eq!(refused.retry_after(), Some(Duration::from_secs(4)));
    }
    assert_eq!(store.requests.load(Relaxed), 1 + 2 + 1);

    println!("--- five seconds are over, but the store is still down: one probe finds out");
    sleep(Duration::from_secs(4)).await;
    assert_eq!(STORE_BREAKER.state(), CircuitState::HalfOpen);
    assert_eq!(call().await.unwrap_err().attempts(), 1);
    assert_eq!(STORE_BREAKER.state(), CircuitState::Open);

    println!("--- the store is back");
    store.is_down.store(false, Relaxed);
    let retry_after = call().await.unwrap_err().retry_after().unwrap();
    sleep(retry_after).await;
    assert_eq!(call().await.unwrap(), "Ada Lovelace");
    assert_eq!(STORE_BREAKER.state(), CircuitState::Closed);

    let requests = store.requests.load(Relaxed);
    println!("--- 9 calls of up to 2 attempts each, {requests} requests");
    assert_eq!(requests, 6);
}

#[derive(Default)]
struct Store {
    is_down: AtomicBool,
    requests: AtomicU32,
}

#[derive(Debug, thiserror::Error)]
#[error("connection refused")]
struct Refused;

impl Store {
    async fn request(&self) -> Result<&'static str, Refused> {
        self.requests.fetch_add(1, Relaxed);
        if self.is_down.load(Relaxed) { Err(Refused) } else { Ok("Ada Lovelace") }
    }
}
