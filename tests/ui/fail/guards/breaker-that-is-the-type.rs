use retry_runtime::{CircuitBreaker, RetryError, retry};
use retry_tests::ConnectionError;

#[retry(breaker = CircuitBreaker, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
