//! The crate `backon`, alone, so without limits of time.

use backon::{ExponentialBuilder, Retryable};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

const fn backoff<P: Preset>() -> ExponentialBuilder {
    let builder =
        ExponentialBuilder::new().with_min_delay(P::BACKOFF).with_max_times(P::ATTEMPTS as usize - 1);
    if P::BACKOFF.is_zero() { builder } else { builder.with_jitter() }
}

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| (move || service.get(number)).retry(const { backoff::<P>() }))
}

/// `backon` between a timeout for the attempt and one for the whole.
pub(crate) mod with_timeouts {
    use tokio::time::timeout;

    use super::*;

    #[derive(Debug)]
    pub(crate) struct Failed;

    pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
        visitor.visit(move |number| {
            let attempt = move || async move {
                timeout(P::PER_ATTEMPT, service.get(number)).await.map_err(|_| Failed)?.map_err(|_| Failed)
            };
            timeout(P::TOTAL, attempt.retry(const { backoff::<P>() }))
        })
    }
}
