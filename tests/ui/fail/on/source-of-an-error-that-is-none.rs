use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = source(ConnectionError))]
async fn fetch() -> Result<u32, RetryError<String>> {
    Err(String::new())
}

fn main() {}
