use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(
    total = "1.5s",
    per_attempt = "200",
    attempts = 0,
    atempts = 3,
    backoff = "0ms",
    factor = 0.5,
    max_backoff = "none",
    jitter = "some",
    idempotent = "no",
    nested = true,
    min_attempt = 5,
    margin = "5 s",
    on = is_transient,
    on = ConnectionError,
    when = true,
    when_ok = || true
    retry_after = "5s",
    retry_after_ok: None,
    deadline = "5s",
    policy = 5,
    fallback,
    crate = "retry_runtime",
    ConnectionError,
)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
