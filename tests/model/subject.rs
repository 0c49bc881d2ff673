//! Plays a case with the real thing, under the paused clock, and notes the same as the reference.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::future::pending;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::FutureExt;
use retry_runtime::{
    Attempt as Current, AttemptTimedOut, CircuitBreaker, CircuitState, Deadline, GaveUp, IdempotencyKey,
    Jitter, Nested, Policy, PolicyExt, RetryError, RetryThrottle, StateChange, retry,
};
use tokio::time::{Instant, sleep, timeout};

use crate::case::*;

/// The trace of a case.
pub(crate) fn play(case: &Case) -> Vec<Event> {
    paused(async {
        let world = World::new(case);
        world.turns(case).await;
        world.trace.into_inner()
    })
}

/// Drops the case after `polls` polls: whether it was over by then, and what is wrong.
pub(crate) fn play_for(case: &Case, polls: u32) -> (bool, Vec<String>) {
    paused(async {
        let world = World::new(case);
        let mut left = polls;
        let over = {
            let mut call = pin!(world.turns(case));
            std::future::poll_fn(|cx| {
                if left == 0 {
                    return std::task::Poll::Ready(false);
                }
                left -= 1;
                call.as_mut().poll(cx).map(|_| true)
            })
            .await
        };
        world.check_that_nothing_is_left();
        let before = world.trace.borrow().len();
        sleep(Duration::from_secs(3_600)).await;
        if world.trace.borrow().len() != before {
            world.wrong("something runs on");
        }
        world.check_that_a_slot_is_free();
        let wrong = |event| if let Event::Wrong(text) = event { Some(text) } else { None };
        (over, world.trace.into_inner().into_iter().filter_map(wrong).collect())
    })
}

pub(crate) fn paused<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime of one thread needs nothing")
        .block_on(future)
}

struct World {
    start: Instant,
    trace: RefCell<Vec<Event>>,
    open: Cell<u32>,
    /// By their paths.
    calls: RefCell<HashMap<u64, Seen>>,
    breaker: Option<CircuitBreaker>,
    throttle: Option<RetryThrottle>,
}

thread_local! {
    /// What the breaker has reported and is not in the trace yet.
    static CHANGES: RefCell<Vec<(Instant, StateChange)>> = const { RefCell::new(Vec::new()) };
}

/// What is known of a call.
#[derive(Default)]
struct Seen {
    attempts: u32,
    limit: Duration,
    key: Option<IdempotencyKey>,
}

/// The error of every body, whatever form its call has.
#[derive(Debug)]
enum Failed {
    Plain { id: u64, transient: bool, hint: Option<Duration> },
    Typed(RetryError<Failed>),
    Bare(GaveUp),
}

#[derive(Clone, Debug)]
struct Value {
    id: u64,
    worth_another: bool,
    hint: Option<Duration>,
}

type Answer = Result<Value, Failed>;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed")
    }
}

impl Error for Failed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Plain { .. } => None,
            Self::Typed(error) => Some(error),
            Self::Bare(gave_up) => Some(gave_up),
        }
    }
}

impl From<GaveUp> for Failed {
    fn from(gave_up: GaveUp) -> Self {
        Self::Bare(gave_up)
    }
}

/// An attempt whose future is there.
struct Guard<'w> {
    world: &'w World,
    id: u64,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.world.open.set(self.world.open.get() - 1);
        self.world.note(Event::End { id: self.id, at: self.world.now() });
    }
}

impl World {
    fn new(case: &Case) -> Self {
        CHANGES.take();
        Self {
            start: Instant::now(),
            trace: RefCell::default(),
            open: Cell::new(0),
            calls: RefCell::default(),
            breaker: case.breaker.as_ref().map(breaker),
            throttle: case.throttle.map(throttle),
        }
    }

    /// The breaker of a call that has one.
    fn breaker(&self) -> &CircuitBreaker {
        self.breaker.as_ref().expect("there is a breaker")
    }

    fn throttle(&self) -> &RetryThrottle {
        self.throttle.as_ref().expect("there is a throttle")
    }

