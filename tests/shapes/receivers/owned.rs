//! A builder whose `send(self)` uses the builder up, parts of it after other parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("server busy")]
pub struct Busy;

#[derive(Clone)]
pub struct PutRequest {
    server: Arc<AtomicU32>,
    path: String,
    parts: Vec<Vec<u8>>,
}

impl PutRequest {
    fn into_body(self) -> Vec<u8> {
        self.parts.into_iter().flatten().collect()
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Busy)]
    pub async fn send(self) -> Result<(String, usize), RetryError<Busy>> {
        if self.server.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(Busy);
        }
        let path = self.path.clone();
        let body = self.into_body();
        Ok((path, body.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_attempt_has_the_whole_request() {
        let req = PutRequest { server: Arc::default(), path: "a/b".into(), parts: vec![vec![1, 2], vec![3]] };
        let got = req.send().await;
        assert_eq!(got.unwrap(), ("a/b".to_string(), 3));
    }
}
