use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> Result<u32, Box<dyn std::error::Error>> {
    Ok(1)
}

fn main() {}
