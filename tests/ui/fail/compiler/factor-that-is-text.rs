use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn factor() -> &'static str {
    "3"
}

#[retry(factor = factor(), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
