//! A guard that the caller hands over and the body never uses, or only looks at: it is held through all attempts and
//! the waits between them.

use std::sync::Arc;

use retry_runtime::{GaveUp, retry};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("connection reset")]
    Reset,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = UploadError::Reset)]
pub async fn upload(
    _permit: OwnedSemaphorePermit,
    limit: &Semaphore,
    seen: &mut Vec<usize>,
) -> Result<usize, UploadError> {
    seen.push(limit.available_permits());
    if seen.len() < 3 { Err(UploadError::Reset) } else { Ok(seen.len()) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = UploadError::Reset)]
pub async fn upload_some(permit: SemaphorePermit<'_>, tries: &mut u32) -> Result<usize, UploadError> {
    *tries += 1;
    if *tries < 2 {
        return Err(UploadError::Reset);
    }
    Ok(permit.num_permits())
}

pub fn limit(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn held_by_every_attempt_and_free_afterwards() {
        let limit = limit(1);
        let permit = limit.clone().acquire_owned().await.unwrap();
        let mut seen = vec![];
        assert_eq!(upload(permit, &limit, &mut seen).await.unwrap(), 3);
        assert_eq!(seen, [0, 0, 0]);
        assert_eq!(limit.available_permits(), 1);
        let some = limit.acquire_many(1).await.unwrap();
        assert_eq!(upload_some(some, &mut 0).await.unwrap(), 1);
        assert_eq!(limit.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn held_during_the_wait() {
        let limit = limit(1);
        let permit = limit.clone().acquire_owned().await.unwrap();
        let mut seen = vec![];
        let first = tokio::time::timeout(Duration::from_millis(10), upload(permit, &limit, &mut seen));
        let probe = async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            limit.available_permits()
        };
        let (first, during) = tokio::join!(first, probe);
        assert!(first.is_err());
        assert_eq!((during, limit.available_permits()), (0, 1));
    }
}
