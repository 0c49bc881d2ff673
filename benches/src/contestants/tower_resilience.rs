//! `tower-resilience`: its retry layer between two of its time limiters. The stack is built once and cloned for each
//! call.

use tower::{ServiceBuilder, ServiceExt, service_fn};
use tower_resilience_retry::RetryLayer;
use tower_resilience_timelimiter::{TimeLimiterError, TimeLimiterLayer};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::{Refused, Service};

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    let retry =
        RetryLayer::<u64, u64, TimeLimiterError<Refused>>::builder().max_attempts(P::ATTEMPTS as usize);
    let retry = if P::BACKOFF.is_zero() {
        retry.fixed_backoff(P::BACKOFF)
    } else {
        retry.exponential_backoff(P::BACKOFF)
    };
    let stack = ServiceBuilder::new()
        .layer(TimeLimiterLayer::builder().timeout_duration(P::TOTAL).build())
        .layer(retry.build())
        .layer(TimeLimiterLayer::builder().timeout_duration(P::PER_ATTEMPT).build())
        .service(service_fn(move |number| service.get(number)));
    visitor.visit(move |number| stack.clone().oneshot(number))
}
