use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

#[retry(attempts = 3, hedge = "50ms", on = ConnectionError)]
async fn fetch(mut pages: tokio::sync::mpsc::Receiver<u32>) -> Result<u32, RetryError<ConnectionError>> {
    Ok(pages.recv().await.unwrap_or_default())
}

fn main() {}
