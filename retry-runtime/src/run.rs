//! `Policy::run`: the same promises for code without the attribute.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_policy::Policy;

use crate::any_error::AnyError;
use crate::breaker::CircuitBreaker;
use crate::call::Call;
use crate::error::RetryError;
use crate::guards::{Guard, IntoGuards, Shared, SharedGuards, Unguarded};
use crate::log::{Log, Recorder};
use crate::session::Race;
use crate::throttle::RetryThrottle;
use crate::view::View;

/// Runs an operation under a [`Policy`], for code that cannot carry the attribute.
pub trait PolicyExt {
    /// Calls `operation` once per attempt, until it succeeds, fails with an error that is not transient, or a limit
    /// of the policy strikes. Without [`Run::when`] every error is transient.
    ///
    /// The operation is a closure that is called again for every attempt, so it cannot lend what it borrows mutably;
    /// a function with the attribute can.
    ///
    /// # Errors
    ///
    /// [`RetryError`], as the typed form of the attribute returns it.
    ///
    /// # Panics
    ///
    /// Where a timer is needed and the tokio runtime has none (`enable_time`), with tokio's message.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the attempt that runs and everything else of the call.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::time::Duration;
    /// use retry_runtime::{Policy, PolicyExt};
    ///
    /// const PATIENT: Policy = Policy::builder().total(Duration::from_secs(30)).attempts(5).build();
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let calls = Cell::new(0);
    /// let value = PATIENT
    ///     .run(async || {
    ///         calls.set(calls.get() + 1);
    ///         if calls.get() < 3 { Err(std::fmt::Error) } else { Ok("there") }
    ///     })
    ///     .when(|_: &std::fmt::Error| true)
    ///     .await;
    /// assert_eq!(value.unwrap(), "there");
    /// assert_eq!(calls.get(), 3);
    /// # });
    /// ```
    fn run<Op, Fut, T, E>(&self, operation: Op) -> Run<Op, Fut, T, E>
    where
        Op: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: BodyError;
}

impl PolicyExt for Policy {
    fn run<Op, Fut, T, E>(&self, operation: Op) -> Run<Op, Fut, T, E>
    where
        Op: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        E: BodyError,
    {
        Run {
            policy: *self,
            operation,
            when: Always,
            when_ok: Never,
            retry_after: NoHint,
            log: Some(Log::EMPTY),
            kept: None,
            guards: Some(Unguarded),
            hedge: None,
            driver: Driver::None,
        }
    }
}

/// The errors that [`PolicyExt::run`] takes: every `std::error::Error`, and [`AnyError`] for the rest.
///
/// `async || Ok::<_, AnyError>(f().await?)` runs an operation whose error is no `std::error::Error`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `std::error::Error`: let the operation return `Result<_, AnyError>`",
    label = "the error of the operation"
)]
pub trait BodyError: Sized {
    #[doc(hidden)]
    fn __retry_body_view() -> View<Self>;
}

impl<E: Error + 'static> BodyError for E {
    fn __retry_body_view() -> View<Self> {
        View::of_error()
    }
}

impl BodyError for AnyError {
    fn __retry_body_view() -> View<Self> {
        View::of_opaque()
    }
}

/// Every error is transient: [`Run`] without [`Run::when`].
#[derive(Clone, Copy, Debug)]
pub struct Always;

/// No value is worth another attempt: [`Run`] without [`Run::when_ok`].
#[derive(Clone, Copy, Debug)]
pub struct Never;

/// The server gives no hint: [`Run`] without [`Run::retry_after`].
#[derive(Clone, Copy, Debug)]
pub struct NoHint;

/// A question about an error or a value: a closure, or the answer for all.
pub trait Predicate<X> {
    #[doc(hidden)]
    fn __retry_ask(&mut self, about: &X) -> bool;
}

impl<X, F: FnMut(&X) -> bool> Predicate<X> for F {
    fn __retry_ask(&mut self, about: &X) -> bool {
        self(about)
    }
}

impl<X> Predicate<X> for Always {
    fn __retry_ask(&mut self, _: &X) -> bool {
        true
    }
}

impl<X> Predicate<X> for Never {
    fn __retry_ask(&mut self, _: &X) -> bool {
        false
    }
}

/// The wait that an error asks for: a closure, or none for all.
pub trait Hint<E> {
    #[doc(hidden)]
    fn __retry_hint(&mut self, error: &E) -> Option<Duration>;
}

impl<E, F: FnMut(&E) -> Option<Duration>> Hint<E> for F {
    fn __retry_hint(&mut self, error: &E) -> Option<Duration> {
        self(error)
    }
}

