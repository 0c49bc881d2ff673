use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(atempts = 3, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Err(ConnectionError)
}

async fn caller() -> u32 {
    fetch().await.map_or(0, |number| number + 1)
}

fn main() {}