    async fn turns(&self, case: &Case) {
        for (turn, path) in case.turns.iter().zip(1..) {
            pause(turn.pause).await;
            match (&self.breaker, turn.by_hand) {
                (Some(breaker), Some(Hand::Open)) => breaker.force_open(),
                (Some(breaker), Some(Hand::Close)) => breaker.force_closed(),
                (Some(breaker), Some(Hand::Reset)) => breaker.reset(),
                _ => {}
            }
            let call = AssertUnwindSafe(self.call(&turn.call, path)).catch_unwind();
            let told = match timeout(micros(turn.cancelled), call).await {
                Ok(Ok(answer)) => tell(&answer),
                Ok(Err(_)) => Told::Panicked,
                Err(_) => Told::Dropped,
            };
            self.answer(path, told);
            self.check_that_nothing_is_left();
        }
    }

    fn answer(&self, path: u64, told: Told) {
        self.note(Event::Answer { path, at: self.now(), told });
        let state = self.breaker.as_ref().map(CircuitBreaker::state);
        let available = self.throttle.as_ref().map(RetryThrottle::available);
        if state.is_some() || available.is_some() {
            self.note(Event::Guards { state, available });
        }
    }

    /// What is open is half-open after so long, and the probes that run are none.
    fn check_that_a_slot_is_free(&self) {
        let Some(breaker) = &self.breaker else { return };
        if breaker.state() != CircuitState::Open && breaker.try_acquire().is_err() {
            self.wrong("the slot of a probe is left");
        }
    }

    fn now(&self) -> i64 {
        nanos(self.start.elapsed())
    }

    fn note(&self, event: Event) {
        let change = |(at, change): (Instant, StateChange)| Event::Change {
            at: nanos(at - self.start),
            from: change.from(),
            to: change.to(),
            by_hand: change.is_by_hand(),
            retry_after: change.retry_after().map(nanos),
        };
        self.trace.borrow_mut().extend(CHANGES.take().into_iter().map(change));
        self.trace.borrow_mut().push(event);
    }

    fn wrong(&self, text: &str) {
        self.note(Event::Wrong(text.to_owned()));
    }

    fn check_that_nothing_is_left(&self) {
        if self.open.get() != 0 {
            self.wrong("an attempt is left");
        }
        if Deadline::current().is_some() || Current::current().is_some() {
            self.wrong("the scope is left");
        }
    }

    /// Asks for the attempt that runs: its limit, and the key that is the same in all attempts of its call.
    fn check_attempt(&self, path: u64) {
        let Some(attempt) = Current::current() else { return self.wrong("not in an attempt") };
        let key = attempt.idempotency_key();
        let mut calls = self.calls.borrow_mut();
        if calls.iter().any(|(other, its)| its.key.is_some_and(|its| (*other == path) != (its == key))) {
            self.wrong("the key is not that of the call");
        }
        let its = calls.entry(path).or_default();
        its.key = Some(key);
        if (attempt.number(), attempt.limit()) != (its.attempts, its.limit) {
            self.wrong("the attempt is another one");
        }
    }

    /// Notes an attempt, without asking for anything that is there only when it is asked for.
    fn start(&self, path: u64) -> u32 {
        let mut calls = self.calls.borrow_mut();
        let its = calls.entry(path).or_default();
        its.attempts += 1;
        its.limit = Deadline::current().map_or(Duration::MAX, Deadline::remaining);
        its.attempts
    }

    async fn attempt(&self, call: &Call, path: u64) -> Answer {
        let number = self.start(path);
        let id = attempt_id(path, number);
        self.open.set(self.open.get() + 1);
        let _guard = Guard { world: self, id };
        let deadline = Deadline::current();
        let limit = deadline.map(|deadline| nanos(deadline.remaining()));
        self.note(Event::Start { id, at: self.now(), limit });

        let script = &call.script[(number as usize - 1).min(call.script.len() - 1)];
        if script.asks_at_once {
            self.check_attempt(path);
        }
        let mut passed_on = None;
        for (index, inner) in script.calls.iter().enumerate() {
            pause(inner.pause).await;
            let path_inside = inner_path(id, index);
            let told;
            (passed_on, told) = self.inner(inner, path, path_inside).await;
            self.answer(path_inside, told);
            if Deadline::current() != deadline {
                self.wrong("the scope of an inner call is left");
            }
        }
        pause(script.pause).await;
        if Deadline::current() != deadline {
            self.wrong("the scope has changed over a pause");
        }
        self.check_attempt(path);
        let value = |worth_another, hint| Ok(Value { id, worth_another, hint });
        match script.end {
            End::Value { worth_another, hint } => value(worth_another, hint.map(micros)),
            End::Error { transient, hint } => Err(Failed::Plain { id, transient, hint: hint.map(micros) }),
            End::PassOn => match passed_on {
                Some(Ok(Value { worth_another, hint, .. })) => value(worth_another, hint),
                Some(Err(error)) => Err(error),
                None => value(false, None),
            },
            End::Hang => pending().await,
            End::Panic => resume_unwind(Box::new("as the script says")),
        }
    }

