//! Counts the spans that a piece of code opens, by name.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[derive(Default)]
pub struct Spans {
    next: AtomicU64,
    opened: Mutex<Vec<&'static str>>,
    fields: Mutex<Vec<&'static str>>,
}

impl Spans {
    /// The names of the spans, in the order they were opened.
    pub fn opened(&self) -> Vec<&'static str> {
        self.opened.lock().map(|opened| opened.clone()).unwrap_or_default()
    }

    /// The names of the fields of all spans.
    pub fn fields(&self) -> Vec<&'static str> {
        self.fields.lock().map(|fields| fields.clone()).unwrap_or_default()
    }
}

/// The spans that are opened while the guard of `watch` lives.
pub struct Watch(pub std::sync::Arc<Spans>);

impl Subscriber for Watch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("retry_shapes")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if let (Ok(mut opened), Ok(mut fields)) = (self.0.opened.lock(), self.0.fields.lock()) {
            opened.push(span.metadata().name());
            fields.extend(span.metadata().fields().iter().map(|field| field.name()));
        }
        Id::from_u64(self.0.next.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Counts on this thread until the guard is dropped.
pub fn watch() -> (std::sync::Arc<Spans>, tracing::subscriber::DefaultGuard) {
    let spans = std::sync::Arc::<Spans>::default();
    let guard = tracing::subscriber::set_default(Watch(spans.clone()));
    (spans, guard)
}
