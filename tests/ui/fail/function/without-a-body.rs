use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

trait Store {
    #[retry(on = ConnectionError)]
    async fn fetch(&self) -> Result<u32, RetryError<ConnectionError>>;
}

fn main() {}
