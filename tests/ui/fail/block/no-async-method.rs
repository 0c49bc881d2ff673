use retry_runtime::retry;

struct Store;

#[retry(on = _)]
impl Store {
    fn size(&self) -> u32 {
        1
    }
}

fn main() {}
