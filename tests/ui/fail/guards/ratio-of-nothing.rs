use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::ratio(0, 0);

fn main() {}
