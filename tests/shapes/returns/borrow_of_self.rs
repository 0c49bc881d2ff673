//! Results that borrow from `&self`: a reference, a `Cow`, a guard.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

#[derive(Debug, thiserror::Error)]
#[error("schema is loading")]
pub struct Loading;

#[derive(Default)]
pub struct Registry {
    pub names: Vec<String>,
    pub asked: AtomicU32,
    pub slots: Mutex<Vec<u32>>,
}

impl Registry {
    fn loaded(&self) -> Result<(), Loading> {
        match self.asked.fetch_add(1, Ordering::SeqCst) % 2 {
            0 => Err(Loading),
            _ => Ok(()),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Loading)]
    pub async fn name(&self, id: usize) -> Result<Option<&str>, RetryError<Loading>> {
        self.loaded()?;
        tokio::task::yield_now().await;
        Ok(self.names.get(id).map(String::as_str))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Loading)]
    pub async fn title<'r>(&'r self, id: usize, other: &str) -> Result<Cow<'r, str>, RetryError<Loading>> {
        self.loaded()?;
        Ok(match self.names.get(id) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(other.to_uppercase()),
        })
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Loading)]
    pub async fn slot(&self, index: usize) -> Result<MappedMutexGuard<'_, u32>, RetryError<Loading>> {
        let slots = self.slots.lock().await;
        self.loaded()?;
        MutexGuard::try_map(slots, |slots| slots.get_mut(index)).map_err(|_| Loading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_borrowed_lives_on() {
        let registry =
            Registry { names: vec!["users".to_owned()], slots: Mutex::new(vec![1]), ..Registry::default() };
        assert_eq!(registry.name(0).await.unwrap(), Some("users"));
        assert_eq!(registry.title(0, "x").await.unwrap(), "users");
        let shouted = {
            let other = String::from("none");
            registry.title(7, &other).await.unwrap()
        };
        assert_eq!(shouted, "NONE");
    }

    #[tokio::test(start_paused = true)]
    async fn a_guard_is_released_by_the_attempt_that_failed() {
        let registry = Registry { slots: Mutex::new(vec![1]), ..Registry::default() };
        *registry.slot(0).await.unwrap() += 1;
        assert_eq!(*registry.slots.lock().await, [2]);
    }
}
