use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(per-attempt = "1s", on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
