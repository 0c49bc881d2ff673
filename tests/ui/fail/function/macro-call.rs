use retry_runtime::retry;

macro_rules! store {
    () => {};
}

#[retry(on = _)]
store! {}

fn main() {}
