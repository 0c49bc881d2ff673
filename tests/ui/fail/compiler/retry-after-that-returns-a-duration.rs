use std::time::Duration;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn after(_: &ConnectionError) -> Duration {
    Duration::ZERO
}

#[retry(on = _, retry_after = after)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
