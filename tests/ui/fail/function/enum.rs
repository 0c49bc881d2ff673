use retry_runtime::retry;

#[retry(on = _)]
enum Store {
    Empty,
}

fn main() {}
