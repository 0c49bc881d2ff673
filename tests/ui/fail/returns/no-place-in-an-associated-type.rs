use retry_runtime::retry;

trait Service {
    type Error;
}

#[retry(on = _)]
async fn fetch<S: Service>(_: S) -> Result<u32, S::Error> {
    Ok(1)
}

fn main() {}
