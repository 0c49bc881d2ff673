use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn is_transient(_: &ConnectionError) -> bool {
    true
}

#[retry(on = is_transient)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
