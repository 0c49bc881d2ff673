use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker = CircuitBreaker::consecutive(0, Duration::from_secs(30));

fn main() {}
