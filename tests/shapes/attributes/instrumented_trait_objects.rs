//! `#[instrument]` above the attribute, on functions whose `Ok` becomes a trait object only by the declared type.

use std::fmt::Debug;

use retry_runtime::{RetryError, retry};
use tracing::instrument;

#[derive(Debug, thiserror::Error)]
#[error("no free worker")]
pub struct NoWorker;

pub type Job = Box<dyn Fn() -> u32 + Send>;

#[instrument(skip_all)]
#[retry(attempts = 3, backoff = "none", on = NoWorker)]
pub async fn plain(number: u32) -> anyhow::Result<Job> {
    if number > 3 {
        Err(NoWorker)?;
    }
    Ok(Box::new(move || number))
}

#[instrument(skip_all, err)]
#[retry(attempts = 3, backoff = "none", on = NoWorker)]
pub async fn with_err(number: u32, name: String) -> Result<Job, RetryError<NoWorker>> {
    if number > 3 {
        return Err(NoWorker);
    }
    drop(name);
    Ok(Box::new(move || number))
}

#[instrument(skip_all, ret, err)]
#[retry(attempts = 3, backoff = "none", on = NoWorker)]
pub async fn with_ret(number: u32) -> anyhow::Result<Box<dyn Debug + Send>> {
    if number > 3 {
        Err(NoWorker)?;
    }
    Ok(Box::new(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_declared_type_reaches_the_body() {
        assert_eq!(plain(1).await.unwrap()(), 1);
        assert_eq!(with_err(2, "a".into()).await.unwrap()(), 2);
        assert_eq!(format!("{:?}", with_ret(3).await.unwrap()), "3");
    }

    #[tokio::test]
    async fn failures_are_repeated() {
        let error = tokio::spawn(with_err(4, "a".into())).await.unwrap().err().unwrap();
        assert_eq!(error.attempts(), 3);
        assert!(plain(4).await.is_err() && with_ret(4).await.is_err());
    }
}
