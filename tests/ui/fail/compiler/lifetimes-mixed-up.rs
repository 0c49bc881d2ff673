use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch<'a, 'b>(text: &'a str, other: &'b str) -> Result<&'a str, RetryError<ConnectionError>> {
    Ok(if text.is_empty() { text } else { other })
}

fn main() {}
