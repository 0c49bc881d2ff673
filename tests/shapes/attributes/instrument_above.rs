//! `#[instrument]` above: it expands first, so there is one span an attempt.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};
use tracing::instrument;

#[derive(Debug, thiserror::Error)]
#[error("store unavailable")]
pub struct Unavailable;

#[derive(Default)]
pub struct Store(AtomicU32);

impl Store {
    #[instrument(name = "store.client.tip", skip_all, fields(table = %table), err)]
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Unavailable)]
    pub async fn tip(&self, table: String, limit: usize) -> Result<(String, usize), RetryError<Unavailable>> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Unavailable),
            _ => Ok((table, limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::spans::watch;

    #[tokio::test(start_paused = true)]
    async fn one_span_an_attempt() {
        let (spans, _guard) = watch();
        let got = Store::default().tip("blocks".into(), 2).await;
        assert_eq!(got.unwrap(), ("blocks".into(), 2));
        assert_eq!(spans.opened(), ["store.client.tip", "store.client.tip"]);
        assert_eq!(spans.fields(), ["table", "table"]);
    }
}
