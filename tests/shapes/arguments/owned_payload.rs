//! A payload that is given away, and an option that is taken apart: sending a transaction.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("nonce race")]
    Nonce,
    #[error("rejected")]
    Rejected,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct EthClient {
    calls: AtomicU32,
}

impl EthClient {
    async fn submit(&self, calldata: Vec<u8>, memo: String) -> Result<usize, SendError> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(SendError::Nonce),
            _ => Ok(calldata.len() + memo.len()),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = SendError::Nonce)]
    pub async fn send_tx(&self, calldata: Vec<u8>, memo: Option<String>) -> Result<usize, SendError> {
        let memo = memo.unwrap_or_default();
        self.submit(calldata, memo).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_payload_is_there_for_the_second_attempt() {
        let client = EthClient::default();
        let got = client.send_tx(vec![0; 4], Some("hi".into())).await;
        assert_eq!(got.unwrap(), 6);
    }
}
