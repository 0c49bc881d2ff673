use std::time::Duration;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Config {
    hedge: Option<Duration>,
}

#[retry(attempts = 3, hedge = config.hedge, on = ConnectionError)]
async fn fetch(config: &Config) -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
