//! Below `#[async_trait]`: arguments taken apart, `mut` ones, a receiver by value, lifetimes and type parameters.

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("replica behind")]
    Behind,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub struct Row {
    pub id: u32,
    pub name: Counted,
}

#[async_trait]
pub trait Writer {
    async fn write(&self, tries: &mut u32, pair: (Counted, u32), row: Row) -> Result<String, WriteError>;
    async fn pick<'a>(&self, tries: &mut u32, names: &'a [String]) -> Result<&'a str, WriteError>;
    async fn finish(self, tries: &mut u32) -> Result<usize, WriteError>;
    async fn each<T>(&self, tries: &mut u32, rows: T) -> Result<u32, WriteError>
    where
        T: Iterator<Item = u32> + Clone + Send + Sync;
}

#[derive(Clone)]
pub struct Replica {
    pub log: Vec<Counted>,
}

fn length(counted: Counted) -> usize {
    counted.text.len()
}

#[async_trait]
impl Writer for Replica {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WriteError::Behind)]
    async fn write(
        &self,
        tries: &mut u32,
        (key, mut shift): (Counted, u32),
        Row { id, name }: Row,
    ) -> Result<String, WriteError> {
        *tries += 1;
        shift += id;
        let moved = length(key);
        if *tries == 1 {
            return Err(WriteError::Behind);
        }
        Ok(format!("{moved}+{shift}={}", name.text))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WriteError::Behind)]
    async fn pick<'a>(&self, tries: &mut u32, names: &'a [String]) -> Result<&'a str, WriteError> {
        *tries += 1;
        if *tries == 1 {
            return Err(WriteError::Behind);
        }
        names.get(self.log.len()).map(String::as_str).ok_or(WriteError::Behind)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WriteError::Behind)]
    async fn finish(mut self, tries: &mut u32) -> Result<usize, WriteError> {
        *tries += 1;
        let last = self.log.pop();
        if *tries == 1 {
            return Err(WriteError::Behind);
        }
        Ok(self.log.len() + last.map_or(0, length))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WriteError::Behind)]
    async fn each<T>(&self, tries: &mut u32, mut rows: T) -> Result<u32, WriteError>
    where
        T: Iterator<Item = u32> + Clone + Send + Sync,
    {
        *tries += 1;
        let first = rows.next().unwrap_or_default();
        if *tries == 1 {
            return Err(WriteError::Behind);
        }
        Ok(first * 10 + rows.sum::<u32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn each_attempt_starts_from_what_was_passed() {
        let [key, name] = [Clones::default(), Clones::default()];
        let replica = Replica { log: vec![] };
        let row = Row { id: 2, name: Counted::new("n", &name) };
        let written = replica.write(&mut 0, (Counted::new("key", &key), 40), row).await;
        assert_eq!(written.unwrap(), "3+42=n");
        assert_eq!(key.take(), 2);
        assert_eq!(replica.each(&mut 0, 1..4).await.unwrap(), 15);
    }

    #[tokio::test(start_paused = true)]
    async fn lifetimes_and_the_receiver_by_value() {
        let log = Clones::default();
        let replica = Replica { log: vec![Counted::new("ab", &log)] };
        let picked = {
            let names = vec!["a".to_owned(), "b".to_owned()];
            replica.pick(&mut 0, &names).await.unwrap().to_owned()
        };
        assert_eq!(picked, "b");
        assert_eq!(replica.finish(&mut 0).await.unwrap(), 2);
        assert_eq!(log.take(), 2);
    }
}
