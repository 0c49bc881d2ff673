use retry_runtime::{RetryError, retry};

#[tokio::main]
#[retry(on = _)]
async fn main() -> Result<(), RetryError> {
    Ok(())
}
