use std::rc::Rc;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(shared: Rc<u32>) -> Result<u32, RetryError<ConnectionError>> {
    Ok(*shared)
}

fn spawn() {
    tokio::spawn(fetch(Rc::new(1)));
}

fn main() {}
