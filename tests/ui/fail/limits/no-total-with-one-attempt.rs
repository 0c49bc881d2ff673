use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(total = "none", per_attempt = "1s", attempts = 1)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
