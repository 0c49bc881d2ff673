//! Bodies whose end is never reached: what stands behind them is unreachable code.

#![deny(warnings)]

use std::convert::Infallible;

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

#[retry(attempts = 2, on = ConnectionError)]
pub async fn later() -> Result<u32, RetryError<ConnectionError>> {
    todo!()
}

#[retry(attempts = 2, on = ConnectionError)]
pub async fn never(flag: bool) -> Result<String, RetryError<ConnectionError>> {
    if flag { unimplemented!("one day") } else { panic!("on another") }
}

#[retry(attempts = 2, on = ConnectionError)]
pub async fn poll(mut n: u32) -> Result<u32, RetryError<ConnectionError>> {
    loop {
        n += 1;
        if n > 3 {
            return Ok(n);
        }
    }
}

#[retry(attempts = 1)]
pub async fn for_ever() -> Result<Infallible, RetryError<ConnectionError>> {
    loop {
        std::future::pending::<()>().await;
    }
}

#[retry(attempts = 2, on = ConnectionError)]
pub async fn always_fails() -> Result<Infallible, RetryError<ConnectionError>> {
    Err(ConnectionError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_endless_loop_is_left_by_its_return() {
        assert_eq!(poll(0).await.unwrap(), 4);
        assert_eq!(always_fails().await.unwrap_err().attempts(), 2);
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "not yet implemented")]
    async fn a_panic_is_a_panic() {
        let _ = later().await;
    }
}
