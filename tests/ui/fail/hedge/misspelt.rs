use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 3, hedging = "50ms", on = ConnectionError)]
async fn one() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(attempts = 3, hegde = "50ms", on = ConnectionError)]
async fn other() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
