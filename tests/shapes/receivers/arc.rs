//! `self: Arc<Self>`, kept by a task that the body spawns, and `self: &Arc<Self>`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("another node holds the lease")]
    Taken,
    #[error(transparent)]
    Join(#[from] tokio::task::JoinError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Node {
    asked: AtomicU32,
}

impl Node {
    fn ask(&self) -> Result<u32, LeaseError> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            n if n % 2 == 0 => Err(LeaseError::Taken),
            n => Ok(n),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = LeaseError::Taken)]
    pub async fn acquire(self: Arc<Self>, name: &str) -> Result<(u32, usize), LeaseError> {
        let turn = tokio::spawn(async move { self.ask() }).await??;
        Ok((turn, name.len()))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = LeaseError::Taken)]
    pub async fn renew(self: Arc<Self>) -> Result<usize, LeaseError> {
        self.ask()?;
        Ok(Arc::strong_count(&self))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = LeaseError::Taken)]
    pub async fn watch(self: &Arc<Self>) -> Result<u32, LeaseError> {
        let this = Arc::clone(self);
        tokio::spawn(async move { this.ask() }).await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_task_of_each_attempt_has_its_own_handle() {
        let node = Arc::new(Node::default());
        assert_eq!(node.clone().acquire("n").await.unwrap(), (1, 1));
        assert_eq!(node.watch().await.unwrap(), 3);
        assert_eq!(Arc::strong_count(&node), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_handle_that_is_only_looked_at_is_not_cloned() {
        assert_eq!(Arc::new(Node::default()).renew().await.unwrap(), 1);
    }
}
