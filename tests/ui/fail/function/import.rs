use retry_runtime::retry;

#[retry(on = _)]
pub use std::fmt;

fn main() {}
