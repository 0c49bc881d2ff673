//! Boxed errors, made by `?`, from a string and from a value; with `Send` and without.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

type BoxError = Box<dyn Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
#[error("not visible yet")]
pub struct NotVisible;

static READS: AtomicU32 = AtomicU32::new(0);
static LISTINGS: AtomicU32 = AtomicU32::new(0);

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotVisible)]
pub async fn ensure_database(name: &str, throughput: &str) -> Result<u32, BoxError> {
    let ru: u32 = throughput.parse()?;
    if name.contains('/') {
        return Err(format!("illegal name {name}").into());
    }
    match READS.fetch_add(1, Ordering::SeqCst) {
        0 => Err(Box::new(NotVisible)),
        _ => Ok(ru),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotVisible)]
pub async fn ensure_container(name: &str) -> Result<usize, RetryError<Box<dyn Error>>> {
    if name.is_empty() {
        return Err("empty name")?;
    }
    match LISTINGS.fetch_add(1, Ordering::SeqCst) {
        0 => Err(NotVisible)?,
        _ => Ok(name.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_error_in_the_box_is_found() {
        assert!(ensure_database("a", "many").await.is_err());
        assert_eq!(ensure_container("").await.unwrap_err().attempts(), 1);
        assert_eq!(ensure_container("c").await.unwrap(), 1);
        assert_eq!(LISTINGS.load(Ordering::SeqCst), 2);
        let got = ensure_database("a", "400").await;
        assert_eq!(got.unwrap(), 400);
    }
}
