//! `#[async_trait(?Send)]`: a client that holds an `Rc`.

use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
#[error("fetch failed")]
pub struct FetchFailed;

impl From<GaveUp> for FetchFailed {
    fn from(_: GaveUp) -> Self {
        Self
    }
}

#[async_trait(?Send)]
pub trait Fetch {
    async fn fetch(&self, url: &str) -> Result<usize, FetchFailed>;
}

pub struct Browser {
    calls: Rc<Cell<u32>>,
}

#[async_trait(?Send)]
impl Fetch for Browser {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = FetchFailed)]
    async fn fetch(&self, url: &str) -> Result<usize, FetchFailed> {
        let calls = Rc::clone(&self.calls);
        tokio::task::yield_now().await;
        calls.set(calls.get() + 1);
        if calls.get() == 1 { Err(FetchFailed) } else { Ok(url.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_future_that_stays_on_its_thread() {
        let got = Browser { calls: Rc::default() }.fetch("/x").await;
        assert_eq!(got.unwrap(), 2);
    }
}
