//! `#[instrument]` below: there is one span round all attempts.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum PutError {
    #[error("conflict")]
    Conflict,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct LogStore(AtomicU32);

impl LogStore {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = PutError::Conflict)]
    #[tracing::instrument(level = "debug", skip(self, bytes), fields(path = %location, size = bytes.len()), ret)]
    pub async fn put_with_retries(&self, location: &str, bytes: Vec<u8>) -> Result<usize, PutError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(PutError::Conflict),
            _ => Ok(location.len() + bytes.into_iter().map(usize::from).sum::<usize>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::spans::watch;

    #[tokio::test(start_paused = true)]
    async fn one_span_round_all() {
        let (spans, _guard) = watch();
        let got = LogStore::default().put_with_retries("_log/0", vec![1, 2]).await;
        assert_eq!(got.unwrap(), 9);
        assert_eq!(spans.opened(), ["put_with_retries"]);
    }
}
