//! What the give-up of an inner call says about the server to the breaker of the outer one: the most of what its
//! attempts have said, in either form, and whichever of the two notices first that time is up.

use std::future::pending;
use std::time::Duration;

use retry_runtime::{CircuitBreaker, CircuitState, Deadline, RetryError, retry};
use retry_tests::ConnectionError;

use crate::subject::paused;

type Asked = Result<(), RetryError<ConnectionError>>;

fn breaker() -> CircuitBreaker {
    CircuitBreaker::consecutive(1, Duration::from_secs(60))
}

/// What the outer breaker is afterwards.
fn after<F: Future<Output = Result<(), E>>, E>(
    call: impl FnOnce(&'static CircuitBreaker) -> F,
) -> CircuitState {
    let breaker: &'static CircuitBreaker = Box::leak(Box::new(breaker()));
    assert!(paused(call(breaker)).is_err());
    breaker.state()
}

#[test]
fn the_limit_of_the_outer_attempt_counts_also_where_an_inner_call_passes_it_on() {
    #[retry(attempts = 3, on = ConnectionError)]
    async fn shares() -> Asked {
        pending().await
    }
    #[retry(attempts = 3, per_attempt = "40ms", backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn limits() -> Asked {
        pending().await
    }
    #[retry(attempts = 2, per_attempt = "100ms", breaker = breaker, on = ConnectionError)]
    async fn outer(breaker: &CircuitBreaker, shared: bool) -> Result<(), RetryError> {
        Ok(if shared { shares().await } else { limits().await }?)
    }
    assert_eq!(after(|breaker| outer(breaker, true)), CircuitState::Open);
    assert_eq!(after(|breaker| outer(breaker, false)), CircuitState::Open);
    let hurried = |breaker| Deadline::within(Duration::from_millis(90)).scope(outer(breaker, true));
    assert_eq!(after(hurried), CircuitState::Closed);
}

#[test]
fn a_call_that_was_refused_two_levels_below_says_nothing() {
    #[retry(breaker = open, on = ConnectionError)]
    async fn innermost(open: &CircuitBreaker) -> Asked {
        Ok(())
    }
    #[retry(on = ConnectionError)]
    async fn typed(open: &CircuitBreaker) -> Result<(), RetryError> {
        Ok(innermost(open).await?)
    }
    #[retry(on = ConnectionError)]
    async fn bare(open: &CircuitBreaker) -> anyhow::Result<()> {
        Ok(innermost(open).await?)
    }
    #[retry(breaker = breaker, on = ConnectionError)]
    async fn outer(breaker: &CircuitBreaker, in_typed_form: bool) -> anyhow::Result<()> {
        let open = CircuitBreaker::consecutive(1, Duration::from_secs(60));
        open.force_open();
        if in_typed_form { Ok(typed(&open).await?) } else { bare(&open).await }
    }
    assert_eq!(after(|breaker| outer(breaker, false)), CircuitState::Closed);
    assert_eq!(after(|breaker| outer(breaker, true)), CircuitState::Closed);
}

#[test]
fn a_call_that_has_failed_before_it_was_refused_says_so() {
    #[retry(breaker = inner_breaker, on = ConnectionError)]
    async fn inner(inner_breaker: &CircuitBreaker) -> Asked {
        Err(ConnectionError)
    }
    #[retry(breaker = breaker, on = ConnectionError)]
    async fn outer(breaker: &CircuitBreaker) -> Result<(), RetryError> {
        Ok(inner(&self::breaker()).await?)
    }
    assert_eq!(after(outer), CircuitState::Open);
}

#[test]
fn a_call_that_has_failed_before_its_callers_time_was_up_says_so() {
    #[retry(jitter = "none", on = ConnectionError)]
    async fn inner() -> Asked {
        Err(ConnectionError)
    }
    #[retry(breaker = breaker, on = ConnectionError)]
    async fn outer(breaker: &CircuitBreaker) -> Result<(), RetryError> {
        Ok(inner().await?)
    }
    let hurried = |breaker| Deadline::within(Duration::from_millis(100)).scope(outer(breaker));
    assert_eq!(after(hurried), CircuitState::Open);
}

#[test]
fn a_share_of_a_hurried_callers_time_says_nothing_whatever_the_reason() {
    #[retry(idempotent = false, on = ConnectionError)]
    async fn inner() -> Asked {
        pending().await
    }
    #[retry(breaker = breaker, on = ConnectionError)]
    async fn outer(breaker: &CircuitBreaker) -> Result<(), RetryError> {
        Ok(inner().await?)
    }
    let hurried = |breaker| Deadline::within(Duration::from_millis(50)).scope(outer(breaker));
    assert_eq!(after(hurried), CircuitState::Closed);
}
