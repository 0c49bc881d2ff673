use std::time::Duration;

use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::ratio(20, 10).window(Duration::from_millis(999));

fn main() {}
