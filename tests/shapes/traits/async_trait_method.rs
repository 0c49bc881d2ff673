//! Methods below `#[async_trait]`, which has boxed their futures before the attribute sees them.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum KvError {
    #[error("region moved")]
    RegionMoved,
    #[error("empty key")]
    EmptyKey,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[async_trait]
pub trait Kv: Send + Sync {
    async fn get(&self, key: Vec<u8>) -> Result<Vec<u8>, KvError>;
    async fn put(&mut self, key: &str, value: String) -> Result<usize, KvError>;
}

#[derive(Default)]
pub struct Client {
    calls: AtomicU32,
    puts: Vec<String>,
}

#[async_trait]
impl Kv for Client {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = KvError::RegionMoved)]
    async fn get(&self, key: Vec<u8>) -> Result<Vec<u8>, KvError> {
        if key.is_empty() {
            return Err(KvError::EmptyKey);
        }
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(KvError::RegionMoved),
            _ => Ok(key),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = KvError::RegionMoved)]
    async fn put(&mut self, key: &str, value: String) -> Result<usize, KvError> {
        self.puts.push(value);
        if self.puts.len() == 1 { Err(KvError::RegionMoved) } else { Ok(key.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_methods_are_repeated() {
        let mut client: Box<dyn Kv> = Box::new(Client::default());
        let got = client.get(b"k".to_vec()).await;
        let put = client.put("key", "v".into()).await;
        assert_eq!(got.unwrap(), b"k");
        assert_eq!(put.unwrap(), 3);
        assert!(matches!(client.get(vec![]).await, Err(KvError::EmptyKey)));
    }
}
