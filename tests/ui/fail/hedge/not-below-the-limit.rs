use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(per_attempt = "200ms", attempts = 3, hedge = "200ms", on = ConnectionError)]
async fn of_an_attempt() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(total = "1s", attempts = 3, hedge = "2s", on = ConnectionError)]
async fn of_the_call() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(hedge = "1m", on = ConnectionError)]
async fn by_default() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
