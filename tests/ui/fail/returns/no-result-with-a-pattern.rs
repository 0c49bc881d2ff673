use retry_runtime::retry;

enum StoreError {
    Busy,
}

#[retry(on = StoreError::Busy)]
async fn fetch() -> u32 {
    1
}

fn main() {}
