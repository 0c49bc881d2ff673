//! One `tokio::time::timeout`.

use tokio::time::timeout;

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::Service;

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| timeout(P::TOTAL, service.get(number)))
}
