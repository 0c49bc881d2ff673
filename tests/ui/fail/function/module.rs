use retry_runtime::retry;

#[retry(on = _)]
mod store {}

fn main() {}
