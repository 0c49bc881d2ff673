//! One annotated function calls another: connect to a node that may have to be woken first.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, RetryError, retry};

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    Wake(#[from] RetryError<WakeError>),
    #[error("refused")]
    Refused,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Debug, thiserror::Error)]
#[error("compute is suspended")]
pub struct WakeError;

#[derive(Default)]
pub struct Compute {
    wakes: AtomicU32,
    connects: AtomicU32,
}

#[retry(total = "300ms", per_attempt = "100ms", attempts = 3, on = WakeError)]
async fn wake(compute: &Compute) -> Result<u32, RetryError<WakeError>> {
    match compute.wakes.fetch_add(1, Ordering::SeqCst) {
        0 => Err(WakeError),
        n => Ok(n),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ConnectError::Refused)]
pub async fn connect(compute: &Compute) -> Result<u32, ConnectError> {
    let node = wake(compute).await?;
    match compute.connects.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ConnectError::Refused),
        _ => Ok(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_is_repeated_by_its_own_rule() {
        let compute = Compute::default();
        let got = connect(&compute).await;
        assert_eq!(got.unwrap(), 2);
        assert_eq!(compute.wakes.load(Ordering::SeqCst), 3);
    }
}
