//! `mut self`: a builder that finishes itself before it is sent. Each attempt starts from the builder as it was.

use retry_runtime::{RetryError, retry};

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
#[error("shard is moving")]
pub struct Moving(pub usize);

#[derive(Clone)]
pub struct Query {
    pub filters: Vec<String>,
    pub note: Counted,
}

impl Query {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Moving)]
    pub async fn run(mut self, seen: &mut Vec<usize>) -> Result<String, RetryError<Moving>> {
        self.filters.push("deleted = false".to_owned());
        seen.push(self.filters.len());
        if seen.len() < 3 {
            return Err(Moving(seen.len()));
        }
        Ok(self.filters.join(" and "))
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Moving)]
    pub async fn explain(mut self, tries: &mut u32) -> Result<Self, RetryError<Moving>> {
        *tries += 1;
        self.filters.clear();
        if *tries == 1 {
            return Err(Moving(0));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn one_clone_an_attempt_and_none_of_its_changes_is_left() {
        let clones = Clones::default();
        let query = Query { filters: vec!["id = 7".to_owned()], note: Counted::new("n", &clones) };
        let mut seen = vec![];
        assert_eq!(query.run(&mut seen).await.unwrap(), "id = 7 and deleted = false");
        assert_eq!(seen, [2, 2, 2]);
        assert_eq!(clones.take(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn the_receiver_itself_comes_back() {
        let clones = Clones::default();
        let query = Query { filters: vec!["id = 7".to_owned()], note: Counted::new("n", &clones) };
        let query = query.explain(&mut 0).await.unwrap();
        assert!(query.filters.is_empty() && query.note == *"n");
        assert_eq!(clones.take(), 2);
    }
}
