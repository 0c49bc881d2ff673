use retry_runtime::{CircuitBreaker, RetryError, retry};
use retry_tests::ConnectionError;

struct Client {
    breaker: CircuitBreaker,
    asked: u32,
}

impl Client {
    #[retry(breaker = self.breaker, on = ConnectionError)]
    async fn fetch(&mut self) -> Result<u32, RetryError<ConnectionError>> {
        self.asked += 1;
        self.ask().await
    }

    async fn ask(&mut self) -> Result<u32, ConnectionError> {
        Ok(self.asked)
    }
}

fn main() {}
