use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> impl Iterator<Item = u32> {
    0..3
}

fn main() {}
