use retry_runtime::retry;

#[retry(on = String)]
async fn fetch() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {}
