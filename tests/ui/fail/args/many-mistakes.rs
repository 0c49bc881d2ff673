use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(
    total = "1.5s",
    per_attempt = "200",
    attempts = 0,
    atempts = 3,
    backoff = "0ms",
    factor = 0.5,
    jitter = "some",
    on = is_transient,
    on = ConnectionError
)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
