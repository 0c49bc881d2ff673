use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[derive(Debug)]
enum StoreError {
    Connection(ConnectionError),
    Missing,
}

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<StoreError>> {
    Err(StoreError::Missing)
}

fn main() {}
