use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

const LIMIT: u64 = 3;

#[retry(total = LIMIT, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
