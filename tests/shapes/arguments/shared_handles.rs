//! Handles in an `Arc` whose methods use the handle up: an owned lock, an owned permit.

use std::sync::Arc;

use retry_runtime::{RetryError, retry};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, RwLock, Semaphore};

#[derive(Debug, thiserror::Error)]
#[error("not ready")]
pub struct NotReady;

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotReady)]
pub async fn lock(state: Arc<Mutex<Vec<u32>>>) -> Result<OwnedMutexGuard<Vec<u32>>, RetryError<NotReady>> {
    let mut state = state.lock_owned().await;
    state.push(1);
    if state.len() < 2 { Err(NotReady) } else { Ok(state) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotReady)]
pub async fn permit(
    limit: Arc<Semaphore>,
    state: Arc<RwLock<u32>>,
) -> Result<(OwnedSemaphorePermit, u32), RetryError<NotReady>> {
    let permit = limit.acquire_owned().await.map_err(|_| NotReady)?;
    let mut state = state.write_owned().await;
    *state += 1;
    if *state < 3 { Err(NotReady) } else { Ok((permit, *state)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_a_failed_attempt_held_is_free_for_the_next() {
        let state = Arc::default();
        assert_eq!(*lock(Arc::clone(&state)).await.unwrap(), [1, 1]);
        assert_eq!(Arc::strong_count(&state), 1);
        let limit = Arc::new(Semaphore::new(1));
        let (permit, count) = permit(limit.clone(), Arc::default()).await.unwrap();
        assert_eq!((count, limit.available_permits()), (3, 0));
        drop(permit);
        assert_eq!(limit.available_permits(), 1);
    }
}
