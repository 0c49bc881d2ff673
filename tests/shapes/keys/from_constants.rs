//! Numbers from constants: a `const` policy with some of them overridden, durations, attempts, a deadline that came
//! with the request.

use std::time::Duration;

use retry_runtime::{Deadline, GaveUp, Policy, RetryError, retry};

pub const PER_ATTEMPT: Duration = Duration::from_millis(200);
pub const ATTEMPTS: u32 = 4;

pub const POLICY: Policy = Policy::builder()
    .total(Duration::from_secs(1))
    .per_attempt(PER_ATTEMPT)
    .attempts(ATTEMPTS)
    .backoff(Duration::from_millis(10))
    .build();

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("shard moving")]
    Moving,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub struct Request {
    pub deadline: Option<Deadline>,
}

pub struct Shard;

impl Shard {
    const HALF: Duration = Duration::from_millis(500);

    #[retry(policy = POLICY, on = IndexError::Moving)]
    pub async fn search(&self, tries: &mut u32) -> Result<u32, IndexError> {
        *tries += 1;
        Err(IndexError::Moving)
    }

    #[retry(policy = &POLICY, attempts = ATTEMPTS - 2, on = IndexError::Moving)]
    pub async fn search_less(&self, tries: &mut u32) -> Result<u32, IndexError> {
        *tries += 1;
        Err(IndexError::Moving)
    }

    #[retry(total = Self::HALF, per_attempt = PER_ATTEMPT / 2, attempts = ATTEMPTS, on = IndexError::Moving)]
    pub async fn search_soon(&self, tries: &mut u32) -> Result<u32, RetryError<IndexError>> {
        *tries += 1;
        std::future::pending().await
    }

    #[retry(policy = POLICY, deadline = request.deadline, on = IndexError::Moving)]
    pub async fn serve(&self, request: Request) -> Result<u32, RetryError<IndexError>> {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retry_runtime::Reason;

    #[tokio::test(start_paused = true)]
    async fn the_constant_holds_but_for_what_is_overridden() {
        let mut tries = 0;
        assert!(Shard.search(&mut tries).await.is_err());
        assert_eq!(tries, 4);
        assert!(Shard.search_less(&mut tries).await.is_err());
        assert_eq!(tries, 6);
        assert_eq!(Shard.search_soon(&mut tries).await.unwrap_err().attempts(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_of_the_request_governs() {
        let deadline = Some(Deadline::within(Duration::from_millis(50)));
        let error = Shard.serve(Request { deadline }).await.unwrap_err();
        assert_eq!(error.reason(), Reason::InheritedDeadline);
        assert_eq!(error.elapsed(), Duration::from_millis(50));
    }
}
