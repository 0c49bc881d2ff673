//! `impl Trait` in the result: an iterator, a stream that borrows, a pair; and values that become trait objects.

use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::stream::{self, Stream};
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error("leaf split")]
    Split,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Tree {
    pub scans: AtomicU32,
    pub rows: Vec<u32>,
}

pub type Visit = Box<dyn Fn(u32) -> u32 + Send + Sync>;

impl Tree {
    fn begin(&self) -> Result<(), ScanError> {
        match self.scans.fetch_add(1, Ordering::SeqCst) % 2 {
            0 => Err(ScanError::Split),
            _ => Ok(()),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ScanError::Split)]
    pub async fn evens(&self) -> Result<impl Iterator<Item = u32> + Send + '_, ScanError> {
        self.begin()?;
        Ok(self.rows.iter().copied().filter(|row| row % 2 == 0))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ScanError::Split)]
    pub async fn follow(
        &self,
        from: usize,
    ) -> Result<(usize, impl Stream<Item = Result<u32, ScanError>> + '_), ScanError> {
        self.begin()?;
        if from > self.rows.len() {
            return Err(ScanError::Split);
        }
        Ok((from, stream::iter(self.rows.iter().skip(from).map(|row| Ok(*row)))))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ScanError::Split)]
    pub async fn label(&self) -> Result<impl Display + use<>, ScanError> {
        self.begin()?;
        Ok(self.rows.len().to_string())
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ScanError::Split)]
    pub async fn visitor(&self, twice: bool) -> Result<Visit, ScanError> {
        self.begin()?;
        if twice {
            return Ok(Box::new(|row| row * 2));
        }
        let length = self.rows.len() as u32;
        Ok(Box::new(move |row| row + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;

    #[tokio::test(start_paused = true)]
    async fn the_result_of_the_second_attempt() {
        let tree = Tree { rows: vec![1, 2, 3, 4], ..Tree::default() };
        assert_eq!(tree.evens().await.unwrap().collect::<Vec<_>>(), [2, 4]);
        let (from, rows) = tree.follow(2).await.unwrap();
        assert_eq!(from, 2);
        assert_eq!(rows.map(Result::unwrap).collect::<Vec<_>>().await, [3, 4]);
        assert_eq!(tree.visitor(true).await.unwrap()(5), 10);
        assert_eq!(tree.visitor(false).await.unwrap()(5), 9);
        let label = {
            let short = Tree { rows: tree.rows.clone(), ..Tree::default() };
            short.label().await.unwrap()
        };
        assert_eq!(label.to_string(), "4");
    }
}
