//! The state of one call and every decision about it: admit an attempt, run it to its limit, record what came of
//! it. The only driver; not generic, so that it is compiled once.

mod race;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_policy::{NEVER, Nanos, Nested, Policy, Wait as NextWait, nanos};
use tokio::time::Instant;

use crate::attempt::CallId;
use crate::chain::{self, GiveUpSeen};
use crate::deadline::Deadline;
use crate::error::{AttemptOutcome, AttemptRecord, AttemptTimedOut, Reason, Report, Says};
use crate::guards::{Guard, Watch};
use crate::jitter;
use crate::scope::{self, Around, Span};
use crate::timer::Timer;
use crate::view::View;

pub use race::{NextOutcome, Race};

pin_project! {
    /// One call: its state, and the timer that ends its attempts and waits.
    pub(crate) struct Session {
        state: State,
        #[pin]
        timer: Timer,
    }
}

/// Times are nanoseconds since the start of the call.
struct State {
    /// The running attempt, or the wait; at stage `Next` it starts with the next attempt.
    span: Span,
    /// When the total or the inherited deadline ends, without the margin.
    due: u64,
    /// Drawn when somebody asks for it.
    call: Option<CallId>,
    /// The number of the attempt, from 1; 0: none yet.
    attempt: u32,
    stage: Stage,
    /// The deadline is the caller's.
    inherited: bool,
    /// A wait was shortened, so the attempt after it is the last one.
    shortened: bool,
    /// A call in this attempt gave up, or was cut, after more than one attempt.
    inner_repeated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    /// The attempt is over: the body has returned.
    Returned,
    /// The attempt is over because its time is up.
    Cut,
    /// The deadline to inherit has not been looked up.
    New,
    /// The next attempt starts now, at a time that is known; if it is not the first one, other tasks get their turn.
    Next,
    /// They have it.
    Yielding,
    /// The next attempt starts after a wait.
    Waiting,
    /// No attempt was started any more, for lack of time.
    Refused,
    Ended(Reason),
}

/// What came of an attempt, as far as the decision needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The body returned an error that is worth another attempt.
    Transient,
    /// The body returned a value that is worth another attempt.
    Value,
    /// The body returned an error that is not.
    Final,
    /// The body returned one, and a call inside had given up.
    InnerGaveUp(Says),
    /// The attempt was cut at its limit.
    Cut,
    /// A call inside was, and said so before the attempt's own timer.
    CutInside,
}

impl Outcome {
    /// The body returned, and did so in vain.
    #[inline]
    fn is_retryable(self) -> bool {
        matches!(self, Self::Transient | Self::Value)
    }

    fn is_cut(self) -> bool {
        self == Self::Cut || self == Self::CutInside
    }
}

/// What an error tells about a call inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inner {
    /// None had given up.
    Nothing,
    /// One had.
    GaveUp(Says),
    /// One only passed on that this attempt is out of time.
    OwnCut,
}

impl Inner {
    /// Whether the attempt counts as cut.
    #[must_use]
    pub fn is_own_cut(self) -> bool {
        self == Self::OwnCut
    }
}

/// How many attempts without an await may follow one another before other tasks get their turn; like tokio's own
/// budget.
const ATTEMPTS_A_TURN: u32 = 128;

/// The lateness of tokio's timers on an idle machine.
const TICK: u64 = 2_000_000;

impl Session {
    /// Starts the call: reads the clock.
    ///
    /// Most calls inherit no deadline, and the first attempt of those is worked out in the policy already: it is
    /// admitted here. A call that is over at once costs no more than this.
    #[inline]
    pub(crate) fn new(policy: &Policy) -> Self {
        let Nanos { total, first_limit: limit, .. } = *policy.nanos();
        let mut state = State {
            span: Span::new(Instant::now(), limit),
            due: total,
            call: None,
            attempt: 1,
            stage: Stage::Running,
            inherited: false,
            shortened: false,
            inner_repeated: false,
        };
        if scope::is_inside() || limit == 0 {
            state.stage = Stage::New;
        }
        Self { state, timer: Timer::new() }
    }

    /// Starts the call under a deadline that it was given.
    pub(crate) fn under(policy: &Policy, deadline: Deadline) -> Self {
        let mut session = Self::new(policy);
        session.state.inherit(policy, deadline.min(scope::deadline()));
        session
    }

    /// Whether an attempt was cut; else none was started any more.
    pub(crate) fn was_cut(&self) -> bool {
        self.state.stage == Stage::Cut
    }

