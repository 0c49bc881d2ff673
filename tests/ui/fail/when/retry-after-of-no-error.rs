use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(when_ok = |_| true, retry_after = |_| None)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
