use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = _, fallback = async |give_up| { Ok(give_up.nonsuch()) })]
async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

fn main() {}
