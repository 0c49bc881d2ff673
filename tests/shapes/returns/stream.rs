//! A stream that borrows the client: opening it is what is repeated.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::stream::{self, BoxStream, StreamExt};
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("throttled")]
    Throttled,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub struct Object {
    opens: AtomicU32,
    chunks: Vec<Vec<u8>>,
}

impl Object {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ReadError::Throttled)]
    pub async fn open(&self, from: usize) -> Result<BoxStream<'_, Result<&[u8], ReadError>>, ReadError> {
        tokio::task::yield_now().await;
        if self.opens.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(ReadError::Throttled);
        }
        Ok(stream::iter(self.chunks.iter().skip(from).map(|c| Ok(c.as_slice()))).boxed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_stream_is_opened_again() {
        let object = Object { opens: AtomicU32::new(0), chunks: vec![vec![1], vec![2, 3]] };
        let got = object.open(1).await;
        let sizes: Vec<usize> = got.unwrap().map(|c| c.unwrap().len()).collect().await;
        assert_eq!(sizes, [2]);
    }
}
