#![deny(unreachable_code)]

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    return Ok(1);
    let number = 2;
}

fn main() {}