    /// Whether the guards let the attempt pass that is about to start.
    #[inline]
    pub(crate) fn pass(self: Pin<&mut Self>, guard: &mut impl Guard) -> bool {
        let state = self.project().state;
        let is_admitted = guard.admit(state.attempt, &|| state.started());
        if !is_admitted {
            state.attempt -= 1;
            state.stage = Stage::Ended(Reason::CircuitOpen);
        }
        is_admitted
    }

    /// The call ends with the value of the attempt.
    #[inline]
    pub(crate) fn succeed(&self, guard: &mut impl Guard) {
        guard.succeed(&|| {
            // The clock was read when the call started; it was not left since where no timer was made.
            let is_at_once =
                self.state.attempt == 1 && self.state.span.until != NEVER && !self.timer.is_armed();
            if is_at_once { self.state.started() } else { Instant::now() }
        });
    }

    /// The deadline of the call.
    pub(crate) fn deadline(&self, policy: &Policy) -> Deadline {
        self.state.at(self.state.deadline(policy))
    }

    /// What the error of an attempt tells about a call inside that gave up.
    pub(crate) fn inner<E>(&self, policy: &Policy, error: &E, view: View<E>) -> Inner {
        let seen = match policy.nested() {
            Nested::Stop => view.error(error).and_then(chain::give_up_in),
            Nested::Retry => None,
        };
        match seen {
            None => Inner::Nothing,
            Some(seen) if self.is_own_cut(&seen) => Inner::OwnCut,
            Some(seen) => Inner::GaveUp(seen.says),
        }
    }

    /// Whether an inner call only passed on that the running attempt was out of time.
    fn is_own_cut(&self, inner: &GiveUpSeen) -> bool {
        let end = self.state.span.end();
        inner.attempts <= 1
            && end != Deadline::NEVER
            && inner.struck.is_some_and(|at| Deadline::at(at) >= end)
    }

    /// Decides what follows the attempt that just ended: true for another one, after the wait.
    pub(crate) fn record(
        self: Pin<&mut Self>,
        policy: &Policy,
        guards: Option<&mut dyn Watch>,
        report: &mut Report,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        let this = self.project();
        this.timer.forget();
        this.state.record(policy, guards, report, outcome, hint)
    }

    /// Completes the report of a call that has ended with an error.
    pub(crate) fn close(&self, policy: &Policy, guards: Option<&mut dyn Watch>, report: &mut Report) {
        let state = &self.state;
        let reason = match state.stage {
            Stage::Ended(reason) => reason,
            _ => state.out_of_time(),
        };
        if state.attempt > 1 && reason != Reason::NotRetryable {
            scope::note_repeated();
        }
        report.reason = reason;
        report.attempts = state.attempt;
        report.elapsed = state.span.from;
        report.total = policy.total();
        if reason == Reason::CircuitOpen {
            report.hint = guards.and_then(|guards| guards.retry_after());
        }
        report.struck = if reason.is_deadline() { state.at(state.due).instant() } else { None };
    }

