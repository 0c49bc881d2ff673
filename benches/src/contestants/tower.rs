//! `tower`: a retry layer between two timeout layers. The stack is built once and cloned for each call.

use std::future::{Ready, ready};
use std::time::Duration;

use futures_util::future::Either;
use rand::random_range;
use tokio::time::{Sleep, sleep};
use tower::retry::Policy;
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

#[derive(Clone)]
struct Attempts {
    left: u32,
    backoff: Duration,
}

impl Policy<u64, u64, BoxError> for Attempts {
    type Future = Either<Ready<()>, Sleep>;

    fn retry(&mut self, _: &mut u64, result: &mut Result<u64, BoxError>) -> Option<Self::Future> {
        if result.is_ok() || self.left == 0 {
            return None;
        }
        self.left -= 1;
        if self.backoff.is_zero() {
            return Some(Either::Left(ready(())));
        }
        let wait = random_range(self.backoff / 2..=self.backoff);
        self.backoff *= 2;
        Some(Either::Right(sleep(wait)))
    }

    fn clone_request(&mut self, number: &u64) -> Option<u64> {
        Some(*number)
    }
}

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    let stack = ServiceBuilder::new()
        .timeout(P::TOTAL)
        .retry(Attempts { left: P::ATTEMPTS - 1, backoff: P::BACKOFF })
        .timeout(P::PER_ATTEMPT)
        .service(service_fn(move |number| service.get(number)));
    visitor.visit(move |number| stack.clone().oneshot(number))
}
