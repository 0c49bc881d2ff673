use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Cache(Vec<u32>);

impl Cache {
    #[retry(on = ConnectionError)]
    async fn all<'a>(&'a mut self) -> Result<&'a [u32], RetryError<ConnectionError>> {
        Ok(&self.0)
    }
}

fn main() {}
