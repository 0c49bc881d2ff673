//! What the code below an attempt can see of it: each thread has a frame for the code that it polls, put in place for
//! one poll and taken away after it, also by a panic. So a scope follows every await and costs no allocation.

use std::cell::Cell;
use std::time::Duration;

use retry_policy::NEVER;
use tokio::time::Instant;

use crate::attempt::CallId;
use crate::deadline::Deadline;

/// What holds for the code that is being polled, while `inside` says so. Outside, all but `span` and `attempt` are as
/// at the start: so a call that is not inside of another need not set them.
struct Frame {
    inside: Cell<bool>,
    /// `call` or `inner_repeated` is not as at the start.
    noted: Cell<bool>,
    /// The number of the attempt, from 1; 0: not in one.
    attempt: Cell<u32>,
    /// Ends at the deadline.
    span: Cell<Span>,
    /// The call that the attempt belongs to; drawn when somebody asks for it.
    call: Cell<Option<CallId>>,
    /// A call below gave up, or was cut, after more than one attempt.
    inner_repeated: Cell<bool>,
    /// The span of the attempt, where `span` is that of a scope set by hand.
    aside: Cell<Option<Span>>,
}

// Constants at the start that need no drop, so that access is a plain load or store.
thread_local! {
    static FRAME: Frame = const {
        Frame {
            inside: Cell::new(false),
            noted: Cell::new(false),
            attempt: Cell::new(0),
            span: Cell::new(Span::ENDLESS),
            call: Cell::new(None),
            inner_repeated: Cell::new(false),
            aside: Cell::new(None),
        }
    };
    /// What is being dropped.
    static DROPPING: Cell<Dropping> = const { Cell::new(Dropping::Whatever) };
}

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

    /// When the call started.
    #[inline]
    pub(crate) fn origin(&self) -> Option<Instant> {
        self.origin
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

impl Frame {
    fn set_call(&self, call: Option<CallId>) {
        self.call.set(call);
        self.noted.set(true);
    }

    #[cold]
    fn save(&self) -> Saved {
        self.noted.set(false);
        Saved {
            span: self.span.get(),
            attempt: self.attempt.get(),
            call: self.call.replace(None),
            aside: self.aside.replace(None),
            inner_repeated: self.inner_repeated.replace(false),
            same_attempt: false,
        }
    }

    #[cold]
    fn restore(&self, saved: &Saved) {
        self.inside.set(true);
        self.span.set(saved.span);
        self.attempt.set(saved.attempt);
        if !saved.same_attempt {
            self.call.set(saved.call);
        }
        self.aside.set(saved.aside);
        // What a call inside has noted is told to the attempt around as well.
        self.inner_repeated.set(self.inner_repeated.get() || saved.inner_repeated);
        self.noted.set(true);
    }

    /// Leaves nothing behind of what was asked for or noted inside.
    #[cold]
    fn clear(&self) {
        self.call.set(None);
        self.aside.set(None);
        self.inner_repeated.set(false);
        self.noted.set(false);
    }
}

struct Saved {
    span: Span,
    attempt: u32,
    call: Option<CallId>,
    aside: Option<Span>,
    inner_repeated: bool,
    /// The attempt around stays, so what it is asked or told inside is kept.
    same_attempt: bool,
}

/// What holds around, put back when dropped: also by a panic.
#[must_use]
pub(crate) struct Around {
    /// Most often there is nothing around.
    saved: Option<Saved>,
}

// What is done before and after a poll does not depend on the type of the future: so it is compiled once.
impl Around {
    #[inline]
    pub(crate) const fn nothing() -> Self {
        Self { saved: None }
    }

    #[inline]
    fn save(&mut self, frame: &Frame) {
        if frame.inside.replace(true) {
            self.saved = Some(frame.save());
        }
    }

    /// What follows runs in an attempt, until this is dropped.
    #[inline]
    pub(crate) fn enter_attempt(&mut self, span: &Span, attempt: u32, call: Option<CallId>) {
        FRAME.with(|frame| {
            self.save(frame);
            frame.span.set(*span);
            frame.attempt.set(attempt);
            if call.is_some() {
                frame.set_call(call);
            }
        });
    }

    /// Takes along what was asked for or noted in the attempt; to be called at its end.
    #[inline]
    pub(crate) fn leave_attempt(&self, call: &mut Option<CallId>, inner_repeated: &mut bool) {
        FRAME.with(|frame| {
            if frame.noted.get() {
                *call = frame.call.get();
                *inner_repeated |= frame.inner_repeated.get();
            }
        });
    }
}

impl Drop for Around {
    #[inline]
    fn drop(&mut self) {
        FRAME.with(|frame| match &self.saved {
            None => {
                frame.inside.set(false);
                if frame.noted.get() {
                    frame.clear();
                }
            }
            Some(saved) => frame.restore(saved),
        });
    }
}

/// Runs `poll` under `deadline`, or the one around if that is earlier. The attempt around stays.
pub(crate) fn enter_deadline<T>(deadline: Deadline, poll: impl FnOnce() -> T) -> T {
    let Some(at) = deadline.min(self::deadline()).instant() else { return poll() };
    let mut around = Around::nothing();
    FRAME.with(|frame| {
        around.save(frame);
        let aside = around.saved.as_mut().map(|saved| {
            saved.same_attempt = true;
            frame.set_call(saved.call);
            saved.aside.unwrap_or(saved.span)
        });
        if aside.is_none() {
            frame.attempt.set(0);
        }
        frame.aside.set(aside);
        frame.span.set(Span::new(at, 0));
    });
    poll()
}

/// Runs `poll` without a deadline, outside of any attempt. What a call in there does is no matter of the attempt
/// around.
pub(crate) fn enter_nothing<T>(poll: impl FnOnce() -> T) -> T {
    let mut around = Around::nothing();
    FRAME.with(|frame| {
        around.save(frame);
        frame.inside.set(false);
    });
    let output = poll();
    FRAME.with(|frame| frame.inner_repeated.set(false));
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
    FRAME.with(|frame| frame.inside.get())
}

/// The deadline that holds here.
pub(crate) fn deadline() -> Deadline {
    FRAME.with(|frame| if frame.inside.get() { frame.span.get().end() } else { Deadline::NEVER })
}

/// The attempt that runs here: its number, its span, its call.
pub(crate) fn attempt() -> Option<(u32, Span, CallId)> {
    FRAME.with(|frame| {
        let number = frame.attempt.get();
        if !frame.inside.get() || number == 0 {
            return None;
        }
        let call = frame.call.get().unwrap_or_else(CallId::next);
        frame.set_call(Some(call));
        Some((number, frame.aside.get().unwrap_or(frame.span.get()), call))
    })
}

/// Tells the attempt around that a call in it gave up after more than one attempt.
pub(crate) fn note_repeated() {
    FRAME.with(|frame| {
        if frame.inside.get() {
            frame.inner_repeated.set(true);
            frame.noted.set(true);
        }
    });
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
