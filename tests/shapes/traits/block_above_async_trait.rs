//! An `impl` block, annotated above `#[async_trait]`: every async method, but for the one that is left alone and the
//! one that has its own numbers.

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("broker away")]
    Away,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[async_trait]
pub trait Queue: Send {
    async fn push(&mut self, message: String) -> Result<usize, QueueError>;
    async fn pop(&mut self) -> Result<String, QueueError>;
    async fn close(&mut self) -> Result<(), QueueError>;
    fn length(&self) -> usize;
}

#[derive(Default)]
pub struct Remote {
    pub calls: u32,
    pub kept: Vec<String>,
}

impl Remote {
    fn reach(&mut self) -> Result<(), QueueError> {
        self.calls += 1;
        if self.calls % 2 == 1 { Err(QueueError::Away) } else { Ok(()) }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = QueueError::Away)]
#[async_trait]
impl Queue for Remote {
    async fn push(&mut self, message: String) -> Result<usize, QueueError> {
        self.kept.push(message);
        self.reach()?;
        Ok(self.kept.len())
    }

    #[retry(total = "1s", attempts = 1)]
    async fn pop(&mut self) -> Result<String, QueueError> {
        self.reach()?;
        self.kept.pop().ok_or(QueueError::Away)
    }

    #[retry(skip)]
    async fn close(&mut self) -> Result<(), QueueError> {
        self.reach()
    }

    fn length(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_block_means_all_but_one() {
        let mut queue: Box<dyn Queue> = Box::new(Remote::default());
        assert_eq!(queue.push("m".to_owned()).await.unwrap(), 2);
        assert_eq!(queue.length(), 2);
        assert!(queue.close().await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn one_method_has_one_attempt() {
        let mut queue = Remote::default();
        assert!(queue.pop().await.is_err());
        assert_eq!(queue.calls, 1);
    }
}
