use retry_runtime::retry;
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> Result<u32, ConnectionError> {
    Err(ConnectionError)
}

fn main() {}
