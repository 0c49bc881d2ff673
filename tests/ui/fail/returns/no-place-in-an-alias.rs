use retry_runtime::retry;
use retry_tests::ConnectionError;

type Fetched<T> = Result<T, ConnectionError>;

#[retry(on = ConnectionError)]
async fn fetch() -> Fetched<u32> {
    Ok(1)
}

fn main() {}
