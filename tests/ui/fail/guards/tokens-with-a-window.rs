use std::time::Duration;

use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::tokens(500, 14, 1).window(Duration::from_secs(10));

fn main() {}
