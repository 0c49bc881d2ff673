//! A trait that promises `Send`, implemented once by an `async fn` and once by a function that returns a future.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
#[error("peer not connected")]
pub struct NotConnected;

impl From<GaveUp> for NotConnected {
    fn from(_: GaveUp) -> Self {
        Self
    }
}

pub trait Sender: Sync {
    fn send(&self, frame: Vec<u8>) -> impl Future<Output = Result<usize, NotConnected>> + Send;
}

#[derive(Default)]
pub struct Tcp(AtomicU32);
#[derive(Default)]
pub struct Quic(AtomicU32);

impl Sender for Tcp {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotConnected)]
    async fn send(&self, frame: Vec<u8>) -> Result<usize, NotConnected> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(NotConnected),
            _ => Ok(frame.len()),
        }
    }
}

impl Sender for Quic {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotConnected)]
    fn send(&self, mut frame: Vec<u8>) -> impl Future<Output = Result<usize, NotConnected>> + Send {
        frame.push(0);
        async move {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => Err(NotConnected),
                _ => Ok(frame.into_boxed_slice().len()),
            }
        }
    }
}

async fn spawn_both<S: Sender + Send + 'static>(s: S) -> Result<usize, NotConnected> {
    tokio::spawn(async move { s.send(vec![1, 2]).await }).await.expect("no panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_can_be_spawned() {
        let (a, b) = (spawn_both(Tcp::default()).await, spawn_both(Quic::default()).await);
        assert_eq!((a.unwrap(), b.unwrap()), (2, 3));
    }
}
