use std::time::Duration;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(total = Duration::from_secs("5"), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
