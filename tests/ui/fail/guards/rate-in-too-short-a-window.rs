use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker =
    CircuitBreaker::rate(50, 20, Duration::from_millis(99), Duration::from_secs(30));

fn main() {}
