use retry_runtime::retry;

#[retry(on = _)]
fn numbers() -> impl Iterator<Item = u32> {
    0..3
}

fn main() {}
