//! Const generics in the function, its argument and its result: pages of a fixed size.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;

#[derive(Debug, thiserror::Error)]
#[error("short read")]
pub struct ShortRead;

#[derive(Default)]
pub struct Disk(AtomicU32);

impl Disk {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ShortRead, fallback = |_| Err(ShortRead))]
    pub async fn read_pages<const N: usize, const REVERSE: bool>(
        &self,
        ids: [u64; N],
    ) -> Result<[u64; N], ShortRead> {
        let mut out = ids;
        if REVERSE {
            out.reverse();
        }
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(ShortRead),
            _ => Ok(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_pages_are_read_again() {
        let got = Disk::default().read_pages::<3, true>([1, 2, 3]).await;
        assert_eq!(got.unwrap(), [3, 2, 1]);
    }
}
