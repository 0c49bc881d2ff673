//! A call whose first attempt is ready at once allocates nothing and needs no timer.

use allocation_counter::measure;
use retry_runtime::{GaveUp, Policy, PolicyExt, RetryError, retry};
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
