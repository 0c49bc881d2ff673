use retry_runtime::retry;

#[derive(Debug)]
enum StoreError {
    Busy(*const u32),
    GaveUp(retry_runtime::GaveUp),
}

impl From<retry_runtime::GaveUp> for StoreError {
    fn from(give_up: retry_runtime::GaveUp) -> Self {
        Self::GaveUp(give_up)
    }
}

#[retry(on = _)]
async fn fetch() -> Result<u32, StoreError> {
    Ok(1)
}

fn main() {}
