//! `RetryError` with no parameter takes every `std` error by `?`; so does a shared error in an `Arc`.

use std::sync::Arc;

use retry_runtime::{RetryError, retry};

#[derive(Clone, Debug, thiserror::Error)]
#[error("peer is away")]
pub struct Away;

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Away | std::io::Error)]
pub async fn fetch(tries: &mut u32, id: &str) -> Result<u32, RetryError> {
    *tries += 1;
    let id: u32 = id.parse()?;
    match *tries {
        1 => Err(Away)?,
        2 => Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe))?,
        _ => Ok(id),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = |error: &Arc<Away>| Arc::strong_count(error) > 0)]
pub async fn shared(tries: &mut u32, failure: &Arc<Away>) -> Result<u32, RetryError<Arc<Away>>> {
    *tries += 1;
    if *tries < 3 { Err(Arc::clone(failure)) } else { Ok(*tries) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn errors_of_three_types_in_one_function() {
        assert_eq!(fetch(&mut 0, "7").await.unwrap(), 7);
        let mut tries = 0;
        let error = fetch(&mut tries, "seven").await.unwrap_err();
        assert_eq!((error.attempts(), tries), (1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_that_is_shared() {
        let failure = Arc::new(Away);
        assert_eq!(shared(&mut 0, &failure).await.unwrap(), 3);
        assert_eq!(Arc::strong_count(&failure), 1);
    }
}