impl<E> Hint<E> for NoHint {
    fn __retry_hint(&mut self, _: &E) -> Option<Duration> {
        None
    }
}

pin_project! {
    /// An operation that runs under a policy: [`PolicyExt::run`].
    #[must_use = "futures do nothing unless polled"]
    pub struct Run<Op, Fut, T, E, W = Always, O = Never, H = NoHint, G = Unguarded> {
        policy: Policy,
        operation: Op,
        when: W,
        when_ok: O,
        retry_after: H,
        // Taken when the call ends.
        log: Option<Log<E>>,
        // The last value that is worth another attempt.
        kept: Option<T>,
        // Taken by the call.
        guards: Option<G>,
        hedge: Option<Duration>,
        // Made at the first poll: the clock starts there.
        #[pin]
        driver: Driver<G, Fut>,
    }
}

/// What a setter changes.
struct Asked<W, O, H, G> {
    when: W,
    when_ok: O,
    retry_after: H,
    guards: Option<G>,
}

pin_project! {
    #[project = Driving]
    enum Driver<G, Fut> {
        None,
        InTurn {
            #[pin]
            call: Call<G>,
            // None between the attempts.
            #[pin]
            attempt: Option<Fut>,
        },
        Beside {
            #[pin]
            race: Race<G, Fut>,
        },
    }
}

impl<Op, Fut, T, E, W, O, H, G> Run<Op, Fut, T, E, W, O, H, G> {
    /// Only errors for which `predicate` holds are transient; the others end the call at once, as
    /// [`Reason::NotRetryable`](crate::Reason::NotRetryable). Default: every error is transient.
    pub fn when<F: FnMut(&E) -> bool>(self, predicate: F) -> Run<Op, Fut, T, E, F, O, H, G> {
        self.with(|asked| Asked {
            when: predicate,
            when_ok: asked.when_ok,
            retry_after: asked.retry_after,
            guards: asked.guards,
        })
    }

    /// Values for which `predicate` holds are worth another attempt, like a response that says "busy". The last
    /// one comes back as the result when the call ends. Default: none is.
    pub fn when_ok<F: FnMut(&T) -> bool>(self, predicate: F) -> Run<Op, Fut, T, E, W, F, H, G> {
        self.with(|asked| Asked {
            when: asked.when,
            when_ok: predicate,
            retry_after: asked.retry_after,
            guards: asked.guards,
        })
    }

    /// The wait that the server asked for with a transient error: never shortened. Default: none.
    pub fn retry_after<F: FnMut(&E) -> Option<Duration>>(self, hint: F) -> Run<Op, Fut, T, E, W, O, F, G> {
        self.with(|asked| Asked {
            when: asked.when,
            when_ok: asked.when_ok,
            retry_after: hint,
            guards: asked.guards,
        })
    }

    /// Attempts pass through a [`CircuitBreaker`]: a static, a reference or an [`Arc`](std::sync::Arc). Default: none.
    pub fn breaker<'g>(
        self,
        breaker: impl Into<Shared<'g, CircuitBreaker>>,
    ) -> Run<Op, Fut, T, E, W, O, H, SharedGuards<'g>>
    where
        G: IntoGuards<'g>,
    {
        self.guarded(|guards| guards.set_breaker(breaker.into()))
    }

    /// Retries are paid for from a [`RetryThrottle`]: a static, a reference or an [`Arc`](std::sync::Arc). Default:
    /// none.
    pub fn throttle<'g>(
        self,
        throttle: impl Into<Shared<'g, RetryThrottle>>,
    ) -> Run<Op, Fut, T, E, W, O, H, SharedGuards<'g>>
    where
        G: IntoGuards<'g>,
    {
        self.guarded(|guards| guards.set_throttle(throttle.into()))
    }

    /// When an attempt has not answered after `delay`, the next one starts beside it, up to the policy's `attempts`; the
    /// first success or final error wins, the others are dropped. A transient failure starts the next one at once, so
    /// the policy's waits do not apply, and a share is all the time that is left. Default: one attempt at a time.
    ///
    /// Only for what may be done twice at a time: an idempotent request.
    pub fn hedge(mut self, delay: Duration) -> Self {
        self.hedge = Some(delay);
        self
    }

    fn guarded<'g>(
        self,
        add: impl FnOnce(&mut SharedGuards<'g>),
    ) -> Run<Op, Fut, T, E, W, O, H, SharedGuards<'g>>
    where
        G: IntoGuards<'g>,
    {
        self.with(|asked| {
            let mut guards = match asked.guards {
                Some(guards) => guards.__retry_into_guards(),
                None => Unguarded.__retry_into_guards(),
            };
            add(&mut guards);
            Asked {
                when: asked.when,
                when_ok: asked.when_ok,
                retry_after: asked.retry_after,
                guards: Some(guards),
            }
        })
    }

    fn with<W2, O2, H2, G2>(
        self,
        change: impl FnOnce(Asked<W, O, H, G>) -> Asked<W2, O2, H2, G2>,
    ) -> Run<Op, Fut, T, E, W2, O2, H2, G2> {
        let Self { policy, operation, log, kept, hedge, when, when_ok, retry_after, guards, driver: _ } =
            self;
        let Asked { when, when_ok, retry_after, guards } =
            change(Asked { when, when_ok, retry_after, guards });
        let driver = Driver::None;
        Run { policy, operation, log, kept, hedge, when, when_ok, retry_after, guards, driver }
    }
}

