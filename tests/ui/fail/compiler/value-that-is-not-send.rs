use std::rc::Rc;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(when_ok = |n| **n > 1)]
async fn fetch() -> Result<Rc<u32>, RetryError<ConnectionError>> {
    Ok(Rc::new(1))
}

fn spawn() {
    tokio::spawn(fetch());
}

fn main() {}
