//! `#[instrument]` with `err` and `ret`, which look at the outcome, on both sides of the attribute.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};
use tracing::instrument;

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("stale statistics")]
    Stale,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub type Step = Box<dyn Fn(u32) -> u32 + Send + Sync>;

#[derive(Debug, Default)]
pub struct Planner {
    pub tries: AtomicU32,
}

impl Planner {
    fn ready(&self) -> bool {
        self.tries.fetch_add(1, Ordering::SeqCst) % 2 == 1
    }

    #[instrument(skip_all, err)]
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = PlanError::Stale)]
    pub async fn above(self: Arc<Self>, twice: bool) -> Result<u32, PlanError> {
        if !self.ready() {
            return Err(PlanError::Stale);
        }
        let tries = tokio::spawn(async move { self.tries.load(Ordering::SeqCst) }).await;
        let tries = tries.map_err(|_| PlanError::Stale)?;
        Ok(if twice { tries * 2 } else { tries })
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = PlanError::Stale)]
    #[instrument(skip_all, err)]
    pub async fn below(self: Arc<Self>) -> Result<Step, PlanError> {
        if !self.ready() {
            return Err(PlanError::Stale);
        }
        Ok(Box::new(move |row| row + self.tries.load(Ordering::SeqCst)))
    }

    #[instrument(skip_all, ret, err(Debug), fields(table))]
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = PlanError::Stale)]
    pub async fn shown(&self, table: &str, mut rows: Vec<u32>) -> Result<Option<Vec<u32>>, PlanError> {
        rows.push(table.len() as u32);
        if !self.ready() {
            Err(PlanError::Stale)?;
        }
        Ok(Some(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::spans::watch;

    #[tokio::test(start_paused = true)]
    async fn both_are_repeated() {
        let (spans, _guard) = watch();
        let planner = Arc::new(Planner::default());
        assert_eq!(planner.clone().above(true).await.unwrap(), 4);
        assert_eq!(planner.clone().above(false).await.unwrap(), 4);
        assert_eq!(spans.opened().len(), 4);
        assert_eq!(planner.clone().below().await.unwrap()(4), 10);
        assert_eq!(spans.opened().len(), 5);
        assert_eq!(planner.shown("ab", vec![1]).await.unwrap(), Some(vec![1, 2]));
    }
}
