//! A call with `hedge`: attempts that run beside one another, all in the future of the call.
//!
//! The first one, and every one that starts when none is running, is kept in place; the others are boxed. Each has a
//! limit, a number and a scope of its own, under one deadline and one timer. An outcome is handed out while the
//! others run on; they are dropped when the call ends.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_policy::{NEVER, Policy, nanos};
use tokio::task::coop;
use tokio::time::Instant;

use super::{ATTEMPTS_A_TURN, Inner, Outcome, Session, Stage, State, TICK};
use crate::deadline::{Deadline, Scope};
use crate::error::{Reason, Report};
use crate::guards::{Guard, Now};
use crate::jitter;
use crate::log::Recorder;
use crate::scope::{self, Around, Span};
use crate::view::View;

pin_project! {
    /// One call of an annotated function with `hedge`.
    pub struct Race<G, F> {
        #[pin]
        session: Session,
        guards: G,
        pace: Pace,
        // The attempt that is kept in place.
        #[pin]
        future: Option<F>,
        lane: Lane,
        // Those beside it, in the order of their starts.
        others: Vec<(Lane, Pin<Box<F>>)>,
        // The attempt whose outcome was handed out last.
        ended: u32,
    }
}

/// When the next attempt starts. In nanoseconds, times since the start of the call.
struct Pace {
    /// After the start of the one before it.
    delay: u64,
    /// [`AT_ONCE`], or `NEVER` if none starts any more.
    next: u64,
    /// So many failures are still to be followed by an attempt.
    owed: u32,
    /// What the server has asked for.
    not_before: u64,
    /// It has asked for the next attempt.
    is_hinted: bool,
    /// The next attempt is paid for, or free.
    is_paid: bool,
    /// The last reading of the clock.
    now: u64,
    /// What the timer waits for.
    armed: u64,
    /// Other tasks have had their turn since the last attempt started.
    has_yielded: bool,
    /// The attempt that has used up the task's budget: those after it come first at the next turn.
    hungry: u32,
}

const AT_ONCE: u64 = 0;

/// The guards are not asked again sooner than that.
const SHORTEST: u64 = 1_000_000;

impl Pace {
    const fn new(delay: u64) -> Self {
        Self {
            delay,
            next: AT_ONCE,
            owed: 0,
            not_before: AT_ONCE,
            is_hinted: false,
            is_paid: true,
            now: 0,
            armed: NEVER,
            has_yielded: false,
            hungry: 0,
        }
    }

    /// The next attempt starts as soon as the server allows.
    fn hurry(&mut self) {
        self.next = if self.not_before > self.now { self.not_before } else { AT_ONCE };
    }

    /// The guards have refused an attempt, while others run.
    fn put_off(&mut self) {
        self.is_paid = false;
        self.owed = 0;
        self.next = self.now.saturating_add(self.delay.max(SHORTEST)).max(self.not_before);
    }

    /// No attempt starts any more.
    fn stop(&mut self) {
        self.is_paid = false;
        self.owed = 0;
        self.next = NEVER;
    }

    /// An attempt has started, and it may not be the last one.
    fn started(&mut self, is_last: bool) {
        self.is_paid = false;
        self.is_hinted = false;
        self.has_yielded = false;
        self.owed = self.owed.saturating_sub(1);
        if is_last {
            self.stop();
        } else if self.owed > 0 {
            self.hurry();
        } else {
            self.next = self.now.saturating_add(self.delay).max(self.not_before);
        }
    }
}

/// An attempt.
#[derive(Clone, Copy)]
struct Lane {
    span: Span,
    number: u32,
    inner_repeated: bool,
}

/// What time brings.
enum Event {
    Start,
    Cut,
}

impl<G: Guard, F: Future> Race<G, F> {
    /// Starts the call: reads the clock, and finds the deadline that it inherits.
    #[inline]
    pub fn new(
        policy: &Policy,
        delay: Duration,
        deadline: Option<Deadline>,
        guards: impl FnOnce() -> G,
    ) -> Self {
        let mut session = match deadline {
            None => Session::new(policy),
            Some(deadline) => Session::under(policy, deadline),
        };
        session.state.start_over();
        let lane = Lane { span: session.state.span, number: 0, inner_repeated: false };
        // A policy that is known at run time only may say that no second request must be under way.
        let pace = Pace::new(if policy.idempotent() { nanos(delay) } else { NEVER });
        Self { session, guards: guards(), pace, future: None, lane, others: Vec::new(), ended: 0 }
    }

