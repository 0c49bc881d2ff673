use retry_runtime::retry;

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
async fn fetch() -> Result<u32, StoreError> {
    let number: u32 = "1".parse()?;
    Ok(number)
}

fn main() {}
