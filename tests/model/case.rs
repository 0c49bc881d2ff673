//! What is tried: a call, what its attempts do, and when it is cancelled. Times in microseconds.

use retry_runtime::{AttemptOutcome, CircuitState, Reason};

/// Calls in sequence, and what they share.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) breaker: Option<Breaker>,
    pub(crate) throttle: Option<Throttle>,
    pub(crate) turns: Vec<Turn>,
}

/// One of the calls, after a pause and after somebody had his hands on the breaker.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) pause: i64,
    pub(crate) by_hand: Option<Hand>,
    pub(crate) call: Call,
    pub(crate) cancelled: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Hand {
    Open,
    Close,
    Reset,
}

#[derive(Clone, Debug)]
pub(crate) struct Breaker {
    pub(crate) rule: Opens,
    pub(crate) open_for: i64,
    pub(crate) probes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Opens {
    Consecutive { failures: u32 },
    Rate { percent: u32, minimum_calls: u32, window: i64 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Throttle {
    /// `window: None`: the default.
    Ratio { percent: u32, min_per_second: u32, window: Option<i64> },
    /// `hint_cost: None`: the plain cost.
    Tokens { capacity: u32, cost: u32, refund: u32, hint_cost: Option<u32> },
}

/// The keys of one call, as they are given, possible or not, and its script.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) form: Form,
    pub(crate) total: Option<i64>,
    pub(crate) per_attempt: Limit,
    pub(crate) attempts: Option<u32>,
    pub(crate) backoff: Backoff,
    pub(crate) factor: f64,
    /// `None` here and below: the default.
    pub(crate) max_backoff: Option<i64>,
    pub(crate) min_attempt: Option<i64>,
    pub(crate) margin: i64,
    pub(crate) idempotent: bool,
    pub(crate) nested: bool,
    /// An explicit deadline, from the start of the call; it may be over by then.
    pub(crate) deadline: Option<i64>,
    /// Whether `when` holds for the give-up of an inner call.
    pub(crate) on_give_up: bool,
    /// Whether it has the breaker of the case, if there is one.
    pub(crate) breaker: bool,
    pub(crate) throttle: bool,
    /// The last one is repeated for ever.
    pub(crate) script: Vec<Attempt>,
}

/// How the call is made, and so what it returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Run,
    Typed,
    Bare,
    /// With a `fallback` that hands the give-up on.
    Fallback,
    /// The attribute with each key by itself instead of `policy`.
    TypedKeys,
    BareKeys,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Share,
    None,
    Of(i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Backoff {
    Default,
    None,
    Of(i64),
}

/// What one attempt does: its inner calls, a pause, and its end.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// For its key, before all else; otherwise it asks first in the scope of an inner call, or at its end.
    pub(crate) asks_at_once: bool,
    pub(crate) calls: Vec<Inner>,
    pub(crate) pause: i64,
    pub(crate) end: End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Value {
        worth_another: bool,
        hint: Option<i64>,
    },
    Error {
        transient: bool,
        hint: Option<i64>,
    },
    /// What the last inner call returned; a value, if there is none.
    PassOn,
    Hang,
    Panic,
}

/// A call that an attempt makes after a pause.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub(crate) pause: i64,
    pub(crate) call: Call,
    pub(crate) scope: Scope,
    pub(crate) held: Held,
    /// A panic inside is caught.
    pub(crate) caught: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scope {
    OfAttempt,
    Detached,
    Within(i64),
    LimitedTo(i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Held {
    ToItsEnd,
    DroppedAfter(i64),
    /// Kept, but never polled again.
    ForgottenAfter(i64),
}

/// What can be seen from outside, in its order. Times from here on in nanoseconds since the start of the case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Start {
        id: u64,
        at: i64,
        limit: Option<i64>,
    },
    /// The attempt is dropped, its work done or not.
    End {
        id: u64,
        at: i64,
    },
    Answer {
        path: u64,
        at: i64,
        told: Told,
    },
    /// The breaker's own report of a change.
    Change {
        at: i64,
        from: CircuitState,
        to: CircuitState,
        by_hand: bool,
        retry_after: Option<i64>,
    },
    /// What is to be seen of them after an answer.
    Guards {
        state: Option<CircuitState>,
        available: Option<u32>,
    },
    /// Something that no case allows.
    Wrong(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Value(u64),
    Error(Failure),
    Dropped,
    Panicked,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    Plain(u64),
    GaveUp(Box<GiveUp>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GiveUp {
    pub(crate) reason: Reason,
    pub(crate) attempts: u32,
    pub(crate) elapsed: i64,
    pub(crate) timed_out: bool,
    pub(crate) hint: Option<i64>,
    /// Only `RetryError` tells it.
    pub(crate) first: Option<Failure>,
    pub(crate) last: Option<Failure>,
    pub(crate) source: Source,
    pub(crate) history: Vec<Record>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    None,
    LastError,
    CutAt(i64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) number: u32,
    pub(crate) start: i64,
    pub(crate) duration: i64,
    pub(crate) outcome: AttemptOutcome,
}

/// Calls and attempts are told apart by what is around them: `1_002_3_001` is the first attempt of the third call that
/// the second attempt of the outermost call made, whose path is `1_002_3`.
pub(crate) fn attempt_id(path: u64, number: u32) -> u64 {
    path * 1_000 + u64::from(number)
}

pub(crate) fn inner_path(attempt: u64, index: usize) -> u64 {
    attempt * 10 + index as u64 + 1
}
