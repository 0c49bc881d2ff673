//! A timeout for the attempt inside of one for the whole.

use tokio::time::timeout;

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| timeout(P::TOTAL, timeout(P::PER_ATTEMPT, service.get(number))))
}
