//! Source chains: what is in them, and whether an inner call gave up.
//!
//! A give-up cannot be found by its type: [`RetryError`](crate::RetryError) is generic, and wrappers such as
//! `io::Error` and transparent enums hide the node itself. But they all ask it for its source. So `source()` of our
//! two errors announces them, to a walker on the same thread that is listening at that moment.

use std::cell::Cell;
use std::error::Error;
use std::io;
use std::iter;

use tokio::time::Instant;

use crate::error::{Reason, Report, Says};

/// More than any honest chain has; a chain that bites its own tail must not hang us.
const LONGEST: usize = 128;

thread_local! {
    static WALKER: Cell<Walker> = const { Cell::new(Walker::Idle) };
    /// What was heard.
    static SEEN: Cell<GiveUpSeen> = const { Cell::new(GiveUpSeen { attempts: 0, struck: None, says: Says::Nothing }) };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walker {
    Idle,
    Listening,
    Heard,
}

/// A give-up found in a chain, as far as the outer call needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GiveUpSeen {
    pub(crate) attempts: u32,
    /// When the deadline that ended the inner call was due, before any margin; `None` for other reasons.
    pub(crate) struck: Option<Instant>,
    /// What the inner call has learned about the server.
    pub(crate) says: Says,
}

/// Called by `source()` of our errors.
pub(crate) fn announce(report: &Report) {
    // An error that was not retryable is no give-up: the search goes on below it.
    if report.reason != Reason::NotRetryable && WALKER.get() == Walker::Listening {
        SEEN.set(GiveUpSeen { attempts: report.attempts, struck: report.struck, says: report.says });
        WALKER.set(Walker::Heard);
    }
}

/// Puts the walker back to what it was, also when a foreign `source()` panics.
struct Listening(Walker);

impl Drop for Listening {
    fn drop(&mut self) {
        WALKER.set(self.0);
    }
}

/// The source of `node`, and the give-up that `node` is or hides.
fn source_of<'a>(node: &'a (dyn Error + 'static)) -> (Option<&'a (dyn Error + 'static)>, Option<GiveUpSeen>) {
    let _before = Listening(WALKER.replace(Walker::Listening));
    let source = node.source();
    let seen = if WALKER.get() == Walker::Heard { Some(SEEN.get()) } else { None };
    (source, seen)
}

/// The give-up of an inner call in the chain of `error`.
pub(crate) fn give_up_in(error: &(dyn Error + 'static)) -> Option<GiveUpSeen> {
    let (source, seen) = source_of(error);
    match source {
        // Most errors stand alone.
        None => seen,
        Some(_) if seen.is_some() => seen,
        Some(source) => give_up_below(source),
    }
}

#[cold]
fn give_up_below(error: &(dyn Error + 'static)) -> Option<GiveUpSeen> {
    let mut node = Some(error);
    for _ in 0..LONGEST {
        let (source, seen) = source_of(node?);
        if seen.is_some() {
            return seen;
        }
        node = source;
    }
    None
}

/// Whether an error of type `T` is in the chain of `error`: above the give-up of an inner call if there is one, or
/// `below` it as well.
pub(crate) fn contains<T: Error + 'static>(error: &(dyn Error + 'static), below: bool) -> bool {
    let mut node = Some(error);
    for _ in 0..LONGEST {
        let Some(current) = node else { return false };
        if with_payloads(current).any(|error| error.is::<T>()) {
            return true;
        }
        let (source, seen) = source_of(current);
        if seen.is_some() && !below {
            return false;
        }
        node = source;
    }
    false
}

/// An `io::Error` passes over its payload when it is asked for its source: the node, its payload, the payload of
/// that one.
fn with_payloads<'a>(node: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(node), |node| {
        let payload = node.downcast_ref::<io::Error>()?.get_ref()?;
        Some(payload as &(dyn Error + 'static))
    })
    .take(LONGEST)
}
