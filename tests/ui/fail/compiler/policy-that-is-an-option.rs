use retry_runtime::{Policy, RetryError, retry};
use retry_tests::ConnectionError;

const POLICY: Policy = Policy::builder().build();

#[retry(policy = Some(POLICY), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
