use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

async fn other() -> Result<u32, ConnectionError> {
    Ok(1)
}

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    other()
}

fn main() {}
