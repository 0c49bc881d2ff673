//! Lifetimes with names, and a `&mut` that lives on: middleware that runs the rest of its chain.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug)]
pub enum ChainError {
    Transient,
    Fatal,
    OutOfTime(GaveUp),
}

impl From<GaveUp> for ChainError {
    fn from(gave_up: GaveUp) -> Self {
        Self::OutOfTime(gave_up)
    }
}

#[derive(Default)]
pub struct Extensions(Vec<&'static str>);

#[derive(Clone, Copy)]
pub struct Next<'a> {
    backend: &'a AtomicU32,
}

impl<'a> Next<'a> {
    async fn run(self, req: &str, ext: &'a mut Extensions) -> Result<usize, ChainError> {
        ext.0.push("ran");
        match self.backend.fetch_add(1, Ordering::SeqCst) {
            0 => Err(ChainError::Transient),
            _ => Ok(req.len()),
        }
    }
}

pub struct Middleware;

impl Middleware {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ChainError::Transient)]
    pub async fn execute<'a, 'e>(
        &'a self,
        req: &'a str,
        next: Next<'_>,
        ext: &'e mut Extensions,
    ) -> Result<usize, ChainError>
    where
        'a: 'e,
    {
        next.run(req, ext).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_chain_runs_again() {
        let backend = AtomicU32::new(0);
        let mut ext = Extensions::default();
        // `Next::run` ties the backend borrow and the extensions borrow together, as the real one does.
        let got = Middleware.execute("GET /", Next { backend: &backend }, &mut ext).await;
        assert_eq!(got.unwrap(), 5);
    }
}
