use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Cache(Vec<u32>);

impl Cache {
    #[retry(on = ConnectionError)]
    async fn first(&mut self) -> Result<&u32, RetryError<ConnectionError>> {
        match self.0.first() {
            Some(first) => Ok(first),
            None => Err(ConnectionError),
        }
    }
}

fn main() {}
