use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(text: String) -> Result<u32, RetryError<ConnectionError>> {
    text.
}

fn main() {}
