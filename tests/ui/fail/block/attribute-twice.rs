use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Store;

#[retry(on = ConnectionError)]
impl Store {
    #[retry(on = _)]
    #[retry(on = ConnectionError)]
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }
}

fn main() {}