    /// Makes an inner call of an attempt: what it hands on, and what is to be noted of it.
    async fn inner(&self, inner: &Inner, path: u64, path_inside: u64) -> (Option<Answer>, Told) {
        let within = |after| Deadline::within(micros(after));
        let call = async {
            match inner.scope {
                Scope::Detached if Current::current().is_some() => self.wrong("detached in an attempt"),
                Scope::OfAttempt | Scope::Detached => {}
                Scope::Within(_) | Scope::LimitedTo(_) => self.check_attempt(path),
            }
            self.call(&inner.call, path_inside).await
        };
        let call = async {
            match inner.scope {
                Scope::OfAttempt => Some(call.await),
                Scope::Detached => Some(Deadline::detached(call).await),
                Scope::Within(after) => Some(within(after).scope(call).await),
                Scope::LimitedTo(after) => within(after).limit(call).await.ok(),
            }
        };
        let held = async {
            match inner.held {
                Held::ToItsEnd => call.await,
                Held::DroppedAfter(after) => timeout(micros(after), call).await.ok().flatten(),
                Held::ForgottenAfter(after) => {
                    let mut call = pin!(call);
                    match timeout(micros(after), call.as_mut()).await {
                        Ok(answer) => answer,
                        Err(_) => pending().await,
                    }
                }
            }
        };
        if !inner.caught {
            let answer = held.await;
            let told = answer.as_ref().map_or(Told::Dropped, tell);
            return (answer, told);
        }
        match AssertUnwindSafe(held).catch_unwind().await {
            Ok(answer) => {
                let told = answer.as_ref().map_or(Told::Dropped, tell);
                (answer, told)
            }
            Err(_) => (None, Told::Panicked),
        }
    }

    fn call<'a>(&'a self, call: &'a Call, path: u64) -> Pin<Box<dyn Future<Output = Answer> + 'a>> {
        let guards = (self.breaker.is_some() && call.breaker, self.throttle.is_some() && call.throttle);
        macro_rules! call {
            ($function:ident) => {
                match guards {
                    (false, false) => Box::pin(unguarded::$function(self, call, path).map(answer)),
                    (true, false) => Box::pin(with_breaker::$function(self, call, path).map(answer)),
                    (false, true) => Box::pin(with_throttle::$function(self, call, path).map(answer)),
                    (true, true) => Box::pin(with_both::$function(self, call, path).map(answer)),
                }
            };
        }
        let by_keys = can_be_written_as_keys(call);
        match call.form {
            Form::Run => Box::pin(async move {
                let policy = policy(call);
                let run = policy
                    .run(move || {
                        // What the closure itself does is in the attempt as well.
                        let deadline = Deadline::current();
                        async move {
                            if Deadline::current() != deadline {
                                self.wrong("the operation was called outside of the attempt");
                            }
                            self.attempt(call, path).await
                        }
                    })
                    .when(move |error: &Failed| call.when(error))
                    .when_ok(|value: &Value| value.worth_another)
                    .retry_after(hint);
                match guards {
                    (false, false) => self.run(run, call, path).await,
                    (true, false) => self.run(run.breaker(self.breaker()), call, path).await,
                    (false, true) => self.run(run.throttle(self.throttle()), call, path).await,
                    (true, true) => {
                        self.run(run.throttle(self.throttle()).breaker(self.breaker()), call, path).await
                    }
                }
            }),
            Form::Fallback => call!(fallback),
            Form::TypedKeys if by_keys => call!(typed_by_keys),
            Form::BareKeys if by_keys => call!(bare_by_keys),
            Form::Typed | Form::TypedKeys => call!(typed_by_policy),
            Form::Bare | Form::BareKeys => call!(bare_by_policy),
        }
    }

    async fn run(
        &self,
        run: impl Future<Output = Result<Value, RetryError<Failed>>>,
        call: &Call,
        path: u64,
    ) -> Answer {
        let Some(deadline) = deadline(call) else { return answer(run.await) };
        let in_scope = async {
            if path < 1_000 && Current::current().is_some() {
                self.wrong("an attempt outside of all calls");
            }
            run.await
        };
        answer(deadline.scope(in_scope).await)
    }
}

