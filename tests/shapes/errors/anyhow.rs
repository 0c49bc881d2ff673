//! An `anyhow::Result` with context round the error that is worth another attempt.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use retry_runtime::retry;

static CALLS: AtomicU32 = AtomicU32::new(0);

#[derive(Debug, thiserror::Error)]
#[error("connection reset")]
pub struct ConnectionError;

async fn get(bucket: &str) -> Result<Vec<u8>, ConnectionError> {
    match CALLS.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ConnectionError),
        _ => Ok(bucket.as_bytes().to_vec()),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ConnectionError)]
pub async fn load_manifest(bucket: &str) -> anyhow::Result<String> {
    let raw = get(bucket).await.with_context(|| format!("reading manifest of {bucket}"))?;
    anyhow::ensure!(!raw.is_empty(), "manifest is empty");
    let text = String::from_utf8(raw).context("manifest is not UTF-8")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_error_is_found_below_its_context() {
        let got = load_manifest("b1").await;
        assert_eq!(got.unwrap(), "b1");
    }
}
