use retry_runtime::retry;
use retry_tests::ConnectionError;

#[retry(on = _, fallback = retry_runtime::last_error)]
async fn fetch() -> Result<u32, ConnectionError> {
    Ok(1)
}

fn main() {}
