use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(rate_limit = 5, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
