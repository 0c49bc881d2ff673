//! A flag that is looked at and a `&mut dyn FnMut` that is called: a download that can be stopped.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("connection closed")]
    Closed,
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Mirror(AtomicU32);

impl Mirror {
    async fn chunk(&self) -> Result<u64, DownloadError> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            1 => Err(DownloadError::Closed),
            _ => Ok(10),
        }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = DownloadError::Closed)]
pub async fn download(
    mirror: &Mirror,
    cancel: &AtomicBool,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<u64, DownloadError> {
    let mut done = 0;
    while done < 30 {
        if cancel.load(Ordering::SeqCst) {
            return Err(DownloadError::Cancelled);
        }
        done += mirror.chunk().await?;
        progress(done);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn progress_is_reported_by_both_attempts() {
        let mut seen = vec![];
        let cancel = AtomicBool::new(false);
        let got = download(&Mirror::default(), &cancel, &mut |n| seen.push(n)).await;
        assert_eq!((got.unwrap(), seen), (30, vec![10, 10, 20, 30]));
        cancel.store(true, Ordering::SeqCst);
        assert!(matches!(
            download(&Mirror::default(), &cancel, &mut |_| ()).await,
            Err(DownloadError::Cancelled)
        ));
    }
}
