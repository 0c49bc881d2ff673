use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(total = 200ms, on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
