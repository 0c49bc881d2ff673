use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(mut list: Vec<u32>) -> Result<u32, RetryError<ConnectionError>> {
    let first = &mut list;
    let second = &mut list;
    first.push(1);
    second.push(2);
    Ok(1)
}

fn main() {}
