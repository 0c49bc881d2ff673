use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<String, RetryError<ConnectionError>> {
    Ok("")
}

fn main() {}
