use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch(list: &Vec<u32>) -> Result<u32, RetryError<ConnectionError>> {
    list.push(1);
    Ok(1)
}

fn main() {}
