use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 3, hedge = "50ms", on = ConnectionError)]
async fn fetch(buffer: &mut Vec<u8>, more: Option<&mut u32>) -> Result<usize, RetryError<ConnectionError>> {
    buffer.clear();
    let _ = more;
    Ok(buffer.len())
}

fn main() {}
