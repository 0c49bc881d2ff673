use std::cell::Cell;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(shared: Cell<u32>) -> Result<u32, RetryError<ConnectionError>> {
    Ok(shared.get())
}

fn spawn() {
    tokio::spawn(fetch(Cell::new(1)));
}

fn main() {}
