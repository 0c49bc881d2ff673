//! `select!` with a `return` and a `break` in its arms, and a future that is pinned: a request against a signal.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retry_runtime::{GaveUp, retry};
use tokio::sync::watch;

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("connection reset")]
    Reset,
    #[error("shutting down")]
    Shutdown,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Peer(AtomicU32);

impl Peer {
    async fn call(&self) -> Result<u32, CallError> {
        tokio::time::sleep(Duration::from_millis(2)).await;
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(CallError::Reset),
            n => Ok(n),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = CallError::Reset)]
    pub async fn call_until(&self, stop: &mut watch::Receiver<bool>) -> Result<u32, CallError> {
        let call = self.call();
        tokio::pin!(call);
        let mut ticks = 0u32;
        let value = loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|s| *s) => return Err(CallError::Shutdown),
                reply = &mut call => break reply?,
                _ = tokio::time::sleep(Duration::from_millis(1)) => ticks += 1,
            }
        };
        Ok(value + ticks / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn reset_once_then_answered() {
        let (tx, mut rx) = watch::channel(false);
        let peer = Peer::default();
        let got = peer.call_until(&mut rx).await;
        assert_eq!(got.unwrap(), 1);
        tx.send(true).unwrap();
        assert!(matches!(peer.call_until(&mut rx).await, Err(CallError::Shutdown)));
    }
}
