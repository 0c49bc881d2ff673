use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct S;

impl S {
    #[retry(total = self.limit, on = ConnectionError)]
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }
}

fn main() {}
