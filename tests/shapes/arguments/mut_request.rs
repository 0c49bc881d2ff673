//! A `mut` request that gets another header at each attempt, and is then sent off.

use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode};
use retry_runtime::{RetryError, retry};

#[derive(Debug)]
pub struct HttpError(pub StatusCode);

#[derive(Default)]
pub struct HttpClient {
    attempts: AtomicU32,
}

impl HttpClient {
    async fn request(&self, request: Request<Bytes>) -> Result<String, HttpError> {
        let header = request.headers()["x-retry-count"].to_str().unwrap_or("?").to_owned();
        match self.attempts.load(Ordering::SeqCst) {
            1 => Err(HttpError(StatusCode::BAD_GATEWAY)),
            _ => Ok(format!("{} {}", header, request.into_body().len())),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = |e: &HttpError| e.0.is_server_error())]
    pub async fn execute(&self, mut request: Request<Bytes>) -> Result<String, RetryError<HttpError>> {
        let n = self.attempts.fetch_add(1, Ordering::SeqCst);
        request.headers_mut().insert("x-retry-count", HeaderValue::from(n));
        self.request(request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_headers_start_afresh() {
        let client = HttpClient::default();
        let got = client.execute(Request::new(Bytes::from_static(b"body"))).await;
        assert_eq!(got.unwrap(), "1 4");
    }
}
