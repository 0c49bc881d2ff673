use retry_runtime::retry;

struct Store;

#[retry(on = _)]
impl Store {
}

fn main() {}
