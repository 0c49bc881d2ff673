use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

const TOTAL: &str = "5s";

#[retry(total = TOTAL, on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
