use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

const DELAY: u64 = 50;

#[retry(attempts = 3, hedge = DELAY, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
