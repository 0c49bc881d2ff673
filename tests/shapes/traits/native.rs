//! An `async fn` of a trait, annotated where it is implemented.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
#[error("upstream timed out")]
pub struct UpstreamTimeout;

impl From<GaveUp> for UpstreamTimeout {
    fn from(_: GaveUp) -> Self {
        Self
    }
}

#[allow(async_fn_in_trait)]
pub trait PriceFeed {
    type Quote;
    async fn quote(&self, pair: &str) -> Result<Self::Quote, UpstreamTimeout>;
}

#[derive(Default)]
pub struct HttpFeed(AtomicU32);

impl PriceFeed for HttpFeed {
    type Quote = (String, u64);

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = UpstreamTimeout)]
    async fn quote(&self, pair: &str) -> Result<Self::Quote, UpstreamTimeout> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(UpstreamTimeout),
            n => Ok((pair.to_owned(), u64::from(n))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_second_quote_is_the_answer() {
        let got = HttpFeed::default().quote("ETH/USD").await;
        assert_eq!(got.unwrap(), ("ETH/USD".into(), 1));
    }
}