/// Whatever the form of the call, its answer.
fn answer<E: Into<Failed>>(result: Result<Value, E>) -> Answer {
    result.map_err(Into::into)
}

impl From<RetryError<Failed>> for Failed {
    fn from(error: RetryError<Failed>) -> Self {
        Self::Typed(error)
    }
}

impl Call {
    fn when(&self, error: &Failed) -> bool {
        match error {
            Failed::Plain { transient, .. } => *transient,
            Failed::Typed(_) | Failed::Bare(_) => self.on_give_up,
        }
    }
}

/// The functions, in each form, with what guards them.
macro_rules! functions {
    ($name:ident, |$world:ident| $($guards:tt)*) => {
        mod $name {
            use super::*;

            #[retry(
                $($guards)*
                policy = policy(call),
                deadline = deadline(call),
                when = |error| call.when(error),
                when_ok = |value| value.worth_another,
                retry_after = hint,
                retry_after_ok = |value| value.hint
            )]
            pub(super) async fn typed_by_policy(
                $world: &World,
                call: &Call,
                path: u64,
            ) -> Result<Value, RetryError<Failed>> {
                $world.attempt(call, path).await
            }

            #[retry(
                $($guards)*
                policy = policy(call),
                deadline = deadline(call),
                when = |error| call.when(error),
                when_ok = |value| value.worth_another,
                retry_after = hint,
                retry_after_ok = |value| value.hint
            )]
            pub(super) async fn bare_by_policy($world: &World, call: &Call, path: u64) -> Answer {
                $world.attempt(call, path).await
            }

            #[retry(
                $($guards)*
                policy = policy(call),
                deadline = deadline(call),
                when = |error| call.when(error),
                when_ok = |value| value.worth_another,
                retry_after = hint,
                retry_after_ok = |value| value.hint,
                fallback = |give_up: RetryError<Failed>| Err(Failed::Typed(give_up))
            )]
            pub(super) async fn fallback($world: &World, call: &Call, path: u64) -> Answer {
                $world.attempt(call, path).await
            }

            #[retry(
                $($guards)*
                total = call.total.map(micros),
                per_attempt = if let Limit::Of(limit) = call.per_attempt { Some(micros(limit)) } else { None },
                attempts = call.attempts.unwrap_or(u32::MAX),
                backoff = if let Backoff::Of(wait) = call.backoff { Some(micros(wait)) } else { None },
                factor = call.factor,
                max_backoff = call.max_backoff.map(micros),
                jitter = "none",
                min_attempt = call.min_attempt.map(micros),
                margin = micros(call.margin),
                deadline = deadline(call),
                when = |error| call.when(error),
                when_ok = |value| value.worth_another,
                retry_after = hint,
                retry_after_ok = |value| value.hint
            )]
            pub(super) async fn typed_by_keys(
                $world: &World,
                call: &Call,
                path: u64,
            ) -> Result<Value, RetryError<Failed>> {
                $world.attempt(call, path).await
            }

            #[retry(
                $($guards)*
                total = call.total.map(micros),
                per_attempt = if let Limit::Of(limit) = call.per_attempt { Some(micros(limit)) } else { None },
                attempts = call.attempts.unwrap_or(u32::MAX),
                backoff = if let Backoff::Of(wait) = call.backoff { Some(micros(wait)) } else { None },
                factor = call.factor,
                max_backoff = call.max_backoff.map(micros),
                jitter = "none",
                min_attempt = call.min_attempt.map(micros),
                margin = micros(call.margin),
                deadline = deadline(call),
                when = |error| call.when(error),
                when_ok = |value| value.worth_another,
                retry_after = hint,
                retry_after_ok = |value| value.hint
            )]
            pub(super) async fn bare_by_keys($world: &World, call: &Call, path: u64) -> Answer {
                $world.attempt(call, path).await
            }
        }
    };
}

functions!(unguarded, |world|);
functions!(with_breaker, |world| breaker = world.breaker(),);
functions!(with_throttle, |world| throttle = world.throttle(),);
functions!(with_both, |world| breaker = world.breaker(), throttle = world.throttle(),);

