//! `Policy::run`, for code without the attribute.

use retry_runtime::{Policy, PolicyExt};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

const fn policy<P: Preset>() -> Policy {
    let policy = Policy::builder().total(P::TOTAL).attempts(P::ATTEMPTS);
    let policy = if P::BACKOFF.is_zero() { policy.no_backoff() } else { policy.backoff(P::BACKOFF) };
    // A limit above the total is refused.
    if P::PER_ATTEMPT.as_nanos() > P::TOTAL.as_nanos() {
        policy.no_per_attempt().build()
    } else {
        policy.per_attempt(P::PER_ATTEMPT).build()
    }
}

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| const { policy::<P>() }.run(move || service.get(number)))
}
