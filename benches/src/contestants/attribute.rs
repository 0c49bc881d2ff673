//! `#[retry]`. Its keys are literals, so each preset has a function of its own.

use retry_runtime::{RetryError, retry};

use crate::contestants::Visitor;
use crate::preset::{AtOnce, Long, Preset, Short, Waits};
use retry_benches::service::{Refused, Service};

type Result<T> = std::result::Result<T, RetryError<Refused>>;

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, backoff = "1ms", on = Refused)]
async fn waits(service: &Service, number: u64) -> Result<u64> {
    service.get(number).await
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, backoff = "none", on = Refused)]
async fn at_once(service: &Service, number: u64) -> Result<u64> {
    service.get(number).await
}

#[retry(total = "8s", per_attempt = "none", attempts = 5, backoff = "1ms", on = Refused)]
async fn long(service: &Service, number: u64) -> Result<u64> {
    service.get(number).await
}

#[retry(total = "50ms", per_attempt = "none", attempts = 5, backoff = "1ms", on = Refused)]
async fn short(service: &Service, number: u64) -> Result<u64> {
    service.get(number).await
}

/// The function of a preset.
pub(crate) trait Annotated: Preset {
    fn get<V: Visitor>(service: &'static Service, visitor: V) -> V::Output;
}

macro_rules! functions {
    ($($preset:ident: $function:ident;)*) => {$(
        impl Annotated for $preset {
            fn get<V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
                visitor.visit(move |number| $function(service, number))
            }
        }
    )*};
}

functions! {
    Waits: waits;
    AtOnce: at_once;
    Long: long;
    Short: short;
}

pub(crate) fn visit<P: Annotated, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    P::get(service, visitor)
}
