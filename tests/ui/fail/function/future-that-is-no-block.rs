use std::future::Future;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

async fn inner() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(on = ConnectionError)]
fn fetch() -> impl Future<Output = Result<u32, RetryError<ConnectionError>>> {
    inner()
}

fn main() {}
