use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch<T>(request: T) -> Result<T, RetryError<ConnectionError>> {
    Ok(request)
}

fn main() {}
