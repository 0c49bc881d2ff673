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
    Attempt as Current, AttemptTimedOut, Deadline, GaveUp, IdempotencyKey, Jitter, Nested, Policy, PolicyExt,
    RetryError, retry,
};
use tokio::time::{Instant, sleep, timeout};

use crate::case::*;

/// The trace of a case, its end, and when that came.
pub(crate) fn play(case: &Case) -> (Vec<Event>, Told, i64) {
    paused(async {
        let world = World::new();
        let call = AssertUnwindSafe(world.call(&case.call, 1)).catch_unwind();
        let told = match timeout(micros(case.cancelled), call).await {
            Ok(Ok(answer)) => tell(&answer),
            Ok(Err(_)) => Told::Panicked,
            Err(_) => Told::Dropped,
        };
        let at = world.now();
        world.check_that_nothing_is_left();
        (world.trace.into_inner(), told, at)
    })
}

/// Drops the case after `polls` polls: whether it was over by then, and what is wrong.
pub(crate) fn play_for(case: &Case, polls: u32) -> (bool, Vec<String>) {
    paused(async {
        let world = World::new();
        let mut left = polls;
        let over = {
            let call = AssertUnwindSafe(world.call(&case.call, 1)).catch_unwind();
            let mut call = pin!(timeout(micros(case.cancelled), call));
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

fn typed(error: RetryError<Failed>) -> Failed {
    Failed::Typed(error)
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
    fn new() -> Self {
        Self {
            start: Instant::now(),
            trace: RefCell::default(),
            open: Cell::new(0),
            calls: RefCell::default(),
        }
    }

    fn now(&self) -> i64 {
        nanos(self.start.elapsed())
    }

    fn note(&self, event: Event) {
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
            self.note(Event::Answer { path: path_inside, at: self.now(), told });
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
                match deadline(call) {
                    Some(deadline) => {
                        let in_scope = async {
                            if path == 1 && Current::current().is_some() {
                                self.wrong("an attempt outside of all calls");
                            }
                            run.await
                        };
                        deadline.scope(in_scope).await.map_err(typed)
                    }
                    None => run.await.map_err(typed),
                }
            }),
            Form::Fallback => Box::pin(with_fallback(self, call, path)),
            Form::TypedKeys if by_keys => Box::pin(typed_by_keys(self, call, path).map(|r| r.map_err(typed))),
            Form::BareKeys if by_keys => Box::pin(bare_by_keys(self, call, path)),
            Form::Typed | Form::TypedKeys => {
                Box::pin(typed_by_policy(self, call, path).map(|r| r.map_err(typed)))
            }
            Form::Bare | Form::BareKeys => Box::pin(bare_by_policy(self, call, path)),
        }
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

#[retry(
    policy = policy(call),
    deadline = deadline(call),
    when = |error| call.when(error),
    when_ok = |value| value.worth_another,
    retry_after = hint,
    retry_after_ok = |value| value.hint
)]
async fn typed_by_policy(world: &World, call: &Call, path: u64) -> Result<Value, RetryError<Failed>> {
    world.attempt(call, path).await
}

#[retry(
    policy = policy(call),
    deadline = deadline(call),
    when = |error| call.when(error),
    when_ok = |value| value.worth_another,
    retry_after = hint,
    retry_after_ok = |value| value.hint
)]
async fn bare_by_policy(world: &World, call: &Call, path: u64) -> Answer {
    world.attempt(call, path).await
}

#[retry(
    policy = policy(call),
    deadline = deadline(call),
    when = |error| call.when(error),
    when_ok = |value| value.worth_another,
    retry_after = hint,
    retry_after_ok = |value| value.hint,
    fallback = |give_up: RetryError<Failed>| Err(typed(give_up))
)]
async fn with_fallback(world: &World, call: &Call, path: u64) -> Answer {
    world.attempt(call, path).await
}

#[retry(
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
async fn typed_by_keys(world: &World, call: &Call, path: u64) -> Result<Value, RetryError<Failed>> {
    world.attempt(call, path).await
}

#[retry(
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
async fn bare_by_keys(world: &World, call: &Call, path: u64) -> Answer {
    world.attempt(call, path).await
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
