use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(text: String) -> Result<usize, RetryError<ConnectionError>> {
    drop(text);
    Ok(text.len())
}

fn main() {}
