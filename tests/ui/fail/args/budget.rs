use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(budget = 5, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
