use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::tokens(10, 5, 1).hint_cost(11);

fn main() {}
