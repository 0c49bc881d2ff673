use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(total = "1s", attemps = 5, on = ConnectionError)]
async fn unknown() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(total = "1s" attempts = 5, on = ConnectionError)]
async fn without_a_comma() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(total = "1s", total = "2s", on = ConnectionError)]
async fn twice() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

async fn caller() -> Result<u32, RetryError<ConnectionError>> {
    Ok(unknown().await? + without_a_comma().await? + twice().await?)
}

fn main() {}
