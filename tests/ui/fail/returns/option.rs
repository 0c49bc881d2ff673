use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> Option<u32> {
    None
}

fn main() {}
