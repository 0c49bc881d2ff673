use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::ratio(1001, 0);

fn main() {}
