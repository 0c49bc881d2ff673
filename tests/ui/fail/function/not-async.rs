use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Err(ConnectionError)
}

fn main() {}
