//! A request that is not `Clone`, and that the body only looks at to make its own copy.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("request has a streaming body")]
    Streaming,
    #[error("status {0}")]
    Status(u16),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Transport {
    hits: AtomicU32,
}

impl Transport {
    async fn execute(&self, request: reqwest::Request) -> Result<reqwest::Response, UploadError> {
        assert_eq!(request.method(), reqwest::Method::PUT);
        let status = if self.hits.fetch_add(1, Ordering::SeqCst) == 0 { 503 } else { 201 };
        let response = http::Response::builder().status(status).body("").expect("valid response");
        Ok(reqwest::Response::from(response))
    }
}

#[retry(
    total = "1s",
    per_attempt = "200ms",
    attempts = 3,
    when = |e: &UploadError| matches!(e, UploadError::Status(500..=599)),
)]
pub async fn upload(transport: &Transport, request: reqwest::Request) -> Result<u16, UploadError> {
    let copy = request.try_clone().ok_or(UploadError::Streaming)?;
    let response = transport.execute(copy).await?;
    match response.status() {
        status if status.is_success() => Ok(status.as_u16()),
        status => Err(UploadError::Status(status.as_u16())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_request_is_lent_to_each_attempt() {
        let url = "http://registry.test/p".parse().unwrap();
        let got = upload(&Transport::default(), reqwest::Request::new(reqwest::Method::PUT, url)).await;
        assert_eq!(got.unwrap(), 201);
    }
}
