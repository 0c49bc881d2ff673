use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

mod store {
    struct Hidden;
}

#[retry(on = store::Hidden)]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
