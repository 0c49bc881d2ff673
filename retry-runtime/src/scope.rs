//! What the code below an attempt can see of it: each thread points to the frame of the code that it polls. The
//! pointer is put in place for one poll and taken away after it, also by a panic; so a scope follows every await,
//! costs no allocation, and copies nothing.

use std::cell::Cell;
use std::time::Duration;

use scoped_tls::scoped_thread_local;
use tokio::time::Instant;

use crate::attempt::CallId;
use crate::deadline::Deadline;
use crate::error::Reason;

scoped_thread_local!(static CURRENT: Frame);

thread_local! {
    /// The attempt around a scope set by hand, whose own span ends at the deadline of the scope.
    static ASIDE: Cell<Option<Span>> = const { Cell::new(None) };
    /// What is being dropped.
    static DROPPING: Cell<Dropping> = const { Cell::new(Dropping::Whatever) };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dropping {
    /// Nothing, or something that nobody asks about.
    Whatever,
    /// An attempt whose time is up.
    CutAttempt,
    /// The same, and a call in it was still running after more than one attempt.
    RepeatedInside,
}

/// A time that never comes, in nanoseconds.
pub(crate) const NEVER: u64 = u64::MAX;

/// A part of a call, in nanoseconds since its start. Instants are added up only when somebody asks: most attempts
/// are over before.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// The start of the call.
    pub(crate) origin: Instant,
    pub(crate) from: u64,
    /// `NEVER`: nothing limits it.
    pub(crate) until: u64,
}

impl Span {
    /// A point in time of the call.
    pub(crate) fn at(&self, nanos: u64) -> Deadline {
        if nanos == NEVER {
            Deadline::NEVER
        } else {
            Deadline::after(self.origin, Duration::from_nanos(nanos))
        }
    }

    pub(crate) fn end(&self) -> Deadline {
        self.at(self.until)
    }

    pub(crate) fn length(&self) -> Duration {
        if self.until == NEVER {
            Duration::MAX
        } else {
            Duration::from_nanos(self.until.saturating_sub(self.from))
        }
    }
}

/// What holds for the code that is being polled. It is a part of the session, which has no byte to spare.
pub(crate) struct Frame {
    /// Ends at the deadline.
    pub(crate) span: Span,
    /// Drawn when somebody asks for it.
    call: Cell<Option<CallId>>,
    /// The number of the attempt, from 1; 0: not in one.
    pub(crate) attempt: u32,
    pub(crate) stage: Stage,
    /// The deadline of the call is its caller's.
    pub(crate) inherited: bool,
    /// A wait was shortened, so the attempt after it is the last one.
    pub(crate) shortened: bool,
    /// A call below gave up, or was cut, after more than one attempt.
    pub(crate) inner_repeated: Cell<bool>,
}

/// How far a call is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The deadline to inherit has not been looked up.
    New,
    /// The next attempt starts now, at a time that is known.
    Next,
    Running,
    /// The attempt is over because its time is up.
    Cut,
    /// The next attempt starts after a wait.
    Waiting,
    /// No attempt was started any more, for lack of time.
    Refused,
    Ended(Reason),
    /// No call: a scope set by hand. The span of the attempt around it is `ASIDE`.
    ByHand,
}

impl Frame {
    #[inline]
    pub(crate) const fn new(span: Span, attempt: u32, stage: Stage) -> Self {
        Self {
            span,
            call: Cell::new(None),
            attempt,
            stage,
            inherited: false,
            shortened: false,
            inner_repeated: Cell::new(false),
        }
    }

    /// Runs `poll` in this frame; what happened in it is told to the attempt around as well.
    #[inline]
    pub(crate) fn enter<T>(&self, poll: impl FnOnce() -> T) -> T {
        let output = CURRENT.set(self, poll);
        if self.inner_repeated.get() {
            note_repeated();
        }
        output
    }
}

/// Runs `poll` under `deadline`, or the one around if that is earlier. The attempt around stays.
pub(crate) fn enter_deadline<T>(deadline: Deadline, poll: impl FnOnce() -> T) -> T {
    let Some(at) = deadline.min(self::deadline()).instant() else { return poll() };
    let mut frame = Frame::new(Span { origin: at, from: 0, until: 0 }, 0, Stage::ByHand);
    let aside = ASIDE.get();
    if CURRENT.is_set() {
        CURRENT.with(|around| {
            frame.attempt = around.attempt;
            frame.call = around.call.clone();
            if around.stage != Stage::ByHand {
                ASIDE.set(Some(around.span));
            }
        });
    }
    let restored = Aside(aside);
    let output = frame.enter(poll);
    drop(restored);
    if CURRENT.is_set() {
        CURRENT.with(|around| around.call.set(frame.call.get()));
    }
    output
}

/// Restores `ASIDE`, also after a panic.
struct Aside(Option<Span>);

impl Drop for Aside {
    fn drop(&mut self) {
        ASIDE.set(self.0);
    }
}

/// Runs `poll` without a deadline, outside of any attempt.
pub(crate) fn enter_nothing<T>(poll: impl FnOnce() -> T) -> T {
    let nothing = Frame::new(Span { origin: Instant::now(), from: 0, until: NEVER }, 0, Stage::Running);
    // What a call in there does is no matter of the attempt around.
    CURRENT.set(&nothing, poll)
}

/// The deadline that holds here.
pub(crate) fn deadline() -> Deadline {
    if CURRENT.is_set() { CURRENT.with(|frame| frame.span.end()) } else { Deadline::NEVER }
}

/// Whether one may hold here.
#[inline]
pub(crate) fn is_inside() -> bool {
    CURRENT.is_set()
}

/// The attempt that runs here: its number, its span, its call.
pub(crate) fn attempt() -> Option<(u32, Span, CallId)> {
    if !CURRENT.is_set() {
        return None;
    }
    CURRENT.with(|frame| {
        if frame.attempt == 0 {
            return None;
        }
        let call = frame.call.get().unwrap_or_else(CallId::next);
        frame.call.set(Some(call));
        let span = if frame.stage == Stage::ByHand { ASIDE.get() } else { Some(frame.span) };
        Some((frame.attempt, span.unwrap_or(frame.span), call))
    })
}

/// Tells the attempt around that a call in it gave up after more than one attempt.
pub(crate) fn note_repeated() {
    if CURRENT.is_set() {
        CURRENT.with(|frame| frame.inner_repeated.set(true));
    }
}

/// To be called when the time of an attempt is up, before it is dropped.
pub(crate) fn before_cut() {
    DROPPING.set(Dropping::CutAttempt);
}

/// To be called after it was dropped: whether a call in it was still running after more than one attempt.
pub(crate) fn after_cut() -> bool {
    DROPPING.replace(Dropping::Whatever) == Dropping::RepeatedInside
}

/// To be called when a call is dropped that was still running after more than one attempt.
#[cold]
pub(crate) fn note_dropped_after_repeats() {
    if DROPPING.get() == Dropping::CutAttempt {
        DROPPING.set(Dropping::RepeatedInside);
    }
}
