use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Store;

#[retry(atempts = 3, on = ConnectionError)]
impl Store {
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }

    async fn other(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }
}

fn main() {}
