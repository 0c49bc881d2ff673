use retry_runtime::{CircuitBreaker, RetryError, retry};
use retry_tests::ConnectionError;

struct Client {
    breaker: CircuitBreaker,
    asked: u32,
}

#[retry(breaker = client.breaker, on = ConnectionError)]
async fn fetch(client: &mut Client) -> Result<u32, RetryError<ConnectionError>> {
    ask(client).await
}

async fn ask(client: &mut Client) -> Result<u32, ConnectionError> {
    client.asked += 1;
    Ok(client.asked)
}

fn main() {}
