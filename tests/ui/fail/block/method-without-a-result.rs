use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Store;

#[retry(on = ConnectionError)]
impl Store {
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }

    async fn close(&self) {}
}

fn main() {}
