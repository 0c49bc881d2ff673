use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(breaker = STORE, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
