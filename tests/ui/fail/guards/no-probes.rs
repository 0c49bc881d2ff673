use std::time::Duration;

use retry_runtime::CircuitBreaker;

static STORE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30)).probes(0);

fn main() {}
