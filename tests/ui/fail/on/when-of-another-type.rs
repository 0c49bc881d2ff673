use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

fn is_timeout(_: &std::io::Error) -> bool {
    true
}

#[retry(when = is_timeout)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
