//! An `impl` block, annotated below `#[async_trait]`.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use retry_runtime::retry;

#[derive(Debug, thiserror::Error)]
#[error("storage hiccup")]
pub struct Hiccup;

#[async_trait]
pub trait Storage: Send + Sync {
    type Split: Send;
    async fn split(&self, id: String) -> Result<Self::Split, Hiccup>;
}

#[derive(Default)]
pub struct Local(AtomicU32);

#[async_trait]
#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Hiccup, fallback = |_| Err(Hiccup))]
impl Storage for Local {
    type Split = (String, u32);

    async fn split(&self, id: String) -> Result<Self::Split, Hiccup> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Hiccup),
            n => Ok((id, n)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_split_is_asked_for_again() {
        let got = Local::default().split("s1".into()).await;
        assert_eq!(got.unwrap(), ("s1".into(), 1));
    }
}
