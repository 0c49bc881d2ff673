use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn first(list: &mut Vec<u32>) -> Result<&mut u32, RetryError<ConnectionError>> {
    match list.first_mut() {
        Some(first) => Ok(first),
        None => Err(ConnectionError),
    }
}

fn main() {}
