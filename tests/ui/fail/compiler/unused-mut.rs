#![deny(unused_mut)]

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(mut number: u32) -> Result<u32, RetryError<ConnectionError>> {
    Ok(number)
}

fn main() {}
