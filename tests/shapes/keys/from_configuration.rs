//! Numbers that are known when the program runs: from the configuration, and from an argument.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::{RetryError, retry};

#[derive(Clone)]
pub struct RetryConfig {
    pub total: Duration,
    pub per_attempt: Option<Duration>,
    pub max_attempts: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("throttled")]
pub struct Throttled;

pub struct Client {
    config: RetryConfig,
    calls: AtomicU32,
}

impl Client {
    #[retry(
        total = self.config.total,
        per_attempt = self.config.per_attempt,
        attempts = self.config.max_attempts,
        on = Throttled,
    )]
    pub async fn embed(&self, text: &str) -> Result<usize, RetryError<Throttled>> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Throttled),
            _ => Ok(text.len()),
        }
    }

    #[retry(total = budget, per_attempt = budget / 3, attempts = 3, on = Throttled, fallback = |_| Err(Throttled))]
    pub async fn embed_within(&self, text: &str, budget: Duration) -> Result<(usize, Duration), Throttled> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok((text.len(), budget))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_configuration_is_kept() {
        let config = RetryConfig {
            total: Duration::from_secs(1),
            per_attempt: Some(Duration::from_millis(200)),
            max_attempts: 3,
        };
        let client = Client { config, calls: AtomicU32::new(0) };
        let got = client.embed("abc").await;
        assert_eq!(client.embed_within("ab", Duration::from_secs(1)).await.unwrap().0, 2);
        assert_eq!(got.unwrap(), 3);
    }
}
