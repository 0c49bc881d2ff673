use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    let map = HashMap::<u32, u32>::new();
    Ok(1)
}

fn main() {}
