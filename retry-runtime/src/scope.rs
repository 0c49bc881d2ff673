//! What the code below an attempt can see of it: each thread has a frame for the code that it polls, put in place for
//! one poll and taken away after it, also by a panic. So a scope follows every await and costs no allocation.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use crate::attempt::CallId;
use crate::deadline::Deadline;

// What holds for the code that is being polled, while `INSIDE` says so. All are constants at the start and need no
// drop, so that access is a plain load or store. Outside, all but `SPAN` and `ATTEMPT` are as at the start: so a call
// that is not inside of another need not set them.
thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Ends at the deadline.
    static SPAN: Cell<Span> = const { Cell::new(Span::ENDLESS) };
    /// The number of the attempt, from 1; 0: not in one.
    static ATTEMPT: Cell<u32> = const { Cell::new(0) };
    /// The call that the attempt belongs to; drawn when somebody asks for it.
    static CALL: Cell<Option<CallId>> = const { Cell::new(None) };
    /// The span of the attempt, where `SPAN` is that of a scope set by hand.
    static ASIDE: Cell<Option<Span>> = const { Cell::new(None) };
    /// A call below gave up, or was cut, after more than one attempt.
    static INNER_REPEATED: Cell<bool> = const { Cell::new(false) };
    /// What is being dropped.
    static DROPPING: Cell<Dropping> = const { Cell::new(Dropping::Whatever) };
}

/// A time that never comes, in nanoseconds.
pub(crate) const NEVER: u64 = u64::MAX;

/// A part of a call, in nanoseconds since its start. Instants are added up only when somebody asks: most attempts
/// are over before.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// The start of the call; `None` of what has no end.
    origin: Option<Instant>,
    pub(crate) from: u64,
    /// `NEVER`: nothing limits it.
    pub(crate) until: u64,
}

impl Span {
    const ENDLESS: Self = Self { origin: None, from: 0, until: NEVER };

    #[inline]
    pub(crate) const fn new(origin: Instant, until: u64) -> Self {
        Self { origin: Some(origin), from: 0, until }
    }

    /// How long ago the call started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.origin.map_or(Duration::ZERO, |origin| Instant::now().saturating_duration_since(origin))
    }

    /// How long after the start of the call a deadline is.
    pub(crate) fn until(&self, deadline: Deadline) -> Option<Duration> {
        Some(deadline.instant()?.saturating_duration_since(self.origin?))
    }

    /// A point in time of the call.
    pub(crate) fn at(&self, nanos: u64) -> Deadline {
        match self.origin {
            Some(origin) if nanos != NEVER => Deadline::after(origin, Duration::from_nanos(nanos)),
            _ => Deadline::NEVER,
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

/// What holds around, put back when dropped: also by a panic.
#[must_use]
struct Around {
    saved: Option<Saved>,
    /// The attempt around stays, so what it is asked or told inside is kept.
    same_attempt: bool,
}

struct Saved {
    span: Span,
    attempt: u32,
    call: Option<CallId>,
    aside: Option<Span>,
    inner_repeated: bool,
}

impl Around {
    #[inline]
    const fn nothing() -> Self {
        Self { saved: None, same_attempt: false }
    }

    /// Saves what is there; most often that is nothing.
    #[inline]
    fn save(&mut self) {
        if INSIDE.replace(true) {
            self.save_frame();
        }
    }

    #[cold]
    fn save_frame(&mut self) {
        self.saved = Some(Saved {
            span: SPAN.get(),
            attempt: ATTEMPT.get(),
            call: CALL.replace(None),
            aside: ASIDE.replace(None),
            inner_repeated: INNER_REPEATED.replace(false),
        });
    }

    /// Leaves nothing behind of what was asked for or noted inside.
    #[cold]
    fn clear() {
        CALL.set(None);
        ASIDE.set(None);
        INNER_REPEATED.set(false);
    }

    #[cold]
    fn restore_frame(saved: &Saved, same_attempt: bool) {
        INSIDE.set(true);
        SPAN.set(saved.span);
        ATTEMPT.set(saved.attempt);
        if !same_attempt {
            CALL.set(saved.call);
        }
        ASIDE.set(saved.aside);
        // What a call inside has noted is told to the attempt around as well.
        INNER_REPEATED.set(INNER_REPEATED.get() || saved.inner_repeated);
    }
}

impl Drop for Around {
    #[inline]
    fn drop(&mut self) {
        match &self.saved {
            None => {
                INSIDE.set(false);
                if CALL.get().is_some() || INNER_REPEATED.get() {
                    Self::clear();
                }
            }
            Some(saved) => Self::restore_frame(saved, self.same_attempt),
        }
    }
}

/// Runs `poll` in an attempt.
#[inline]
pub(crate) fn enter_attempt<T>(
    span: &Span,
    attempt: u32,
    call: &mut Option<CallId>,
    inner_repeated: &mut bool,
    poll: impl FnOnce() -> T,
) -> T {
    let mut around = Around::nothing();
    around.save();
    SPAN.set(*span);
    ATTEMPT.set(attempt);
    if call.is_some() {
        CALL.set(*call);
    }
    let output = poll();
    *call = CALL.get();
    *inner_repeated |= INNER_REPEATED.get();
    output
}

/// Runs `poll` under `deadline`, or the one around if that is earlier. The attempt around stays.
pub(crate) fn enter_deadline<T>(deadline: Deadline, poll: impl FnOnce() -> T) -> T {
    let Some(at) = deadline.min(self::deadline()).instant() else { return poll() };
    let mut around = Around::nothing();
    around.save();
    around.same_attempt = true;
    let aside = around.saved.as_ref().map(|saved| {
        CALL.set(saved.call);
        saved.aside.unwrap_or(saved.span)
    });
    if aside.is_none() {
        ATTEMPT.set(0);
    }
    ASIDE.set(aside);
    SPAN.set(Span::new(at, 0));
    poll()
}

/// Runs `poll` without a deadline, outside of any attempt. What a call in there does is no matter of the attempt
/// around.
pub(crate) fn enter_nothing<T>(poll: impl FnOnce() -> T) -> T {
    let mut around = Around::nothing();
    around.save();
    INSIDE.set(false);
    let output = poll();
    INNER_REPEATED.set(false);
    output
}

/// Drops what ran under [`enter_nothing`].
pub(crate) fn drop_detached(drop: impl FnOnce()) {
    /// Restores what is being dropped around, also after a panic.
    struct Restored(Dropping);
    impl Drop for Restored {
        fn drop(&mut self) {
            DROPPING.set(self.0);
        }
    }
    let _restored = Restored(DROPPING.replace(Dropping::Whatever));
    drop();
}

/// Whether a deadline may hold here.
#[inline]
pub(crate) fn is_inside() -> bool {
    INSIDE.get()
}

/// The deadline that holds here.
pub(crate) fn deadline() -> Deadline {
    if is_inside() { SPAN.get().end() } else { Deadline::NEVER }
}

/// The attempt that runs here: its number, its span, its call.
pub(crate) fn attempt() -> Option<(u32, Span, CallId)> {
    if !is_inside() || ATTEMPT.get() == 0 {
        return None;
    }
    let call = CALL.get().unwrap_or_else(CallId::next);
    CALL.set(Some(call));
    Some((ATTEMPT.get(), ASIDE.get().unwrap_or(SPAN.get()), call))
}

/// Tells the attempt around that a call in it gave up after more than one attempt.
pub(crate) fn note_repeated() {
    if is_inside() {
        INNER_REPEATED.set(true);
    }
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
