use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<usize, RetryError<ConnectionError>> {
    let text = String::new();
    Ok(text.lenght())
}

fn main() {}
