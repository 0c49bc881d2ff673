//! An `Ok(None)` that is worth another attempt: a record that will be there soon. When it never is, `None` comes back.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("index unreachable")]
pub struct Unreachable;

#[derive(Default)]
pub struct Index {
    pub lookups: Vec<u64>,
    pub visible_after: usize,
}

impl Index {
    #[retry(
        total = "1s",
        per_attempt = "200ms",
        attempts = 3,
        on = Unreachable,
        when_ok = Option::is_none,
    )]
    pub async fn find(&mut self, id: u64) -> Result<Option<usize>, RetryError<Unreachable>> {
        self.lookups.push(id);
        let tries = self.lookups.len();
        if tries == 1 {
            return Err(Unreachable);
        }
        Ok((tries > self.visible_after).then_some(tries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn looked_up_until_it_is_there() {
        let mut index = Index { visible_after: 2, ..Index::default() };
        assert_eq!(index.find(7).await.unwrap(), Some(3));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_answer_comes_back_as_it_is() {
        let mut index = Index { visible_after: 9, ..Index::default() };
        assert_eq!(index.find(7).await.unwrap(), None);
        assert_eq!(index.lookups.len(), 3);
    }
}
