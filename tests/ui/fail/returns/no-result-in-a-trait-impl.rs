use retry_runtime::retry;
use retry_tests::ConnectionError;

trait Store {
    async fn size(&self) -> u32;
}

struct Memory;

impl Store for Memory {
    #[retry(on = ConnectionError)]
    async fn size(&self) -> u32 {
        1
    }
}

fn main() {}
