use retry_runtime::{RetryError, RetryThrottle, retry};
use retry_tests::ConnectionError;

struct Client {
    throttle: RetryThrottle,
    asked: u32,
}

impl Client {
    #[retry(throttle = self.throttle, on = ConnectionError)]
    async fn fetch(&mut self) -> Result<u32, RetryError<ConnectionError>> {
        self.asked += 1;
        self.ask().await
    }

    async fn ask(&mut self) -> Result<u32, ConnectionError> {
        Ok(self.asked)
    }
}

fn main() {}
