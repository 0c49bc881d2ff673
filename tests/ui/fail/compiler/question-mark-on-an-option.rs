use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    let first = [1].first().copied()?;
    Ok(first)
}

fn main() {}
