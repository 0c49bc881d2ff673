use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct S(Vec<u32>);

impl S {
    #[retry(on = ConnectionError)]
    async fn fetch(&mut self) -> Result<impl Iterator<Item = &mut u32>, RetryError<ConnectionError>> {
        Ok(self.0.iter_mut())
    }
}

fn main() {}
