use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Request;

impl Request {
    async fn send(self) -> Result<u32, ConnectionError> {
        Ok(1)
    }

    #[retry(on = ConnectionError)]
    async fn fetch(self) -> Result<u32, RetryError<ConnectionError>> {
        send(self).await
    }
}

async fn send(request: Request) -> Result<u32, ConnectionError> {
    request.send().await
}

fn main() {}
