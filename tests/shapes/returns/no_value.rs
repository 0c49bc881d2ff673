//! Results without a value: `()`, and a loop that only ever fails.

use std::convert::Infallible;

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error("feed closed")]
    Closed,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = FeedError::Closed)]
pub async fn ping(tries: &mut u32) -> Result<(), FeedError> {
    *tries += 1;
    if *tries == 1 {
        return Err(FeedError::Closed);
    }
    Ok(())
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = FeedError::Closed)]
pub async fn follow(tries: &mut u32) -> Result<Infallible, FeedError> {
    *tries += 1;
    let mut lines = 0;
    loop {
        lines += 1;
        tokio::task::yield_now().await;
        if lines > 3 {
            return Err(FeedError::Closed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retry_runtime::Reason;

    #[tokio::test(start_paused = true)]
    async fn only_the_failures_count() {
        ping(&mut 0).await.unwrap();
        let mut tries = 0;
        let error = follow(&mut tries).await.unwrap_err();
        assert!(matches!(error, FeedError::GaveUp(gave_up) if gave_up.reason() == Reason::AttemptsExhausted));
        assert_eq!(tries, 3);
    }
}
