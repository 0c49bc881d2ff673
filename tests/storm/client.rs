//! What a client does when the server fails.

use std::time::Duration;

use retry_runtime::{CircuitBreaker, Policy, RetryError, RetryThrottle, retry};

use crate::server::{Server, Unavailable};

/// A call ends within a second, whatever happens, so a client is never late for its next one.
const LIMITS: Policy =
    Policy::builder().total(Duration::from_millis(950)).per_attempt(Duration::from_millis(250)).build();

#[expect(clippy::large_enum_variant, reason = "there is one of it at a time")]
pub(crate) enum Client {
    NoRetries,
    /// Three attempts with no wait between them.
    Naive,
    /// Three attempts with the default waits, as in all that follow.
    Jitter,
    Throttle(RetryThrottle),
    Breaker(CircuitBreaker),
    Both(CircuitBreaker, RetryThrottle),
}

impl Client {
    pub(crate) const fn throttle() -> Self {
        Self::Throttle(RetryThrottle::ratio(20, 10))
    }

    pub(crate) const fn breaker(open_for: Duration) -> Self {
        Self::Breaker(CircuitBreaker::consecutive(20, open_for))
    }

    pub(crate) const fn both(open_for: Duration) -> Self {
        Self::Both(CircuitBreaker::consecutive(20, open_for), RetryThrottle::ratio(20, 10))
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::NoRetries => "no retries",
            Self::Naive => "naive retries",
            Self::Jitter => "jitter",
            Self::Throttle(_) => "jitter, throttle",
            Self::Breaker(_) => "jitter, breaker",
            Self::Both(..) => "jitter, both",
        }
    }

    pub(crate) async fn call(&self, server: &Server) -> Result<(), RetryError<Unavailable>> {
        match self {
            Self::NoRetries => once(server).await,
            Self::Naive => naive(server).await,
            Self::Jitter => jitter(server).await,
            Self::Throttle(throttle) => throttled(server, throttle).await,
            Self::Breaker(breaker) => guarded(server, breaker).await,
            Self::Both(breaker, throttle) => both(server, breaker, throttle).await,
        }
    }
}

type Asked = Result<(), RetryError<Unavailable>>;

#[retry(policy = LIMITS, attempts = 1)]
async fn once(server: &Server) -> Asked {
    server.ask().await
}

#[retry(policy = LIMITS, backoff = "none", on = Unavailable)]
async fn naive(server: &Server) -> Asked {
    server.ask().await
}

#[retry(policy = LIMITS, on = Unavailable)]
async fn jitter(server: &Server) -> Asked {
    server.ask().await
}

#[retry(policy = LIMITS, throttle = throttle, on = Unavailable)]
async fn throttled(server: &Server, throttle: &RetryThrottle) -> Asked {
    server.ask().await
}

#[retry(policy = LIMITS, breaker = breaker, on = Unavailable)]
async fn guarded(server: &Server, breaker: &CircuitBreaker) -> Asked {
    server.ask().await
}

#[retry(policy = LIMITS, breaker = breaker, throttle = throttle, on = Unavailable)]
async fn both(server: &Server, breaker: &CircuitBreaker, throttle: &RetryThrottle) -> Asked {
    server.ask().await
}
