use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Client {
    calls: u32,
}

impl Client {
    #[retry(attempts = 3, hedge = "50ms", on = ConnectionError)]
    async fn fetch(&mut self) -> Result<u32, RetryError<ConnectionError>> {
        self.calls += 1;
        Ok(1)
    }
}

fn main() {}
