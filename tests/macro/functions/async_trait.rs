//! Under `#[async_trait]` the attribute gets a function that is no longer async: it must repeat the work, not the
//! boxing.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use async_trait::async_trait;
use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

#[async_trait]
trait Store: Send + Sync {
    async fn get(&self, k: &str) -> Result<u32, RetryError<ConnectionError>>;
    async fn put(&self, k: String) -> Result<u32, RetryError<ConnectionError>>;
}

#[derive(Default)]
struct Below {
    calls: AtomicU32,
}

#[async_trait]
impl Store for Below {
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    async fn get(&self, _k: &str) -> Result<u32, RetryError<ConnectionError>> {
        self.calls.fetch_add(1, SeqCst);
        Err(ConnectionError)
    }

    async fn put(&self, _k: String) -> Result<u32, RetryError<ConnectionError>> {
        self.calls.fetch_add(1, SeqCst);
        Ok(9)
    }
}

#[derive(Default)]
struct Above {
    calls: AtomicU32,
}

#[retry(total = "1s", attempts = 3, on = ConnectionError)]
#[async_trait]
impl Store for Above {
    async fn get(&self, k: &str) -> Result<u32, RetryError<ConnectionError>> {
        self.calls.fetch_add(1, SeqCst);
        if k.is_empty() { Ok(0) } else { Err(ConnectionError) }
    }

    async fn put(&self, k: String) -> Result<u32, RetryError<ConnectionError>> {
        drop(k);
        self.calls.fetch_add(1, SeqCst);
        Err(ConnectionError)
    }
}

#[derive(Default)]
struct Between {
    calls: AtomicU32,
}

#[async_trait]
#[retry(total = "1s", attempts = 3, on = ConnectionError)]
impl Store for Between {
    async fn get(&self, k: &str) -> Result<u32, RetryError<ConnectionError>> {
        self.calls.fetch_add(1, SeqCst);
        if k.is_empty() { Ok(0) } else { Err(ConnectionError) }
    }

    async fn put(&self, k: String) -> Result<u32, RetryError<ConnectionError>> {
        drop(k);
        self.calls.fetch_add(1, SeqCst);
        Err(ConnectionError)
    }
}

#[tokio::test(start_paused = true)]
async fn the_work_is_repeated_below_it() {
    let store = Below::default();
    assert_eq!(store.get("k").await.unwrap_err().attempts(), 3);
    assert_eq!(store.calls.load(SeqCst), 3);
    assert_eq!(store.put("k".to_owned()).await.unwrap(), 9);
    assert_eq!(store.calls.load(SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn the_work_is_repeated_above_it() {
    let store = Above::default();
    assert_eq!(store.get("k").await.unwrap_err().attempts(), 3);
    assert_eq!(store.put("k".to_owned()).await.unwrap_err().attempts(), 3);
    assert_eq!(store.calls.load(SeqCst), 6);
}

#[tokio::test(start_paused = true)]
async fn the_work_is_repeated_on_a_block_below_it() {
    let store: Box<dyn Store> = Box::new(Between::default());
    assert_eq!(store.get("k").await.unwrap_err().attempts(), 3);
    assert_eq!(store.put("k".to_owned()).await.unwrap_err().attempts(), 3);
}
