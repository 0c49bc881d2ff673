use std::rc::Rc;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    let shared = Rc::new(1);
    tokio::task::yield_now().await;
    Ok(*shared)
}

fn spawn() {
    tokio::spawn(fetch());
}

fn main() {}
