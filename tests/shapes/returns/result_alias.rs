//! A crate's own `Result`, and an alias of that alias.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;

pub mod store {
    #[derive(Debug, thiserror::Error)]
    #[error("retry me: {0}")]
    pub struct Error(pub u32);

    impl From<retry_runtime::GaveUp> for Error {
        fn from(gave_up: retry_runtime::GaveUp) -> Self {
            Self(gave_up.attempts())
        }
    }

    pub type Result<T, E = Error> = std::result::Result<T, E>;
    pub type Reply = Result<String>;
}

use store::Result;

static CALLS: AtomicU32 = AtomicU32::new(0);

async fn raw(n: u32) -> Result<u32> {
    match CALLS.fetch_add(1, Ordering::SeqCst) {
        c if c % 2 == 0 => Err(store::Error(c)),
        _ => Ok(n),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = store::Error)]
pub async fn version(n: u32) -> Result<u32> {
    let v = raw(n).await?;
    Ok(v + 1)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = store::Error)]
pub async fn name(n: u32) -> store::Reply {
    raw(n).await.map(|v| v.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_aliases_are_results() {
        let v = version(1).await;
        assert_eq!(v.unwrap(), 2);
        assert_eq!(name(5).await.unwrap(), "5");
    }
}
