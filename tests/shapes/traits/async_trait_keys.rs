//! Below `#[async_trait]`: keys that name `self`, whatever the receiver is.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use retry_runtime::{CircuitBreaker, CircuitState, RetryError, RetryThrottle, retry};

#[derive(Debug, thiserror::Error)]
#[error("away")]
pub struct Away;

type Asked = Result<u32, RetryError<Away>>;

#[async_trait]
pub trait Ask {
    async fn by_reference(&self) -> Asked;
    async fn exclusive(&mut self, tries: u32) -> Asked;
    async fn exclusive_with_a_breaker(&mut self) -> Asked;
    async fn owned(self) -> Asked;
    async fn mut_owned(mut self) -> Asked;
    async fn boxed(self: Box<Self>) -> Asked;
    async fn shared(self: Arc<Self>) -> Asked;
    async fn hedged(self: Arc<Self>, part: String) -> Asked;
    async fn decides(self: Arc<Self>) -> Asked;
}

#[derive(Clone)]
pub struct Replica {
    pub breaker: Arc<CircuitBreaker>,
    pub throttle: Arc<RetryThrottle>,
    pub attempts: u32,
    pub delay: Duration,
    pub calls: u32,
}

impl Replica {
    pub fn new(attempts: u32) -> Self {
        Self {
            breaker: Arc::new(CircuitBreaker::consecutive(100, Duration::from_secs(30))),
            throttle: Arc::new(RetryThrottle::ratio(20, 10)),
            attempts,
            delay: Duration::from_millis(50),
            calls: 0,
        }
    }

    fn is_worth_it(&self, _: &Away) -> bool {
        self.attempts > 2
    }
}

#[async_trait]
impl Ask for Replica {
    #[retry(attempts = self.attempts, breaker = self.breaker, backoff = "none", on = Away)]
    async fn by_reference(&self) -> Asked {
        Err(Away)
    }

    #[retry(attempts = self.attempts + tries, backoff = "none", on = Away)]
    async fn exclusive(&mut self, tries: u32) -> Asked {
        self.calls += 1;
        Err(Away)
    }

    #[retry(attempts = self.attempts, breaker = self.breaker.clone(), throttle = Arc::clone(&self.throttle), backoff = "none", on = Away)]
    async fn exclusive_with_a_breaker(&mut self) -> Asked {
        self.calls += 1;
        Err(Away)
    }

    #[retry(attempts = self.attempts, breaker = self.breaker, backoff = "none", on = Away)]
    async fn owned(self) -> Asked {
        let replica = self;
        if replica.calls == 0 { Err(Away) } else { Ok(replica.calls) }
    }

    #[retry(attempts = self.attempts, backoff = "none", on = Away)]
    async fn mut_owned(mut self) -> Asked {
        self.calls += 1;
        if self.calls == 1 { Err(Away) } else { Ok(self.calls) }
    }

    #[retry(attempts = self.attempts, breaker = self.breaker.clone(), backoff = "none", on = Away)]
    async fn boxed(self: Box<Self>) -> Asked {
        if self.calls == 0 { Err(Away) } else { Ok(self.calls) }
    }

    #[retry(attempts = self.attempts, breaker = self.breaker, throttle = self.throttle, backoff = "none", on = Away)]
    async fn shared(self: Arc<Self>) -> Asked {
        if self.calls == 0 { Err(Away) } else { Ok(self.calls) }
    }

    #[retry(attempts = self.attempts, hedge = self.delay, breaker = self.breaker, on = Away)]
    async fn hedged(self: Arc<Self>, part: String) -> Asked {
        match part.len() {
            0 => Err(Away),
            _ => Ok(self.calls),
        }
    }

    #[retry(attempts = 3, backoff = "none", when = |error| self.is_worth_it(error))]
    async fn decides(self: Arc<Self>) -> Asked {
        if self.calls == 0 { Err(Away) } else { Ok(self.calls) }
    }
}

#[async_trait]
pub trait AskInBlock {
    async fn in_block(&mut self) -> Asked;
    async fn shared_in_block(self: Arc<Self>) -> Asked;
}

#[async_trait]
#[retry(attempts = self.attempts, breaker = self.breaker.clone(), backoff = "none", on = Away)]
impl AskInBlock for Replica {
    async fn in_block(&mut self) -> Asked {
        self.calls += 1;
        Err(Away)
    }

    async fn shared_in_block(self: Arc<Self>) -> Asked {
        if self.calls == 0 { Err(Away) } else { Ok(self.calls) }
    }
}

/// The attribute above it.
pub struct Above(pub Replica);

#[retry(attempts = self.0.attempts, breaker = self.0.breaker.clone(), backoff = "none", on = Away)]
#[async_trait]
impl AskInBlock for Above {
    async fn in_block(&mut self) -> Asked {
        self.0.calls += 1;
        Err(Away)
    }

    async fn shared_in_block(self: Arc<Self>) -> Asked {
        if self.0.calls == 0 { Err(Away) } else { Ok(self.0.calls) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn attempts(call: impl Future<Output = Asked>) -> u32 {
        call.await.unwrap_err().attempts()
    }

    #[tokio::test(start_paused = true)]
    async fn each_receiver_has_its_own_numbers() {
        let mut replica = Replica::new(4);
        assert_eq!(attempts(replica.by_reference()).await, 4);
        assert_eq!(attempts(replica.exclusive(1)).await, 5);
        assert_eq!(attempts(replica.exclusive_with_a_breaker()).await, 4);
        assert_eq!(replica.calls, 9);
        assert_eq!(attempts(Replica::new(2).owned()).await, 2);
        // Each attempt starts from what was passed.
        assert_eq!(attempts(Replica::new(2).mut_owned()).await, 2);
        assert_eq!(attempts(Box::new(Replica::new(3)).boxed()).await, 3);
        assert_eq!(attempts(Arc::new(Replica::new(3)).shared()).await, 3);
        assert_eq!(attempts(Arc::new(Replica::new(3)).hedged(String::new())).await, 3);
        assert_eq!(Arc::new(Replica::new(3)).hedged("a".to_owned()).await.unwrap(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closure_sees_it_too() {
        assert_eq!(attempts(Arc::new(Replica::new(3)).decides()).await, 3);
        let error = Arc::new(Replica::new(2)).decides().await.unwrap_err();
        assert_eq!(error.attempts(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_block_each_method_on_its_own() {
        let mut replica = Replica::new(4);
        assert_eq!(attempts(replica.in_block()).await, 4);
        assert_eq!(replica.calls, 4);
        assert_eq!(attempts(Arc::new(Replica::new(2)).shared_in_block()).await, 2);
        assert_eq!(attempts(Above(Replica::new(3)).in_block()).await, 3);
        assert_eq!(attempts(Arc::new(Above(Replica::new(3))).shared_in_block()).await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn the_breaker_that_is_named_counts() {
        let mut replica = Replica::new(5);
        replica.breaker = Arc::new(CircuitBreaker::consecutive(4, Duration::from_secs(30)));
        assert_eq!(attempts(replica.exclusive_with_a_breaker()).await, 4);
        assert_eq!(replica.breaker.state(), CircuitState::Open);
        assert_eq!(attempts(replica.in_block()).await, 0);
    }
}
