use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch<'a>(text: String, other: &'a str) -> Result<&'a str, RetryError<ConnectionError>> {
    if other.is_empty() {
        return Ok(other);
    }
    Ok(&text)
}

fn main() {}
