//! Error types that are parameters: `T::Error`, `Self::Error`, a bounded `E`.

use std::error::Error;
use std::fmt::Debug;

use retry_runtime::{GaveUp, RetryError, retry};

pub trait Connect {
    type Conn;
    type Error: Error + From<GaveUp> + Send + Sync + 'static;

    fn dial(&mut self) -> Result<Self::Conn, Self::Error>;

    fn is_refused(error: &Self::Error) -> bool;
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = C::Error)]
pub async fn connect<C: Connect>(connector: &mut C) -> Result<C::Conn, C::Error> {
    connector.dial()
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = C::is_refused)]
pub async fn connect_if_refused<C>(connector: &mut C) -> Result<C::Conn, <C as Connect>::Error>
where
    C: Connect,
{
    let connection = connector.dial()?;
    Ok(connection)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = E)]
pub async fn run<T, E>(step: impl Fn() -> Result<T, E>) -> Result<T, RetryError<E>> {
    step()
}

pub struct Dialer {
    pub left: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("refused, {0} to go")]
    Refused(u32),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

impl Connect for Dialer {
    type Conn = u32;
    type Error = DialError;

    fn dial(&mut self) -> Result<u32, DialError> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { Ok(7) } else { Err(DialError::Refused(self.left)) }
    }

    fn is_refused(error: &DialError) -> bool {
        matches!(error, DialError::Refused(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test(start_paused = true)]
    async fn each_is_repeated() {
        assert_eq!(connect(&mut Dialer { left: 3 }).await.unwrap(), 7);
        assert_eq!(connect_if_refused(&mut Dialer { left: 2 }).await.unwrap(), 7);
        let failures = Cell::new(0);
        let step = || {
            failures.set(failures.get() + 1);
            if failures.get() < 3 { Err("not an error type") } else { Ok(failures.get()) }
        };
        assert_eq!(run(step).await.unwrap(), 3);
    }
}
