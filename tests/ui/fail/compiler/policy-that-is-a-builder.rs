use retry_runtime::{Policy, RetryError, retry};
use retry_tests::ConnectionError;

#[retry(policy = Policy::builder(), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
