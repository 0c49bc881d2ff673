use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

async fn show(_: impl std::fmt::Display) {}

#[retry(on = ConnectionError)]
async fn fetch<T>(value: &T) -> Result<u32, RetryError<ConnectionError>> {
    show(value).await;
    Ok(1)
}

fn main() {}
