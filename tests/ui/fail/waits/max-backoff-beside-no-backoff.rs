use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(backoff = "none", max_backoff = "1s", on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