    /// Whether an attempt is running.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state.stage, Stage::Running)
    }

    /// Ready when the wait that was decided is over: whether the next attempt may start.
    #[cold]
    pub(crate) fn poll_start(mut self: Pin<&mut Self>, policy: &Policy, cx: &mut Context<'_>) -> Poll<bool> {
        let attempt = self.state.attempt;
        match self.state.stage {
            Stage::Waiting => ready!(self.as_mut().poll_until(cx)),
            Stage::Next if attempt > 0 => {
                self.project().state.stage = Stage::Yielding;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            _ => {}
        }
        let this = self.project();
        this.timer.forget();
        Poll::Ready(this.state.admit(policy))
    }

    /// Polls the running attempt, then its limit: a value that is there wins.
    #[inline]
    pub(crate) fn poll_running<F: Future>(
        mut self: Pin<&mut Self>,
        attempt: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<F::Output>> {
        let polled = {
            let mut around = Around::nothing();
            self.enter(&mut around);
            let polled = attempt.poll(cx);
            self.as_mut().leave(&around);
            polled
        };
        if let Poll::Ready(output) = polled {
            self.project().state.stage = Stage::Returned;
            return Poll::Ready(Some(output));
        }
        ready!(self.as_mut().poll_until(cx));
        self.project().state.stage = Stage::Cut;
        scope::before_cut();
        Poll::Ready(None)
    }

    /// What follows runs in the running attempt, until `around` is dropped.
    #[inline]
    pub(crate) fn enter(&self, around: &mut Around) {
        around.enter_attempt(&self.state.span, self.state.attempt, self.state.call);
    }

    /// To be called before that.
    #[inline]
    pub(crate) fn leave(self: Pin<&mut Self>, around: &Around) {
        let state = self.project().state;
        around.leave_attempt(&mut state.call, &mut state.inner_repeated);
    }

    /// Ready when the running attempt, or the wait, is to end.
    fn poll_until(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let span = &this.state.span;
        this.timer.poll_until(cx, || span.end().instant())
    }
}

/// Tells the attempt around, if that is what is being cut, that this call was still running after more than one
/// attempt.
impl Drop for State {
    #[inline]
    fn drop(&mut self) {
        if self.attempt > 1 && matches!(self.stage, Stage::Running | Stage::Waiting | Stage::Yielding) {
            scope::note_dropped_after_repeats();
        }
    }
}

impl State {
    fn now(&self) -> u64 {
        nanos(self.span.elapsed())
    }

    fn at(&self, nanos: u64) -> Deadline {
        self.span.at(nanos)
    }

    /// When the call must be over.
    fn deadline(&self, policy: &Policy) -> u64 {
        if self.inherited { self.due.saturating_sub(policy.nanos().margin) } else { self.due }
    }

    /// Until the deadline.
    fn left(&self, policy: &Policy, now: u64) -> u64 {
        match self.deadline(policy) {
            NEVER => NEVER,
            deadline => deadline.saturating_sub(now),
        }
    }

    const fn out_of_time(&self) -> Reason {
        if self.inherited { Reason::InheritedDeadline } else { Reason::TotalElapsed }
    }

    /// Takes over a deadline; the first attempt must be admitted under it.
    fn inherit(&mut self, policy: &Policy, deadline: Deadline) {
        self.attempt = 0;
        self.stage = Stage::Next;
        if let Some(left) = self.span.until(deadline) {
            // Where both are the same, the inherited one is named.
            let left = nanos(left);
            if left.saturating_sub(policy.nanos().margin) <= self.due {
                self.due = left;
                self.inherited = true;
            }
        }
    }

    /// Whether the next attempt may start, after a wait if there was one; ends the call if not.
    fn admit(&mut self, policy: &Policy) -> bool {
        if self.stage == Stage::New {
            self.inherit(policy, scope::deadline());
        }
        if self.stage == Stage::Next {
            return self.admit_at(policy, self.span.from, 0);
        }
        let now = self.now();
        self.admit_at(policy, now, now.saturating_sub(self.span.until).min(TICK))
    }

    #[inline]
    fn admit_at(&mut self, policy: &Policy, now: u64, late: u64) -> bool {
        let left = self.left(policy, now);
        self.span.from = now;
        // The wait was chosen to leave time for this attempt; that its timer was late must not take it away.
        if left == 0 || !policy.fits_nanos(left.saturating_add(late)) {
            self.stage = Stage::Refused;
            return false;
        }
        self.attempt = self.attempt.saturating_add(1);
        self.span.until = now.saturating_add(policy.limit_nanos(self.attempt, self.shortened, left));
        self.inner_repeated = false;
        self.stage = Stage::Running;
        true
    }

    fn record(
        &mut self,
        policy: &Policy,
        guards: Option<&mut dyn Watch>,
        report: &mut Report,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        let now = self.note(policy, report, self.attempt, outcome, hint);
        let decision = match guards {
            None => self.decide(policy, now, outcome, hint),
            Some(guards) => self.decide_guarded(policy, guards, now, outcome, hint),
        };
        match decision {
            Ok(wait) => {
                // A body that fails without an await must not keep the thread to itself, attempt after attempt.
                if wait == 0 && self.attempt % ATTEMPTS_A_TURN != 0 {
                    return self.admit_at(policy, now, 0);
                }
                self.span.until = now.saturating_add(wait);
                self.stage = if wait == 0 { Stage::Next } else { Stage::Waiting };
                true
            }
            Err(reason) => {
                self.stage = Stage::Ended(reason);
                false
            }
        }
    }

    // On its own, so that calls without guards do not pay for it.
    #[cold]
    #[inline(never)]
    fn decide_guarded(
        &mut self,
        policy: &Policy,
        guards: &mut dyn Watch,
        now: u64,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> Result<u64, Reason> {
        guards.judge(self.says(policy, outcome), &Instant::now);
        let wait = self.decide(policy, now, outcome, hint)?;
        guards.reserve(hint.is_some(), &Instant::now).map(|()| wait)
    }

    /// Writes down an attempt that has ended; returns when.
    #[inline]
    fn note(
        &mut self,
        policy: &Policy,
        report: &mut Report,
        attempt: u32,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> u64 {
        let from = self.span.from;
        let now = self.now();
        if outcome == Outcome::Cut && scope::after_cut() {
            self.inner_repeated = true;
        }
        report.hint = hint;
        if outcome.is_retryable() {
            report.says = Says::Failed;
        } else if let Some(says) = self.says(policy, outcome) {
            report.says = report.says.max(says);
        }
        let seen = if outcome.is_cut() {
            report.cut = Some(AttemptTimedOut::new(self.span.length()));
            AttemptOutcome::TimedOut
        } else if outcome == Outcome::Value {
            AttemptOutcome::Value
        } else {
            AttemptOutcome::Failed
        };
        let record = AttemptRecord::new(attempt, from, now.saturating_sub(from), seen);
        report.history.push(record, policy.attempts());
        self.span.from = now;
        now
    }

    /// When the attempt started.
    #[inline]
    fn started(&self) -> Instant {
        if self.span.from == 0 {
            return self.span.origin().unwrap_or_else(Instant::now);
        }
        self.span.at(self.span.from).instant().unwrap_or_else(Instant::now)
    }

    /// What the attempt says about its server; `None`: it answered.
    #[cold]
    #[inline(never)]
    fn says(&self, policy: &Policy, outcome: Outcome) -> Option<Says> {
        match outcome {
            Outcome::Transient | Outcome::Value => Some(Says::Failed),
            Outcome::Final => None,
            Outcome::InnerGaveUp(says @ (Says::Nothing | Says::Failed)) => Some(says),
            // What the inner call was left was a part of this attempt's limit.
            Outcome::InnerGaveUp(Says::Hurried) | Outcome::Cut | Outcome::CutInside => {
                Some(if self.is_hurried(policy) { Says::Hurried } else { Says::Failed })
            }
        }
    }

    /// Whether the attempt's limit was the caller's: its deadline, or a share of the time up to it.
    fn is_hurried(&self, policy: &Policy) -> bool {
        self.inherited && (self.span.until >= self.deadline(policy) || policy.nanos().per_attempt == NEVER)
    }

    /// The wait before another attempt, or why there is none. The order of the reasons is a promise: the first one
    /// that holds is named.
    #[inline(always)]
    fn decide(
        &mut self,
        policy: &Policy,
        now: u64,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> Result<u64, Reason> {
        if !outcome.is_retryable() {
            self.may_go_on(policy, now, outcome)?;
        } else if now >= self.deadline(policy) {
            return Err(self.out_of_time());
        }
        if policy.attempts().is_some_and(|most| self.attempt >= most) {
            return Err(Reason::AttemptsExhausted);
        }
        let (left, hint) = (self.left(policy, now), hint.map_or(0, nanos));
        match policy.next_wait_nanos(self.attempt, left, hint, self.shortened, jitter::draw) {
            NextWait::Whole(wait) => Ok(wait),
            NextWait::Shortened(wait) => {
                self.shortened = true;
                Ok(wait)
            }
            NextWait::HintTooLong => Err(Reason::RetryAfterTooLong),
            NextWait::OutOfTime => Err(self.out_of_time()),
        }
    }

    /// The first reasons to end the call, which hold whatever else might follow.
    #[cold]
    #[inline(never)]
    fn may_go_on(&self, policy: &Policy, now: u64, outcome: Outcome) -> Result<(), Reason> {
        if outcome == Outcome::Final {
            return Err(Reason::NotRetryable);
        }
        if matches!(outcome, Outcome::InnerGaveUp(_)) {
            return Err(Reason::InnerGaveUp);
        }
        let is_cut = outcome.is_cut();
        // An inner call that keeps a margin ends an attempt before its time.
        let reached = if is_cut { now.max(self.span.until) } else { now };
        if reached >= self.deadline(policy) {
            return Err(self.out_of_time());
        }
        if is_cut {
            if self.inner_repeated && policy.nested() == Nested::Stop {
                return Err(Reason::InnerGaveUp);
            }
            if !policy.idempotent() {
                return Err(Reason::AttemptTimedOut);
            }
        }
        Ok(())
    }
}
