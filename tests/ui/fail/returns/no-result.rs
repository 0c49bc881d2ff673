use retry_runtime::retry;
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
async fn fetch() -> u32 {
    1
}

fn main() {}
