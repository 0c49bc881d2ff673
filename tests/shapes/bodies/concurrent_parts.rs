//! Several things at once within an attempt: `join!`, `try_join!`, a timeout of the body's own, tasks in a `JoinSet`,
//! a stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use retry_runtime::{GaveUp, retry};
use tokio::task::JoinSet;
use tokio::time::{error::Elapsed, sleep, timeout};

#[derive(Debug, thiserror::Error)]
pub enum FanError {
    #[error("part {0} failed")]
    Part(u32),
    #[error("part too slow")]
    Slow(#[from] Elapsed),
    #[error(transparent)]
    Join(#[from] tokio::task::JoinError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Clone, Default)]
pub struct Parts(Arc<AtomicU32>);

impl Parts {
    async fn part(&self, number: u32, delay: u64) -> Result<u32, FanError> {
        sleep(Duration::from_millis(delay)).await;
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(FanError::Part(number)),
            _ => Ok(number),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = FanError::Part(_) | FanError::Slow(_))]
    pub async fn all(&self, ids: Vec<u32>) -> Result<u32, FanError> {
        let (first, second) = tokio::try_join!(self.part(1, 5), self.part(2, 7))?;
        let (third, ()) = tokio::join!(timeout(Duration::from_millis(20), self.part(3, 1)), async {});
        let mut tasks = JoinSet::new();
        for id in ids {
            let parts = self.clone();
            tasks.spawn(async move { parts.part(id, 1).await });
        }
        let mut sum = first + second + third??;
        while let Some(joined) = tasks.join_next().await {
            sum += joined??;
        }
        let streamed: Vec<u32> =
            stream::iter(1..4).map(|id| self.part(id, 2)).buffer_unordered(2).try_collect().await?;
        Ok(sum + streamed.len() as u32)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = FanError::Slow(_))]
    pub async fn slow(&self, delays: &mut Vec<u64>) -> Result<u32, FanError> {
        self.0.store(1, Ordering::SeqCst);
        let delay = delays.pop().unwrap_or_default();
        let part = timeout(Duration::from_millis(10), self.part(1, delay)).await??;
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_parts_run_again() {
        let parts = Parts::default();
        assert_eq!(parts.all(vec![10, 20]).await.unwrap(), 39);
        assert_eq!(tokio::spawn(async move { parts.all(vec![1]).await }).await.unwrap().unwrap(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_of_the_bodys_own_is_an_error_like_any_other() {
        assert_eq!(Parts::default().slow(&mut vec![1, 50, 50]).await.unwrap(), 1);
    }
}
