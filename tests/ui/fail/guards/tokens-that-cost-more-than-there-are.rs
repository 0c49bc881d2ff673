use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::tokens(1, 2, 1);

fn main() {}