    /// The outcome of the attempt that ends next; `None`: it was cut, or none was started any more. `make` makes
    /// the future of an attempt.
    #[inline]
    pub fn next<'p, P, M>(self: Pin<&mut Self>, policy: P, make: M) -> NextOutcome<'_, G, F, P, M>
    where
        P: Fn() -> &'p Policy,
        M: FnMut() -> F,
    {
        NextOutcome { race: Some(self), policy, make }
    }

    /// Runs what follows a give-up under the deadline of the call.
    pub fn in_scope<T: Future>(self: Pin<&mut Self>, policy: &Policy, future: T) -> Scope<T> {
        self.session.deadline(policy).scope(future)
    }

    pub(crate) fn poll_next(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        make: &mut impl FnMut() -> F,
        cx: &mut Context<'_>,
    ) -> Poll<Option<F::Output>> {
        loop {
            if let Poll::Ready(output) = self.as_mut().poll_running(cx) {
                return Poll::Ready(Some(output));
            }
            match ready!(self.as_mut().poll_time(cx)) {
                Event::Start if self.as_mut().start(policy, make) => {}
                Event::Start | Event::Cut => return Poll::Ready(None),
            }
        }
    }

    fn is_running(&self) -> bool {
        self.future.is_some() || !self.others.is_empty()
    }

    fn end_others(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.session.project().state.stage = Stage::Returned;
        this.future.set(None);
        this.others.clear();
        if let Some(guards) = this.guards.guards() {
            guards.let_go();
        }
    }

    /// Polls every attempt that runs, the oldest first: a value that is there wins. One that uses up the task's budget
    /// does not come before the others twice.
    fn poll_running(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        let state = this.session.project().state;
        let is_in_place = this.future.is_some();
        let all = this.others.len() + usize::from(is_in_place);
        let place = this.others.partition_point(|(lane, _)| lane.number < this.lane.number);
        let hungry = mem::take(&mut this.pace.hungry);
        let first = this.others.partition_point(|(lane, _)| lane.number <= hungry)
            + usize::from(is_in_place && this.lane.number <= hungry);
        for turn in 0..all {
            let rank = (first + turn) % all;
            let polled = if is_in_place && rank == place {
                let Some(future) = this.future.as_mut().as_pin_mut() else { break };
                let polled = this.lane.poll(state, future, cx);
                if polled.is_ready() {
                    this.future.set(None);
                    *this.ended = state.show(this.lane, Stage::Returned);
                }
                (this.lane.number, polled)
            } else {
                let index = rank - usize::from(is_in_place && rank > place);
                let Some((lane, future)) = this.others.get_mut(index) else { break };
                let (number, polled) = (lane.number, lane.poll(state, future.as_mut(), cx));
                if polled.is_ready() {
                    *this.ended = state.show(lane, Stage::Returned);
                    drop(this.others.remove(index));
                }
                (number, polled)
            };
            match polled {
                (_, Poll::Ready(output)) => return Poll::Ready(output),
                (number, Poll::Pending) if this.pace.hungry == 0 && !coop::has_budget_remaining() => {
                    this.pace.hungry = number;
                }
                _ => {}
            }
        }
        Poll::Pending
    }

