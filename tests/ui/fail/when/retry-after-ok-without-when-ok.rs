use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = _, retry_after_ok = |_| None)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
