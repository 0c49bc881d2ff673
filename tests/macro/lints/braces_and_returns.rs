//! Blocks, returns and semicolons that nobody wrote.

#![deny(
    warnings,
    unused_braces,
    clippy::needless_return,
    clippy::semicolon_if_nothing_returned,
    clippy::question_mark
)]

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

#[retry(attempts = 2, on = ConnectionError)]
pub async fn one() -> Result<u32, RetryError<ConnectionError>> {
    Ok(1)
}

#[retry(attempts = 2, on = ConnectionError)]
pub async fn unit(v: &mut Vec<u8>) -> Result<(), RetryError<ConnectionError>> {
    v.push(1);
    Ok(())
}

#[retry(attempts = 2, on = ConnectionError)]
pub async fn passes_on(v: &mut Vec<u8>) -> Result<(), RetryError<ConnectionError>> {
    if v.is_empty() {
        Err(ConnectionError)?;
    }
    v.clear();
    Ok(())
}

#[retry(attempts = 1)]
pub async fn one_attempt() -> Result<(), RetryError<ConnectionError>> {
    Err(ConnectionError)
}
