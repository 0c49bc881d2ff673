use retry_runtime::retry;

#[tokio::test]
#[retry(on = _)]
async fn fetch() -> Result<(), retry_runtime::RetryError> {
    Ok(())
}

fn main() {}
