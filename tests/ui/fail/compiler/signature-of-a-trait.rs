use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

trait Store {
    async fn fetch(&self) -> Result<String, RetryError<ConnectionError>>;
}

struct S;

impl Store for S {
    #[retry(on = ConnectionError)]
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }
}

fn main() {}
