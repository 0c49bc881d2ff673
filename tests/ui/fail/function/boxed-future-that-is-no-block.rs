use std::future::Future;
use std::pin::Pin;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

async fn inner() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(on = ConnectionError)]
fn fetch() -> Pin<Box<dyn Future<Output = Result<u32, RetryError<ConnectionError>>>>> {
    Box::pin(inner())
}

fn main() {}
