//! A function that returns `impl Future`: what stands before its block runs once, the block once per attempt.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("gateway 502")]
pub struct BadGateway;

#[derive(Clone, Default)]
pub struct Payments {
    prepared: Arc<AtomicU32>,
    calls: Arc<AtomicU32>,
}

impl Payments {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = BadGateway)]
    pub fn charge(
        &self,
        account: String,
        cents: u64,
    ) -> impl Future<Output = Result<String, RetryError<BadGateway>>> + Send + 'static {
        self.prepared.fetch_add(1, Ordering::SeqCst);
        let calls = Arc::clone(&self.calls);
        async move {
            tokio::task::yield_now().await;
            if calls.fetch_add(1, Ordering::SeqCst) == 0 {
                return Err(BadGateway);
            }
            let receipt = account;
            Ok(format!("{receipt}:{cents}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn prepared_once_charged_twice() {
        let payments = Payments::default();
        let got = tokio::spawn(payments.charge("acc".into(), 5)).await.unwrap();
        assert_eq!(payments.prepared.load(Ordering::SeqCst), 1);
        assert_eq!(got.unwrap(), "acc:5");
    }
}
