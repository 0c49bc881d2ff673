use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::tokens(500, 14, 0);

fn main() {}
