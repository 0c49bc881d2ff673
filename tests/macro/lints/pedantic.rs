//! Everything that clippy has, but for what it has against `async fn`s that do not wait.

#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(clippy::unused_async)]

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use retry_runtime::{Policy, RetryError, retry};

use crate::{ConnectionError, ServiceError};

const POLICY: Policy = Policy::builder().attempts(4).build();

/// Asks once, then again.
///
/// # Errors
///
/// When the server is down.
#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ServiceError::Down)]
pub async fn ask(url: &str, body: Option<String>) -> Result<usize, ServiceError> {
    let body = body.unwrap_or_default();
    if url.is_empty() {
        return Err(ServiceError::Broken);
    }
    tokio_free_wait().await;
    Ok(url.len() + body.len())
}

async fn tokio_free_wait() {
    std::future::ready(()).await;
}

/// Every key that takes an expression.
///
/// # Errors
///
/// When the server is down.
#[retry(
    policy = POLICY,
    total = budget,
    per_attempt = Some(budget / 4),
    attempts = names.len(),
    backoff = Duration::from_millis(1),
    factor = 1.5,
    on = ServiceError::Down | ServiceError::Broken,
    when = |e| !matches!(e, ServiceError::Broken),
    when_ok = |v| *v == 0,
    retry_after = |_| None,
    retry_after_ok = |_| Some(Duration::ZERO),
    fallback = |gave_up| gave_up.into_last().map_or(Ok(0), Err)
)]
pub async fn tune(names: &[String], budget: Duration) -> Result<usize, ServiceError> {
    Ok(names.iter().map(String::len).sum())
}

/// A client.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// Who it is.
    pub name: String,
    sent: Vec<String>,
}

impl Client {
    /// Sends it.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    pub async fn send(&mut self, mut message: String) -> Result<usize, RetryError<ConnectionError>> {
        message.push('.');
        self.sent.push(message);
        self.reach().await?;
        Ok(self.sent.len())
    }

    /// Sends it all.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    pub async fn finish(self) -> Result<Vec<String>, RetryError<ConnectionError>> {
        self.reach().await?;
        let Self { sent, .. } = self;
        Ok(sent)
    }

    /// One attempt.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(attempts = 1)]
    pub async fn once(&self) -> Result<(), RetryError<ConnectionError>> {
        self.reach().await
    }

    /// A future.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    pub fn later(
        &self,
        text: String,
    ) -> impl Future<Output = Result<usize, RetryError<ConnectionError>>> + Send + '_ {
        let least = self.sent.len();
        async move {
            self.reach().await?;
            Ok(String::into_bytes(text).len().max(least))
        }
    }

    /// A future in a box.
    #[must_use]
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    pub fn boxed<'c>(
        &'c self,
        text: &'c str,
    ) -> Pin<Box<dyn Future<Output = Result<usize, RetryError<ConnectionError>>> + Send + 'c>> {
        Box::pin(async move {
            self.reach().await?;
            Ok(text.len())
        })
    }

    async fn reach(&self) -> Result<(), ConnectionError> {
        if self.name.is_empty() { Err(ConnectionError) } else { Ok(()) }
    }
}
