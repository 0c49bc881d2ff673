use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

enum Other {
    Busy,
}

#[retry(on = Other::Busy)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
