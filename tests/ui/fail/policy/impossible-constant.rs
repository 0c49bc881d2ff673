use std::time::Duration;

use retry_runtime::{Policy, RetryError, retry};
use retry_tests::ConnectionError;

const POLICY: Policy = Policy::builder()
    .total(Duration::from_secs(1))
    .per_attempt(Duration::from_secs(2))
    .build();

#[retry(policy = POLICY, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
