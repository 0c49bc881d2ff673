use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(n: u32) -> Result<u32, RetryError<ConnectionError>> {
    fetch(n).await.map_err(|_| ConnectionError)
}

fn main() {}
