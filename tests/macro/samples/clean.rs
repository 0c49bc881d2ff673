// fires:

use std::sync::Arc;
use std::time::Duration;

/// Asks.
///
/// # Errors
///
/// When the server is down.
#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Down)]
pub async fn ask(url: &str, body: Option<String>, mut extra: Vec<String>) -> Result<usize, Error> {
    extra.extend(body);
    tick().await?;
    Ok(url.len().saturating_add(extra.len()))
}

/// Asks with everything.
///
/// # Errors
///
/// When the server is down.
#[retry(total = budget, attempts = names.len(), backoff = "none", on = Down, when_ok = is_zero, fallback = retry_runtime::last_error)]
pub async fn tune(names: &[String], budget: Duration, token: Token) -> Result<usize, Error> {
    tick().await?;
    drop(budget.checked_add(Duration::ZERO));
    Ok(names.iter().map(String::len).sum::<usize>().saturating_add(token.length()))
}

/// Is it?
#[must_use]
#[allow(clippy::trivially_copy_pass_by_ref, clippy::single_call_fn)]
pub const fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Token {
    const fn length(&self) -> usize {
        size_of_val(&self.0)
    }

    /// Spawns.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(total = "1s", attempts = 3, on = Down)]
    pub async fn spawn(self: Arc<Self>, list: Arc<Vec<u32>>) -> Result<usize, Error> {
        let this = Self::clone_of(&self);
        let task = tokio::spawn(async move { list.len().saturating_add(this.length()) });
        task.await.map_err(|_| Error::Down)
    }

    fn clone_of(this: &Arc<Self>) -> Arc<Self> {
        Arc::clone(this)
    }

    /// Once.
    ///
    /// # Errors
    ///
    /// When the server is down.
    #[retry(attempts = 1)]
    pub async fn once(&mut self, by: u32) -> Result<(), Error> {
        self.0 = self.0.saturating_add(by);
        tick().await
    }
}
