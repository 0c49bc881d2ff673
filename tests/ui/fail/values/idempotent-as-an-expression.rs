use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn is_safe() -> bool {
    true
}

#[retry(idempotent = is_safe(), on = _)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
