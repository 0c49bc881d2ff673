use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> Result<u32, String> {
    Ok(1)
}

fn main() {}
