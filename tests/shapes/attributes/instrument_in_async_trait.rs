//! `#[instrument]` on methods below `#[async_trait]`, on both sides of the attribute, with a key that names `self`.

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};
use tracing::instrument;

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    #[error("model is loading")]
    Loading,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[async_trait]
pub trait Score {
    async fn above(&mut self, text: Counted) -> Result<usize, ScoreError>;
    async fn below(&mut self, text: Counted) -> Result<usize, ScoreError>;
}

#[derive(Debug)]
pub struct Model {
    pub calls: usize,
    pub attempts: u32,
}

impl Model {
    fn score(&mut self, text: Counted) -> Result<usize, ScoreError> {
        self.calls += 1;
        if self.calls % 2 == 1 { Err(ScoreError::Loading) } else { Ok(text.text.len()) }
    }
}

#[async_trait]
impl Score for Model {
    #[instrument(skip_all, fields(length = text.text.len()), err)]
    #[retry(total = "1s", per_attempt = "200ms", attempts = self.attempts, on = ScoreError::Loading)]
    async fn above(&mut self, text: Counted) -> Result<usize, ScoreError> {
        tokio::task::yield_now().await;
        self.score(text)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = self.attempts, on = ScoreError::Loading)]
    #[instrument(skip_all, fields(length = text.text.len()), err)]
    async fn below(&mut self, text: Counted) -> Result<usize, ScoreError> {
        tokio::task::yield_now().await;
        self.score(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::spans::watch;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn both_are_repeated() {
        let clones = Clones::default();
        let (spans, _guard) = watch();
        let mut model = Model { calls: 0, attempts: 3 };
        assert_eq!(model.above(Counted::new("abc", &clones)).await.unwrap(), 3);
        assert_eq!(spans.opened(), ["above", "above"]);
        assert_eq!(clones.take(), 2);
        assert_eq!(model.below(Counted::new("abc", &clones)).await.unwrap(), 3);
        assert_eq!(spans.opened()[2..], ["below"]);
        assert_eq!(clones.take(), 2);
    }
}
