use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Token;

#[retry(attempts = 3, hedge = "50ms", on = ConnectionError)]
async fn fetch(token: Token, mut list: Box<dyn Iterator<Item = u32> + Send>) -> Result<u32, RetryError<ConnectionError>> {
    drop(token);
    Ok(list.next().unwrap_or_default())
}

fn main() {}
