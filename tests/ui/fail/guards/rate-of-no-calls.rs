use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker = CircuitBreaker::rate(50, 0, Duration::from_secs(10), Duration::from_secs(30));

fn main() {}
