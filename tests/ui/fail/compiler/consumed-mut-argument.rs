use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Request(u32);

async fn send(_: Request) -> Result<u32, ConnectionError> {
    Ok(1)
}

#[retry(on = ConnectionError)]
async fn fetch(mut request: Request) -> Result<u32, RetryError<ConnectionError>> {
    request.0 += 1;
    send(request).await
}

fn main() {}
