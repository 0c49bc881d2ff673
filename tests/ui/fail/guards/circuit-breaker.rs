use std::time::Duration;

use retry_runtime::{CircuitBreaker, RetryError, retry};
use retry_tests::ConnectionError;

static STORE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));

#[retry(circuit_breaker = STORE, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
