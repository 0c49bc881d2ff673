use retry_runtime::retry;
use retry_tests::ConnectionError;

#[retry(on = ConnectionError, fallback = |give_up| 3)]
async fn fetch() -> u32 {
    1
}

fn main() {}
