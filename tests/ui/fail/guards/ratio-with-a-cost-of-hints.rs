use retry_runtime::RetryThrottle;

static STORE: RetryThrottle = RetryThrottle::ratio(20, 10).hint_cost(5);

fn main() {}
