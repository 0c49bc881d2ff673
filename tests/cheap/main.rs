//! A call whose first attempt is ready at once allocates nothing and needs no timer.

use allocation_counter::measure;
use std::time::Duration;

use retry_runtime::{CircuitBreaker, GaveUp, Policy, PolicyExt, RetryError, RetryThrottle, retry};
use retry_tests::ConnectionError;

#[derive(Debug)]
enum StoreError {
    Connection,
    GaveUp,
}

impl From<GaveUp> for StoreError {
    fn from(_: GaveUp) -> Self {
        Self::GaveUp
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError)]
async fn typed(number: u64) -> Result<u64, RetryError<ConnectionError>> {
    if number == 0 { Err(ConnectionError) } else { Ok(number) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = StoreError::Connection)]
async fn bare(number: u64) -> Result<u64, StoreError> {
    if number == 0 { Err(StoreError::Connection) } else { Ok(number) }
}

#[retry(on = ConnectionError)]
async fn opaque(number: &u64) -> anyhow::Result<u64> {
    if *number == 0 { Err(ConnectionError)? } else { Ok(*number) }
}

#[retry(attempts = 1)]
async fn once(number: u64) -> Result<u64, StoreError> {
    bare(number).await
}

#[retry(total = total, when_ok = |number| *number == 0, on = StoreError::Connection)]
async fn at_run_time(number: u64, total: std::time::Duration) -> Result<u64, StoreError> {
    bare(number).await
}

const POLICY: Policy = Policy::builder().build();

/// Every call below runs on a runtime that has no timers.
fn allocations<T>(call: impl Future<Output = T>) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut count = 0;
    runtime.block_on(async {
        let mut call = std::pin::pin!(call);
        std::future::poll_fn(|context| {
            let mut polled = std::task::Poll::Pending;
            count += measure(|| polled = call.as_mut().poll(context).map(drop)).count_total;
            polled
        })
        .await;
    });
    count
}

#[test]
fn a_ready_call_allocates_nothing() {
    assert_eq!(allocations(async { typed(7).await.unwrap() }), 0);
    assert_eq!(allocations(async { bare(7).await.unwrap() }), 0);
    assert_eq!(allocations(async { opaque(&7).await.unwrap() }), 0);
    assert_eq!(allocations(async { once(7).await.unwrap() }), 0);
    assert_eq!(allocations(async { at_run_time(7, std::time::Duration::from_secs(1)).await.unwrap() }), 0);
    assert_eq!(allocations(async { POLICY.run(async || Ok::<_, ConnectionError>(7)).await.unwrap() }), 0);
}

#[test]
fn ready_calls_in_each_other_allocate_nothing() {
    #[retry(on = _)]
    async fn outer(number: u64) -> Result<u64, StoreError> {
        Ok(once(number).await? + bare(number).await?)
    }
    assert_eq!(allocations(async { outer(7).await.unwrap() }), 0);
}

#[test]
fn a_breaker_and_a_throttle_allocate_nothing() {
    static BREAKERS: [CircuitBreaker; 2] = [
        CircuitBreaker::consecutive(5, Duration::from_secs(30)),
        CircuitBreaker::rate(50, 20, Duration::from_secs(10), Duration::from_secs(30)),
    ];
    static THROTTLES: [RetryThrottle; 2] = [RetryThrottle::ratio(20, 10), RetryThrottle::tokens(500, 14, 1)];
    #[retry(breaker = BREAKERS[rule], throttle = THROTTLES[rule], on = ConnectionError)]
    async fn guarded(number: u64, rule: usize) -> Result<u64, RetryError<ConnectionError>> {
        typed(number).await.map_err(|_| ConnectionError)
    }
    for rule in [0, 1] {
        assert_eq!(allocations(async { guarded(7, rule).await.unwrap() }), 0);
        let run = async {
            POLICY.run(async || Ok::<_, ConnectionError>(7)).breaker(&BREAKERS[rule]).await.unwrap()
        };
        assert_eq!(allocations(run), 0);
    }
}

#[test]
fn only_an_attempt_beside_another_one_is_allocated() {
    #[retry(total = "1s", attempts = 3, hedge = "500ms", on = ConnectionError)]
    async fn never_beside(number: u64) -> Result<u64, RetryError<ConnectionError>> {
        if number == 0 { Err(ConnectionError) } else { Ok(number) }
    }
    #[retry(attempts = 2, hedge = delay, on = ConnectionError)]
    async fn beside(
        calls: &std::cell::Cell<u32>,
        delay: Duration,
    ) -> Result<u32, RetryError<ConnectionError>> {
        calls.set(calls.get() + 1);
        if calls.get() == 1 { std::future::pending().await } else { Ok(calls.get()) }
    }
    assert_eq!(allocations(async { never_beside(7).await.unwrap() }), 0);
    // A failure has its record; the attempts after it take the place of the first one.
    assert_eq!(allocations(async { never_beside(0).await.unwrap_err().attempts() }), 1);
    // The second attempt, and the list that it is in.
    let calls = std::cell::Cell::new(0);
    assert_eq!(allocations(async { beside(&calls, Duration::ZERO).await.unwrap() }), 2);
}

/// The counter counts: a failure has a record.
#[test]
fn a_failed_call_does_allocate() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn fails() -> Result<u64, RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    let count = allocations(async { fails().await.unwrap_err().attempts() });
    assert!((1..=4).contains(&count), "{count}");
}
