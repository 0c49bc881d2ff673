use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct S(u32);

impl S {
    #[retry(on = ConnectionError)]
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        self.0 += 1;
        Ok(1)
    }
}

fn main() {}
