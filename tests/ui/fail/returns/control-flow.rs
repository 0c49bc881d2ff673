use std::ops::ControlFlow;

use retry_runtime::retry;
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> ControlFlow<u32, ConnectionError> {
    ControlFlow::Break(1)
}

fn main() {}
