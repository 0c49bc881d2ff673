use retry_runtime::retry;

#[retry(on = _)]
const LIMIT: u32 = 1;

fn main() {}
