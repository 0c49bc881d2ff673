//! Below `#[async_trait]`: receivers in a `Box` and in an `Arc`, functions without one, a body that the trait provides.

use std::sync::Arc;

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("busy")]
    Busy,
    #[error(transparent)]
    Join(#[from] tokio::task::JoinError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

fn busy_once(tries: &mut u32) -> Result<(), JobError> {
    *tries += 1;
    if *tries == 1 { Err(JobError::Busy) } else { Ok(()) }
}

#[async_trait]
pub trait Job: Send + Sync {
    async fn finish(self: Box<Self>, tries: &mut u32) -> Result<String, JobError>;
    async fn share(self: Arc<Self>, tries: &mut u32) -> Result<usize, JobError>;
    async fn named(name: String, tries: &mut u32) -> Result<String, JobError>
    where
        Self: Sized;

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = JobError::Busy)]
    async fn provided(
        &self,
        tries: &mut u32,
        note: String,
    ) -> Result<Box<dyn Fn() -> String + Send>, JobError> {
        busy_once(tries)?;
        if note.is_empty() {
            return Ok(Box::new(String::new));
        }
        Ok(Box::new(move || note.clone()))
    }
}

#[derive(Clone, Default)]
pub struct Report {
    pub name: String,
}

#[async_trait]
impl Job for Report {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = JobError::Busy)]
    async fn finish(self: Box<Self>, tries: &mut u32) -> Result<String, JobError> {
        let report = *self;
        busy_once(tries)?;
        Ok(report.name)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = JobError::Busy)]
    async fn share(self: Arc<Self>, tries: &mut u32) -> Result<usize, JobError> {
        let length = tokio::spawn(async move { self.name.len() }).await?;
        busy_once(tries)?;
        Ok(length)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = JobError::Busy)]
    async fn named(name: String, tries: &mut u32) -> Result<String, JobError> {
        let report = Self { name };
        busy_once(tries)?;
        Ok(report.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_are_repeated() {
        let report = Report { name: "abc".to_owned() };
        let boxed: Box<dyn Job> = Box::new(report.clone());
        assert_eq!(boxed.provided(&mut 0, "n".to_owned()).await.unwrap()(), "n");
        assert_eq!(boxed.finish(&mut 0).await.unwrap(), "abc");
        assert_eq!(Arc::new(report).share(&mut 0).await.unwrap(), 3);
        assert_eq!(Report::named("d".to_owned(), &mut 0).await.unwrap(), "d");
    }
}
