//! Returns out of an `if let`, a `let else` and the tail, and those of a closure and a block, which stay inside.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("origin failed")]
pub struct OriginFailed;

#[derive(Default)]
pub struct Cached {
    hit: Mutex<Option<u64>>,
    origin: AtomicU32,
}

impl Cached {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = OriginFailed)]
    pub async fn load(&self, id: u64) -> Result<u64, RetryError<OriginFailed>> {
        if let Some(v) = *self.hit.lock().unwrap() {
            return Ok(v);
        }
        let Some(doubled) = id.checked_mul(2) else {
            return Ok(u64::MAX);
        };
        let clamp = |v: u64| {
            if v > 1000 {
                return 1000;
            }
            v
        };
        let fetched = async {
            if self.origin.fetch_add(1, Ordering::SeqCst) == 0 {
                return Err(OriginFailed);
            }
            Ok(clamp(doubled))
        }
        .await?;
        *self.hit.lock().unwrap() = Some(fetched);
        Ok(fetched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_cache_is_filled_once() {
        let cached = Cached::default();
        assert_eq!(cached.load(u64::MAX).await.unwrap(), u64::MAX);
        let got = cached.load(700).await;
        assert_eq!(got.unwrap(), 1000);
        assert_eq!(cached.load(1).await.unwrap(), 1000);
    }
}
