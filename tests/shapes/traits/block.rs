//! A plain `impl` block with the attribute on it: generic, with methods of every sort in it.

use std::future::Future;

use retry_runtime::{GaveUp, RetryError, retry};

#[derive(Debug, thiserror::Error)]
pub enum RpcError {
    #[error("unavailable")]
    Unavailable,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub trait Transport {
    fn call(&mut self, method: &str) -> Result<u32, RpcError>;
}

pub struct Client<T> {
    pub transport: T,
    pub tries: u32,
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = RpcError::Unavailable)]
impl<T: Transport + Send> Client<T> {
    pub const VERSION: u32 = 2;

    pub const fn new(transport: T) -> Self {
        Self { transport, tries: 0 }
    }

    /// Asks for the user.
    pub async fn user(&mut self, id: u32) -> Result<u32, RpcError> {
        self.tries += 1;
        let user = self.transport.call("user")?;
        Ok(user + id + Self::VERSION)
    }

    pub async fn typed(&mut self) -> Result<u32, RetryError<RpcError>> {
        self.tries += 1;
        self.transport.call("typed")
    }

    pub fn future(&mut self) -> impl Future<Output = Result<u32, RpcError>> + Send + '_ {
        self.tries += 100;
        async move {
            self.tries += 1;
            self.transport.call("future")
        }
    }

    #[retry(attempts = 1)]
    pub async fn once(&mut self) -> Result<u32, RpcError> {
        self.tries += 1;
        self.transport.call("once")
    }

    #[retry(skip)]
    pub async fn tries(&self) -> u32 {
        self.tries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Flaky(u32);

    impl Transport for Flaky {
        fn call(&mut self, method: &str) -> Result<u32, RpcError> {
            self.0 += 1;
            if self.0 % 3 == 0 { Ok(method.len() as u32) } else { Err(RpcError::Unavailable) }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_method_that_may_fail_is_repeated() {
        let mut client = Client::new(Flaky(0));
        assert_eq!(client.user(7).await.unwrap(), 13);
        assert_eq!(client.typed().await.unwrap(), 5);
        assert_eq!(client.tries().await, 6);
        assert_eq!(client.future().await.unwrap(), 6);
        assert_eq!(client.tries().await, 109);
        assert!(matches!(client.once().await, Err(RpcError::Unavailable)));
    }
}
