//! The crate `tokio-retry2` between a timeout for the attempt and one for the whole.

use tokio::time::timeout;
use tokio_retry2::strategy::{ExponentialFactorBackoff, FixedInterval, jitter};
use tokio_retry2::{Retry, RetryError};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    let retries = P::ATTEMPTS as usize - 1;
    let attempt = move |number| async move {
        match timeout(P::PER_ATTEMPT, service.get(number)).await {
            Ok(Ok(value)) => Ok(value),
            _ => Err(RetryError::transient(Failed)),
        }
    };
    if P::BACKOFF.is_zero() {
        visitor.visit(move |number| {
            let waits = FixedInterval::new(P::BACKOFF).take(retries);
            timeout(P::TOTAL, Retry::spawn(waits, move || attempt(number)))
        })
    } else {
        let millis = P::BACKOFF.as_millis() as u64;
        visitor.visit(move |number| {
            let waits = ExponentialFactorBackoff::from_millis(millis, 2.0).map(jitter).take(retries);
            timeout(P::TOTAL, Retry::spawn(waits, move || attempt(number)))
        })
    }
}
