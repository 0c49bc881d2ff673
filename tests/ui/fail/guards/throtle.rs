use retry_runtime::{RetryError, RetryThrottle, retry};
use retry_tests::ConnectionError;

static STORE: RetryThrottle = RetryThrottle::ratio(20, 10);

#[retry(throtle = STORE, on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
