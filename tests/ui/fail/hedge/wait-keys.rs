use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 3, hedge = "50ms", backoff = "10ms", factor = 3, max_backoff = "1s", jitter = "full", on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

// This says what is so anyway.
#[retry(attempts = 3, hedge = "50ms", backoff = "none", on = ConnectionError)]
async fn no_wait() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
