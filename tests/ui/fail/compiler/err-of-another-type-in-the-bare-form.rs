use retry_runtime::retry;
use retry_tests::ConnectionError;

#[derive(Debug)]
enum StoreError {
    Busy,
    GaveUp(retry_runtime::GaveUp),
}

impl From<retry_runtime::GaveUp> for StoreError {
    fn from(give_up: retry_runtime::GaveUp) -> Self {
        Self::GaveUp(give_up)
    }
}

#[retry(on = _)]
async fn fetch() -> Result<String, StoreError> {
    Err(ConnectionError)
}

fn main() {}
