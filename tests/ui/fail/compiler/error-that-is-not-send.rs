use std::rc::Rc;

use retry_runtime::{RetryError, retry};

#[retry(on = _)]
async fn fetch() -> Result<u32, RetryError<Rc<u32>>> {
    Ok(1)
}

fn spawn() {
    tokio::spawn(fetch());
}

fn main() {}
