use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn count() -> &'static str {
    "3"
}

#[retry(attempts = count(), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
