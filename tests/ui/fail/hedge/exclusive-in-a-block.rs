use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Client {
    calls: u32,
}

#[retry(attempts = 3, hedge = "50ms", on = ConnectionError)]
impl Client {
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>> {
        Ok(self.calls)
    }

    async fn count(&mut self) -> Result<u32, RetryError<ConnectionError>> {
        self.calls += 1;
        Ok(self.calls)
    }
}

fn main() {}