    /// Ready when an attempt is to start, or one that ran was cut.
    fn poll_time(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let mut this = self.project();
        let pace = this.pace;
        let mut session = this.session.project();
        if pace.next == AT_ONCE {
            // Attempts that fail without an await must not keep the thread to themselves.
            let started = session.state.attempt;
            if started > 0 && started % ATTEMPTS_A_TURN == 0 && !pace.has_yielded {
                pace.has_yielded = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            return Poll::Ready(Event::Start);
        }
        let in_place = this.future.is_some().then_some(&*this.lane);
        let lanes = in_place.into_iter().chain(this.others.iter().map(|(lane, _)| lane));
        let limit = lanes.map(|lane| lane.span.until).min().unwrap_or(NEVER);
        let at = limit.min(pace.next);
        if at > pace.now {
            if at != pace.armed {
                session.timer.as_mut().forget();
                pace.armed = at;
            }
            let span = session.state.span;
            ready!(session.timer.as_mut().poll_until(cx, || span.at(at).instant()));
            session.timer.as_mut().forget();
            pace.armed = NEVER;
        }
        if limit > at {
            return Poll::Ready(Event::Start);
        }
        // Dropped before anything else happens: what it holds is free.
        scope::before_cut();
        let lane = if this.future.is_some() && this.lane.span.until == limit {
            this.future.set(None);
            *this.lane
        } else {
            match this.others.iter().position(|(lane, _)| lane.span.until == limit) {
                Some(place) => this.others.remove(place).0,
                None => return Poll::Pending,
            }
        };
        *this.ended = session.state.show(&lane, Stage::Cut);
        Poll::Ready(Event::Cut)
    }

    /// Starts the next attempt if it may start, or puts it off while others run. False: none runs, and none starts any
    /// more.
    fn start(mut self: Pin<&mut Self>, policy: &Policy, make: &mut impl FnMut() -> F) -> bool {
        let is_running = self.is_running();
        let mut this = self.as_mut().project();
        let (state, pace) = (this.session.as_mut().project().state, this.pace);
        let mut guards = this.guards.guards();
        let Some(mut lane) = state.next_lane(policy, pace.next) else {
            if let Some(guards) = guards {
                guards.give_back();
            }
            pace.stop();
            if !is_running {
                state.stage = Stage::Refused;
            }
            return is_running;
        };
        pace.now = lane.span.from;
        if let Some(guards) = &mut guards {
            let now: Now<'_> = &|| lane.span.at(lane.span.from).instant().unwrap_or_else(Instant::now);
            let paid = if pace.is_paid { Ok(()) } else { guards.reserve(pace.is_hinted, now) };
            if let Err(reason) = paid.and_then(|()| guards.admit_beside(lane.number, now)) {
                pace.put_off();
                if !is_running {
                    state.span.from = pace.now;
                    state.stage = Stage::Ended(reason);
                }
                return is_running;
            }
        }
        state.attempt = lane.number;
        state.stage = Stage::Running;
        pace.started(policy.attempts().is_some_and(|most| lane.number >= most));
        let future = lane.enter(state, make);
        if this.future.is_none() {
            *this.lane = lane;
            this.future.set(Some(future));
        } else {
            this.others.push((lane, Box::pin(future)));
        }
        true
    }
}

impl<G: Guard, F: Future> Recorder for Race<G, F> {
    fn record(
        self: Pin<&mut Self>,
        policy: &Policy,
        report: &mut Report,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        let is_running = self.is_running();
        let this = self.project();
        let (state, pace) = (this.session.project().state, this.pace);
        let mut guards = this.guards.guards();
        let now = state.note(policy, report, *this.ended, outcome, hint);
        pace.now = now;
        if let Some(guards) = &mut guards {
            guards.choose(*this.ended);
            guards.judge(state.says(policy, outcome), &Instant::now);
        }
        if let Err(reason) = state.may_go_on(policy, now, outcome) {
            // The others have come to their end as well: each is a value that wins, or counts as what it is.
            if reason.is_deadline() && is_running {
                pace.stop();
                state.stage = Stage::Running;
                return true;
            }
            state.stage = Stage::Ended(reason);
            return false;
        }
        state.stage = Stage::Running;
        let left = state.left(policy, now);
        if let Some(hint) = hint.map(nanos).filter(|hint| *hint > 0) {
            pace.is_hinted = true;
            pace.not_before = pace.not_before.max(now.saturating_add(hint));
        }
        // What the server asked for holds, although another attempt has failed since without such a wish.
        let wait = pace.not_before.saturating_sub(now);
        let refused = match state.refuses_another(policy, now, wait) {
            Some(reason) => Some(reason),
            None if pace.is_paid || is_running => None,
            None => {
                let reserved = guards.map_or(Ok(()), |guards| guards.reserve(pace.is_hinted, &Instant::now));
                pace.is_paid = reserved.is_ok();
                reserved.err()
            }
        };
        match refused {
            None => {
                if hint.is_some() && wait > 0 {
                    pace.not_before = now.saturating_add(policy.spread_hint_nanos(wait, left, jitter::draw));
                }
                pace.owed = pace.owed.saturating_add(1);
                if policy.attempts().is_none() {
                    // Without a number that ends it, it must not go on without a pause.
                    pace.not_before = pace.not_before.max(now.saturating_add(pace.delay.max(SHORTEST)));
                }
                pace.hurry();
            }
            Some(reason) if is_running => match reason {
                Reason::Throttled | Reason::CircuitOpen => pace.put_off(),
                _ => pace.stop(),
            },
            Some(reason) => {
                if reason == Reason::RetryAfterTooLong {
                    report.hint = hint.or(Some(Duration::from_nanos(wait)));
                }
                state.stage = Stage::Ended(reason);
            }
        }
        state.stage == Stage::Running
    }

