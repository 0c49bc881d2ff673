//! A slice to read and a slice to fill in: what one attempt found out is there for the next.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TxStatus {
    Pending,
    Done,
}

#[derive(Debug, thiserror::Error)]
#[error("{0} transactions still pending")]
pub struct StillPending(usize);

#[derive(Default)]
pub struct Rpc(AtomicU32);

impl Rpc {
    async fn status(&self, hash: &str) -> TxStatus {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 || hash.is_empty() {
            TxStatus::Pending
        } else {
            TxStatus::Done
        }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StillPending)]
pub async fn confirm_all(
    rpc: &Rpc,
    hashes: &[String],
    out: &mut [TxStatus],
) -> Result<(), RetryError<StillPending>> {
    for (hash, slot) in hashes.iter().zip(out.iter_mut()) {
        if *slot == TxStatus::Pending {
            *slot = rpc.status(hash).await;
        }
    }
    match out.iter().filter(|s| **s == TxStatus::Pending).count() {
        0 => Ok(()),
        n => Err(StillPending(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_what_is_pending_is_asked_again() {
        let mut out = [TxStatus::Pending; 2];
        let got = confirm_all(&Rpc::default(), &["a".into(), "b".into()], &mut out).await;
        got.unwrap();
        assert_eq!(out, [TxStatus::Done; 2]);
    }
}