fn breaker(keys: &Breaker) -> CircuitBreaker {
    let open_for = micros(keys.open_for);
    let breaker = match keys.rule {
        Opens::Consecutive { failures } => CircuitBreaker::consecutive(failures, open_for),
        Opens::Rate { percent, minimum_calls, window } => {
            CircuitBreaker::rate(percent, minimum_calls, micros(window), open_for)
        }
    };
    let noted = |change: &StateChange| CHANGES.with_borrow_mut(|all| all.push((Instant::now(), *change)));
    breaker.probes(keys.probes).on_change(noted)
}

fn throttle(keys: Throttle) -> RetryThrottle {
    match keys {
        Throttle::Ratio { percent, min_per_second, window } => {
            let throttle = RetryThrottle::ratio(percent, min_per_second);
            if let Some(window) = window { throttle.window(micros(window)) } else { throttle }
        }
        Throttle::Tokens { capacity, cost, refund, hint_cost } => {
            let throttle = RetryThrottle::tokens(capacity, cost, refund);
            if let Some(cost) = hint_cost { throttle.hint_cost(cost) } else { throttle }
        }
    }
}

/// A `None` of an expression is the default, so what has no other way than a literal goes by `policy`.
fn can_be_written_as_keys(call: &Call) -> bool {
    call.total.is_some()
        && !matches!(call.per_attempt, Limit::None)
        && !matches!(call.backoff, Backoff::None)
        && call.idempotent
        && !call.nested
}

fn policy(call: &Call) -> Policy {
    let nested = if call.nested { Nested::Retry } else { Nested::Stop };
    let mut policy = Policy::builder()
        .factor(call.factor)
        .jitter(Jitter::None)
        .margin(micros(call.margin))
        .idempotent(call.idempotent)
        .nested(nested)
        .max_backoff_if(call.max_backoff.map(micros))
        .min_attempt_if(call.min_attempt.map(micros));
    policy = call.total.map_or(policy.no_total(), |total| policy.total(micros(total)));
    policy = match call.per_attempt {
        Limit::Share => policy.share(),
        Limit::None => policy.no_per_attempt(),
        Limit::Of(limit) => policy.per_attempt(micros(limit)),
    };
    policy = call.attempts.map_or(policy.unlimited_attempts(), |attempts| policy.attempts(attempts));
    policy = match call.backoff {
        Backoff::Default => policy,
        Backoff::None => policy.no_backoff(),
        Backoff::Of(wait) => policy.backoff(micros(wait)),
    };
    policy.trusted()
}

fn deadline(call: &Call) -> Option<Deadline> {
    let after = call.deadline?;
    let (now, far) = (Instant::now(), micros(after.abs()));
    Some(Deadline::at(if after < 0 { now - far } else { now + far }))
}

fn hint(error: &Failed) -> Option<Duration> {
    if let Failed::Plain { hint, .. } = error { *hint } else { None }
}

async fn pause(after: i64) {
    if after > 0 {
        sleep(micros(after)).await;
    }
}

fn micros(micros: i64) -> Duration {
    Duration::from_micros(micros.unsigned_abs())
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

fn tell(answer: &Answer) -> Told {
    match answer {
        Ok(value) => Told::Value(value.id),
        Err(error) => Told::Error(show(error)),
    }
}

fn show(error: &Failed) -> Failure {
    macro_rules! give_up {
        ($error:expr, first: $first:expr, last: $last:expr) => {{
            let error = $error;
            let source = match error.source() {
                None => Source::None,
                Some(source) => match source.downcast_ref::<AttemptTimedOut>() {
                    Some(cut) => Source::CutAt(nanos(cut.limit())),
                    None => Source::LastError,
                },
            };
            let record = |record: &retry_runtime::AttemptRecord| Record {
                number: record.number(),
                start: nanos(record.start()),
                duration: nanos(record.duration()),
                outcome: record.outcome(),
            };
            Failure::GaveUp(Box::new(GiveUp {
                reason: error.reason(),
                attempts: error.attempts(),
                elapsed: nanos(error.elapsed()),
                timed_out: error.timed_out(),
                hint: error.retry_after().map(nanos),
                first: $first,
                last: $last,
                source,
                history: error.history().iter().map(record).collect(),
            }))
        }};
    }
    match error {
        Failed::Plain { id, .. } => Failure::Plain(*id),
        Failed::Typed(error) => give_up!(error, first: error.first().map(show), last: error.last().map(show)),
        Failed::Bare(gave_up) => {
            give_up!(gave_up, first: None, last: gave_up.downcast_last::<Failed>().map(show))
        }
    }
}