    fn succeed(mut self: Pin<&mut Self>) {
        let this = self.as_mut().project();
        let ended = *this.ended;
        if let Some(guards) = this.guards.guards() {
            guards.choose(ended);
        }
        this.guards.succeed(&Instant::now);
        self.end_others();
    }

    fn inner<E>(&self, policy: &Policy, error: &E, view: View<E>) -> Inner {
        self.session.inner(policy, error, view)
    }

    fn was_cut(&self) -> bool {
        self.session.was_cut()
    }

    fn close(mut self: Pin<&mut Self>, policy: &Policy, report: &mut Report) {
        self.as_mut().close_session(policy, report);
        self.end_others();
    }
}

impl<G: Guard, F: Future> Race<G, F> {
    fn close_session(self: Pin<&mut Self>, policy: &Policy, report: &mut Report) {
        let this = self.project();
        this.session.close(policy, this.guards.guards(), report);
    }
}

impl Lane {
    /// Runs `code` as a part of the attempt.
    fn enter<T>(&mut self, state: &mut State, code: impl FnOnce() -> T) -> T {
        let mut around = Around::nothing();
        around.enter_attempt(&self.span, self.number, state.call);
        let output = code();
        around.leave_attempt(&mut state.call, &mut self.inner_repeated);
        output
    }

    fn poll<F: Future>(
        &mut self,
        state: &mut State,
        future: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<F::Output> {
        self.enter(state, || future.poll(cx))
    }
}

impl State {
    /// No attempt has started yet.
    fn start_over(&mut self) {
        if self.stage == Stage::Running {
            self.attempt = 0;
            self.stage = Stage::Next;
        }
    }

    /// The next attempt, which was to start at `planned`, if there is time for it. A share is what is left.
    fn next_lane(&mut self, policy: &Policy, planned: u64) -> Option<Lane> {
        if self.stage == Stage::New {
            self.inherit(policy, scope::deadline());
        }
        let now = if self.stage == Stage::Next { 0 } else { self.now() };
        let left = self.left(policy, now);
        let late = if planned == AT_ONCE { 0 } else { now.saturating_sub(planned).min(TICK) };
        self.span.from = now;
        if left == 0 || !policy.fits_nanos(left.saturating_add(late)) {
            return None;
        }
        let mut span = self.span;
        span.until = now.saturating_add(left.min(policy.nanos().per_attempt));
        Some(Lane { span, number: self.attempt.saturating_add(1), inner_repeated: false })
    }

    /// The attempt that has ended is the one that questions are about.
    fn show(&mut self, lane: &Lane, stage: Stage) -> u32 {
        self.span = lane.span;
        self.inner_repeated = lane.inner_repeated;
        self.stage = stage;
        lane.number
    }

    /// Why there is no further attempt beside those that run.
    fn refuses_another(&self, policy: &Policy, now: u64, wait: u64) -> Option<Reason> {
        if policy.attempts().is_some_and(|most| self.attempt >= most) {
            return Some(Reason::AttemptsExhausted);
        }
        let left = self.left(policy, now);
        if wait > 0 && !policy.fits_after_nanos(wait, left) {
            return Some(Reason::RetryAfterTooLong);
        }
        (!policy.fits_nanos(left)).then(|| self.out_of_time())
    }
}

pin_project! {
    /// [`Race::next`].
    #[must_use = "futures do nothing unless polled"]
    pub struct NextOutcome<'a, G, F, P, M> {
        // Given back with the outcome.
        race: Option<Pin<&'a mut Race<G, F>>>,
        policy: P,
        make: M,
    }
}

impl<'a, 'p, G, F, P, M> Future for NextOutcome<'a, G, F, P, M>
where
    G: Guard,
    F: Future,
    P: Fn() -> &'p Policy,
    M: FnMut() -> F,
{
    type Output = (Pin<&'a mut Race<G, F>>, Option<F::Output>);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Some(race) = this.race else { return Poll::Pending };
        let outcome = ready!(race.as_mut().poll_next((this.policy)(), this.make, cx));
        match this.race.take() {
            Some(race) => Poll::Ready((race, outcome)),
            None => Poll::Pending,
        }
    }
}
