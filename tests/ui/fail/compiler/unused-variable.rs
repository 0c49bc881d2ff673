#![deny(unused_variables)]

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    let number = 2;
    Ok(1)
}

fn main() {}
