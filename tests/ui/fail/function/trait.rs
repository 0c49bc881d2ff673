use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(on = ConnectionError)]
trait Store {
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>>;
}

fn main() {}
