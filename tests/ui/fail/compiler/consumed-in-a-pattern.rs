use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Request;

async fn send(_: Request) -> Result<u32, ConnectionError> {
    Ok(1)
}

#[retry(on = ConnectionError)]
async fn fetch((request, n): (Request, u32)) -> Result<u32, RetryError<ConnectionError>> {
    send(request).await
}

fn main() {}
