use retry_runtime::retry;

#[retry(on = _)]
struct Fetch;

fn main() {}
