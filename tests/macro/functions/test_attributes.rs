//! Above `#[tokio::test]` and `#[tokio::main]`, with more attributes round about: the function runs once, as it should.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

static FLAKY: AtomicU32 = AtomicU32::new(0);

#[retry(attempts = 2, on = ConnectionError)]
#[tokio::test(start_paused = true)]
async fn a_flaky_test_may_be_repeated() -> Result<(), RetryError<ConnectionError>> {
    match FLAKY.fetch_add(1, SeqCst) {
        0 => Err(ConnectionError),
        1 => Ok(()),
        runs => panic!("run {runs} times"),
    }
}

#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
#[tokio::main(flavor = "current_thread")]
async fn entry(tries: &AtomicU32) -> Result<u32, RetryError<ConnectionError>> {
    match tries.fetch_add(1, SeqCst) {
        0 | 1 => Err(ConnectionError),
        tries => Ok(tries),
    }
}

#[test]
fn the_program_starts_once() {
    assert_eq!(entry(&AtomicU32::new(0)).unwrap(), 2);
}
