use std::sync::Mutex;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(lock: &Mutex<u32>) -> Result<u32, RetryError<ConnectionError>> {
    let mut guard = lock.lock().unwrap();
    tokio::task::yield_now().await;
    *guard += 1;
    Ok(*guard)
}

fn spawn(lock: &'static Mutex<u32>) {
    tokio::spawn(fetch(lock));
}

fn main() {}
