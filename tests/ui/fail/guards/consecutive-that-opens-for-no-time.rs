use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::ZERO);

fn main() {}
