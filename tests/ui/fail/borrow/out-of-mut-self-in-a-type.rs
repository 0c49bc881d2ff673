use std::slice::Iter;

use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Cache(Vec<u32>);

impl Cache {
    #[retry(on = ConnectionError)]
    async fn all(&mut self) -> Result<Iter<'_, u32>, RetryError<ConnectionError>> {
        Ok(self.0.iter())
    }
}

fn main() {}
