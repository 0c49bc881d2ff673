//! Functions that return a boxed future: made by `Box::pin`, by `.boxed()`, with `Send` and without.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, LocalBoxFuture};
use retry_runtime::{GaveUp, RetryError, retry};

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
pub enum HookError {
    #[error("hook busy")]
    Busy,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Hooks {
    pub calls: AtomicU32,
    pub prepared: AtomicU32,
    pub limit: AtomicU32,
}

impl Hooks {
    fn busy(&self) -> bool {
        self.calls.fetch_add(1, Ordering::SeqCst) % 2 == 0
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = HookError::Busy)]
    pub fn before<'a>(&'a self, event: Counted) -> BoxFuture<'a, Result<usize, HookError>> {
        self.prepared.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            tokio::task::yield_now().await;
            if self.busy() {
                return Err(HookError::Busy);
            }
            Ok(String::from(event).len())
        })
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = HookError::Busy)]
    pub fn after(&self, events: Vec<String>) -> BoxFuture<'_, Result<Vec<String>, RetryError<HookError>>> {
        async move {
            if self.busy() {
                return Err(HookError::Busy);
            }
            Ok(events)
        }
        .boxed()
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = HookError::Busy)]
    pub fn local(&self, events: Rc<str>) -> LocalBoxFuture<'_, Result<usize, HookError>> {
        let length = events.len();
        async move {
            if self.busy() {
                return Err(HookError::Busy);
            }
            Ok(length + Rc::strong_count(&events))
        }
        .boxed_local()
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = HookError::Busy)]
    pub fn plain<'h, 'n>(
        &'h self,
        name: &'n mut String,
    ) -> Pin<Box<dyn Future<Output = Result<usize, HookError>> + Send + 'n>>
    where
        'h: 'n,
    {
        name.push('.');
        Box::pin(async move {
            name.push('!');
            if self.busy() { Err(HookError::Busy) } else { Ok(name.len()) }
        })
    }

    #[retry(total = "1s", attempts = self.limit.load(Ordering::SeqCst), backoff = "none", on = HookError::Busy)]
    pub fn shared(self: Arc<Self>) -> BoxFuture<'static, Result<u32, HookError>> {
        Box::pin(async move {
            let this = self;
            if this.busy() { Err(HookError::Busy) } else { Ok(this.calls.load(Ordering::SeqCst)) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn what_stands_before_the_block_runs_once() {
        let clones = Clones::default();
        let hooks = Arc::new(Hooks::default());
        let spawned = {
            let (hooks, event) = (hooks.clone(), Counted::new("start", &clones));
            tokio::spawn(async move { hooks.before(event).await })
        };
        assert_eq!(spawned.await.unwrap().unwrap(), 5);
        assert_eq!(hooks.prepared.load(Ordering::SeqCst), 1);
        assert_eq!(clones.take(), 2);
        let mut name = String::new();
        assert_eq!(hooks.plain(&mut name).await.unwrap(), 3);
        assert_eq!(name, ".!!");
    }

    #[tokio::test(start_paused = true)]
    async fn boxed_by_a_method() {
        let hooks = Hooks::default();
        assert_eq!(hooks.after(vec!["stop".to_owned()]).await.unwrap(), ["stop"]);
        assert_eq!(hooks.local(Rc::from("abc")).await.unwrap(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_names_the_receiver_that_the_block_takes() {
        let hooks = Arc::new(Hooks { limit: AtomicU32::new(1), ..Hooks::default() });
        assert!(matches!(hooks.clone().shared().await, Err(HookError::GaveUp(_))));
        hooks.limit.store(2, Ordering::SeqCst);
        hooks.calls.store(0, Ordering::SeqCst);
        assert_eq!(hooks.shared().await.unwrap(), 2);
    }
}
