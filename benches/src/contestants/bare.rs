//! No limit and no retry.

use crate::contestants::Visitor;
use retry_benches::service::Service;

#[allow(clippy::extra_unused_type_parameters)] // As of the others, so that one line calls any of them.
pub(crate) fn visit<P, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| service.get(number))
}

/// What a call returns.
pub(crate) trait Answer {
    fn value(self) -> Option<u64>;
}

impl<E> Answer for Result<u64, E> {
    fn value(self) -> Option<u64> {
        self.ok()
    }
}

impl<E, E2> Answer for Result<Result<u64, E>, E2> {
    fn value(self) -> Option<u64> {
        self.ok()?.ok()
    }
}

impl<E, E2, E3> Answer for Result<Result<Result<u64, E>, E2>, E3> {
    fn value(self) -> Option<u64> {
        self.ok()?.ok()?.ok()
    }
}
