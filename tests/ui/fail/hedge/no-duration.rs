use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 3, hedge = 50, on = ConnectionError)]
async fn no_unit() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(attempts = 3, hedge = "none", on = ConnectionError)]
async fn no_delay() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(attempts = 3, hedge = true, on = ConnectionError)]
async fn a_flag() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
