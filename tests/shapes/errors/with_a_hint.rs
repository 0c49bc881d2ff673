//! An error that says when to come back: an API with a rate limit.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error("rate limited, come back in {retry_after:?}")]
    RateLimited { retry_after: Option<Duration> },
    #[error("bad request")]
    BadRequest,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

impl ApiError {
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } => *retry_after,
            Self::BadRequest | Self::GaveUp(_) => None,
        }
    }
}

#[derive(Default)]
pub struct Llm(AtomicU32);

impl Llm {
    #[retry(
        total = "1s",
        per_attempt = "200ms",
        attempts = 3,
        on = ApiError::RateLimited { .. },
        retry_after = ApiError::retry_after,
    )]
    pub async fn complete(&self, prompt: &str) -> Result<String, ApiError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            _ if prompt.is_empty() => Err(ApiError::BadRequest),
            0 => Err(ApiError::RateLimited { retry_after: Some(Duration::from_millis(30)) }),
            _ => Ok(prompt.to_uppercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_bad_request_is_final() {
        let llm = Llm::default();
        assert!(matches!(llm.complete("").await, Err(ApiError::BadRequest)));
        assert_eq!(llm.0.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_hint_is_waited_for() {
        let started = tokio::time::Instant::now();
        let got = Llm::default().complete("hi").await;
        assert_eq!(got.unwrap(), "HI");
        assert!(started.elapsed() >= Duration::from_millis(30));
    }
}
