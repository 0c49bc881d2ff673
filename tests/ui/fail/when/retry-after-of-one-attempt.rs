use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 1, retry_after = |_| None)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
