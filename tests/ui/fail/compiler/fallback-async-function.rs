use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

async fn cached(_: RetryError<ConnectionError>) -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(on = _, fallback = cached)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
