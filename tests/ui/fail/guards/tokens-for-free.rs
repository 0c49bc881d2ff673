use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::tokens(500, 0, 1);

fn main() {}
