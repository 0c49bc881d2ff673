use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn is_busy(_: &ConnectionError) -> Option<u32> {
    None
}

#[retry(when = is_busy)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