impl<Op, Fut, T, E, W, O, H, G> Future for Run<Op, Fut, T, E, W, O, H, G>
where
    G: Guard,
    Op: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: BodyError,
    W: Predicate<E>,
    O: Predicate<T>,
    H: Hint<E>,
{
    type Output = Result<T, RetryError<E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let policy = &*this.policy;
        if let Some(guards) = this.guards.take() {
            this.driver.set(match *this.hedge {
                None => Driver::InTurn { call: Call::new(policy, None, || guards), attempt: None },
                Some(delay) => Driver::Beside { race: Race::new(policy, delay, None, || guards) },
            });
        }
        loop {
            let Some(log) = this.log else { panic!("`Run` polled after completion") };
            let questions = Questions {
                policy,
                log,
                kept: &mut *this.kept,
                when: &mut *this.when,
                when_ok: &mut *this.when_ok,
                retry_after: &mut *this.retry_after,
            };
            let end = match this.driver.as_mut().project() {
                Driving::None => panic!("`Run` polled after completion"),
                Driving::InTurn { mut call, mut attempt } => {
                    if attempt.is_none() && ready!(call.as_mut().poll_admitted(policy, cx)) {
                        let next = call.as_mut().inside(&mut *this.operation);
                        attempt.set(Some(next));
                    }
                    let outcome = match attempt.as_mut().as_pin_mut() {
                        Some(attempt) => ready!(call.as_mut().poll_attempt(policy, attempt, cx)),
                        None => None,
                    };
                    attempt.set(None);
                    questions.end(call, outcome)
                }
                Driving::Beside { mut race } => {
                    let outcome = ready!(race.as_mut().poll_next(policy, &mut *this.operation, cx));
                    questions.end(race, outcome)
                }
            };
            if let Some(result) = end {
                this.driver.set(Driver::None);
                *this.log = None;
                return Poll::Ready(result);
            }
        }
    }
}

/// What is asked about an outcome.
struct Questions<'a, T, E, W, O, H> {
    policy: &'a Policy,
    log: &'a mut Log<E>,
    kept: &'a mut Option<T>,
    when: &'a mut W,
    when_ok: &'a mut O,
    retry_after: &'a mut H,
}

impl<T, E: BodyError, W: Predicate<E>, O: Predicate<T>, H: Hint<E>> Questions<'_, T, E, W, O, H> {
    /// How the call ends with this outcome, unless it goes on.
    fn end(
        self,
        mut call: Pin<&mut impl Recorder>,
        outcome: Option<Result<T, E>>,
    ) -> Option<Result<T, RetryError<E>>> {
        let Self { policy, log, kept, when, when_ok, retry_after } = self;
        let again = match outcome {
            Some(Ok(value)) => {
                if !when_ok.__retry_ask(&value) {
                    call.succeed();
                    return Some(Ok(value));
                }
                *kept = Some(value);
                log.value(policy, call.as_mut(), None)
            }
            Some(Err(error)) => {
                let view = E::__retry_body_view();
                let inner = call.inner(policy, &error, view);
                if inner.is_own_cut() {
                    log.cut_inside(policy, call.as_mut())
                } else {
                    *kept = None;
                    let transient = when.__retry_ask(&error);
                    let hint = if transient { retry_after.__retry_hint(&error) } else { None };
                    log.error(policy, call.as_mut(), error, view, inner, transient, hint)
                }
            }
            None => log.cut(policy, call.as_mut()),
        };
        if again {
            return None;
        }
        Some(match kept.take() {
            Some(value) => Ok(value),
            None => Err(RetryError::new(log.close(policy, call))),
        })
    }
}
