//! A future that is spawned, and whose body spawns: a webhook delivered in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    #[error("endpoint down")]
    Down,
    #[error("worker panicked")]
    Join(#[from] tokio::task::JoinError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Clone, Default)]
pub struct Webhook {
    hits: Arc<AtomicU32>,
}

impl Webhook {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = DeliverError::Down)]
    pub async fn deliver(self, payload: Vec<u8>) -> Result<usize, DeliverError> {
        let hits = self.hits.clone();
        let sent = tokio::spawn(async move {
            match hits.fetch_add(1, Ordering::SeqCst) {
                0 => None,
                _ => Some(payload.len()),
            }
        })
        .await?;
        sent.ok_or(DeliverError::Down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn delivered_from_another_thread() {
        let hook = Webhook::default();
        let got = tokio::spawn(hook.deliver(vec![0; 9])).await.unwrap();
        assert_eq!(got.unwrap(), 9);
    }
}
