use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker =
    CircuitBreaker::rate(101, 20, Duration::from_secs(10), Duration::from_secs(30));

fn main() {}
