use retry_runtime::retry;

struct Store {
    #[retry(on = _)]
    field: u32,
}

fn main() {}
