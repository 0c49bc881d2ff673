//! A store goes down, and every call to it fails. A throttle lets them repeat a fifth, not all of it.
//!
//! `cargo run --example throttle`. The clock is paused: what takes seconds on it takes none of yours.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use retry_runtime::{Reason, RetryError, RetryThrottle, retry};
use tokio::time::sleep;

/// One for all callers of this store: in ten seconds, one retry for every five calls, and one a second besides.
static STORE_RETRIES: RetryThrottle = RetryThrottle::ratio(20, 1);

#[retry(attempts = 3, jitter = "none", throttle = STORE_RETRIES, on = Refused)]
async fn load(store: &Store) -> Result<(), RetryError<Refused>> {
    store.request().await
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let store = Store::default();

    hundred_calls("the store is up", &store).await;
    // 10 for the ten seconds, and a fifth of 100 calls.
    assert_eq!(STORE_RETRIES.available(), 30);

    store.is_down.store(true, Relaxed);
    // Without the throttle, they would make 300 requests.
    let requests = hundred_calls("the store is down", &store).await;
    // Each call has a first attempt, and brings a fifth of a retry.
    assert_eq!((requests, STORE_RETRIES.available()), (100 + 30 + 20, 0));

    let error = load(&store).await.unwrap_err();
    println!("a call now: {error}: {}", error.last().unwrap());
    assert_eq!((error.reason(), error.attempts()), (Reason::Throttled, 1));
    // It did not wait for a retry that it could not make.
    assert_eq!(error.elapsed(), Duration::ZERO);

    println!("ten seconds later it is forgotten");
    sleep(Duration::from_secs(10)).await;
    store.is_down.store(false, Relaxed);
    let requests = hundred_calls("the store is up", &store).await;
    assert_eq!((requests, STORE_RETRIES.available()), (100, 30));
}

/// Returns how many requests they made.
async fn hundred_calls(when: &str, store: &Store) -> u32 {
    let before = STORE_RETRIES.available();
    store.requests.store(0, Relaxed);
    let mut failed = 0;
    for _ in 0..100 {
        failed += u32::from(load(store).await.is_err());
    }
    let requests = store.requests.load(Relaxed);
    let after = STORE_RETRIES.available();
    println!(
        "{when:<17}  100 calls, {failed:>3} failed, {requests:>3} requests, retries available {before:>2} -> {after:>2}"
    );
    requests
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
    async fn request(&self) -> Result<(), Refused> {
        self.requests.fetch_add(1, Relaxed);
        if self.is_down.load(Relaxed) { Err(Refused) } else { Ok(()) }
    }
}
