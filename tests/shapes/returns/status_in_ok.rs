//! A response with status 503 is an `Ok` that is worth another attempt; the last response comes back as it is.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("transport")]
pub struct TransportError;

#[derive(Default)]
pub struct Http {
    hits: AtomicU32,
    always: Option<u16>,
}

impl Http {
    async fn call(&self, _path: &str) -> Result<reqwest::Response, TransportError> {
        let n = self.hits.fetch_add(1, Ordering::SeqCst);
        let status = self.always.unwrap_or(if n == 0 { 503 } else { 200 });
        let response = http::Response::builder().status(status).body("{}").expect("valid response");
        Ok(response.into())
    }

    #[retry(
        total = "1s",
        per_attempt = "200ms",
        attempts = 3,
        on = TransportError,
        when_ok = |r: &reqwest::Response| r.status().is_server_error() || r.status() == 429,
    )]
    pub async fn get(&self, path: &str) -> Result<reqwest::Response, RetryError<TransportError>> {
        let response = self.call(path).await?;
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_busy_server_is_asked_again() {
        let got = Http::default().get("/v1").await.unwrap();
        let busy = Http { always: Some(429), ..Default::default() };
        assert_eq!(busy.get("/v1").await.unwrap().status(), 429);
        assert_eq!(got.status(), 200);
        assert_eq!(busy.hits.load(Ordering::SeqCst), 3);
    }
}
