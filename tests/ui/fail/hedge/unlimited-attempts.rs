use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = "unlimited", per_attempt = "1s", hedge = "50ms", on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
