//! What follows an attempt, as generated code asks for it: one call, which asks the questions of the attribute in turn.
//!
//! They come as `dyn` closures, so that functions of one return type share this code. In the body of an `async fn`
//! the compiler inlines nothing, and each call that may unwind costs much code there: hence one call, not many.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::time::Duration;

use retry_policy::Policy;

use crate::error::{GaveUp, Journal, Reason, RetryError};
use crate::form::{Bare, Form, Typed, WithFallback};
use crate::log::{Log, Recorder};
use crate::view::Viewer;

/// Whether an error or a value is worth another attempt.
pub(crate) type Ask<'q, X> = &'q mut dyn FnMut(&X) -> bool;

/// After how long the server wants the next attempt.
pub(crate) type Hint<'q, X> = &'q mut dyn FnMut(&X) -> Option<Duration>;

/// How a call ends, or what goes on.
pub(crate) type Next<R, C> = ControlFlow<R, C>;

/// A kind of function whose give-up becomes a result.
pub trait Ending<T, E>: Succeeding<T, E> {
    /// The error of the call.
    fn give_up(journal: Box<Journal<E>>) -> Self::Return;
}

/// [`Ending`] for some types. No other crate can claim it for
/// [`Homeless`](crate::form::Homeless), whose methods have the same names.
pub trait Ends {}

impl Ends for Typed {}

impl Ends for Bare {}

/// A kind of function whose give-up goes to the `fallback`.
pub trait Falling<T, E>: Succeeding<T, E> {
    /// The error of the call, or what the fallback is given.
    fn end(journal: Box<Journal<E>>) -> ControlFlow<Self::Return, RetryError<E>>;
}

/// A kind of function that returns a value of the body.
pub trait Succeeding<T, E> {
    /// The return type.
    type Return;
    /// The value of the call.
    fn ok(value: T) -> Self::Return;
}

impl<T, E> Succeeding<T, E> for Typed {
    type Return = Result<T, RetryError<E>>;
    #[inline]
    fn ok(value: T) -> Self::Return {
        Ok(value)
    }
}

impl<T, E> Ending<T, E> for Typed {
    fn give_up(journal: Box<Journal<E>>) -> Self::Return {
        Err(RetryError::new(journal))
    }
}

impl<T, E> Falling<T, E> for Typed {
    fn end(journal: Box<Journal<E>>) -> ControlFlow<Self::Return, RetryError<E>> {
        let error = RetryError::new(journal);
        if error.reason() == Reason::NotRetryable {
            ControlFlow::Break(Err(error))
        } else {
            ControlFlow::Continue(error)
        }
    }
}

impl<T, E> Succeeding<T, E> for Bare {
    type Return = Result<T, E>;
    #[inline]
    fn ok(value: T) -> Self::Return {
        Ok(value)
    }
}

impl<T, E: From<GaveUp> + Send + Sync + 'static> Ending<T, E> for Bare {
    /// A deterministic failure, and the give-up of an inner call, come back as they were.
    fn give_up(mut journal: Box<Journal<E>>) -> Self::Return {
        let report = journal.report();
        let as_it_was = match report.reason {
            Reason::NotRetryable => true,
            Reason::InnerGaveUp => !report.is_last_cut(),
            _ => false,
        };
        let error = if as_it_was { journal.take_last() } else { None };
        Err(error.unwrap_or_else(|| E::from(GaveUp::from(RetryError::new(journal)))))
    }
}

impl<T, E> Succeeding<T, E> for WithFallback {
    type Return = Result<T, E>;
    #[inline]
    fn ok(value: T) -> Self::Return {
        Ok(value)
    }
}

impl<T, E> Falling<T, E> for WithFallback {
    fn end(mut journal: Box<Journal<E>>) -> ControlFlow<Self::Return, RetryError<E>> {
        let final_error =
            if journal.report().reason == Reason::NotRetryable { journal.take_last() } else { None };
        match final_error {
            Some(error) => ControlFlow::Break(Err(error)),
            None => ControlFlow::Continue(RetryError::new(journal)),
        }
    }
}

/// What is asked about a value.
struct Values<'q, T> {
    kept: &'q mut Option<T>,
    when_ok: Ask<'q, T>,
    hint: Hint<'q, T>,
}

/// The keys about a function: all of them, where not the few that most functions have.
struct Rules<'q, T, E> {
    on: Ask<'q, E>,
    hint: Hint<'q, E>,
    values: Values<'q, T>,
}

/// What follows an attempt.
enum Step<T, E> {
    Again,
    Value(T),
    GaveUp(Box<Journal<E>>),
}

/// Records an attempt without a value: is there another one? `forget` is called where its error takes the place of
/// what came before.
fn failed<E, V: Viewer<E>>(
    policy: &Policy,
    mut call: Pin<&mut impl Recorder>,
    log: &mut Log<E, V>,
    error: Option<E>,
    forget: impl FnOnce(),
    on: Ask<'_, E>,
    hint: Option<Hint<'_, E>>,
) -> bool {
    let Some(error) = error else { return log.cut(policy, call) };
    let inner = call.inner(policy, &error, V::VIEW);
    if inner.is_own_cut() {
        return log.cut_inside(policy, call);
    }
    forget();
    let transient = on(&error);
    let hint = hint.filter(|_| transient).and_then(|hint| hint(&error));
    log.error(policy, call.as_mut(), error, V::VIEW, inner, transient, hint)
}

fn step<T, E, V: Viewer<E>>(
    policy: &Policy,
    mut call: Pin<&mut impl Recorder>,
    log: &mut Log<E, V>,
    outcome: Option<Result<T, E>>,
    rules: Rules<'_, T, E>,
) -> Step<T, E> {
    let Rules { on, hint, values } = rules;
    let again = match outcome {
        Some(Ok(value)) => {
            if !(values.when_ok)(&value) {
                call.succeed();
                return Step::Value(value);
            }
            let hint = (values.hint)(&value);
            *values.kept = Some(value);
            log.value(policy, call.as_mut(), hint)
        }
        Some(Err(error)) => {
            failed(policy, call.as_mut(), log, Some(error), || *values.kept = None, on, Some(hint))
        }
        None => failed(policy, call.as_mut(), log, None, || {}, on, None),
    };
    if again {
        return Step::Again;
    }
    match values.kept.take() {
        Some(value) => Step::Value(value),
        None => Step::GaveUp(log.close(policy, call)),
    }
}

/// The rules of a function with one attempt, whose closures may be used once only.
fn once<T, E, R>(
    on: impl FnOnce(&E) -> bool,
    hint: impl FnOnce(&E) -> Option<Duration>,
    when_ok: impl FnOnce(&T) -> bool,
    hint_ok: impl FnOnce(&T) -> Option<Duration>,
    ask: impl FnOnce(Rules<'_, T, E>) -> R,
) -> R {
    let (mut on, mut hint, mut when_ok, mut hint_ok) = (Some(on), Some(hint), Some(when_ok), Some(hint_ok));
    let mut kept = None;
    ask(Rules {
        on: &mut |error| on.take().is_some_and(|on| on(error)),
        hint: &mut |error| hint.take().and_then(|hint| hint(error)),
        values: Values {
            kept: &mut kept,
            when_ok: &mut |value| when_ok.take().is_some_and(|when_ok| when_ok(value)),
            hint: &mut |value| hint_ok.take().and_then(|hint| hint(value)),
        },
    })
}

/// What [`Form::settle`] does with an attempt without a value.
#[inline]
fn simply_failed<E, C: Recorder, V: Viewer<E>>(
    policy: &Policy,
    call: Pin<&mut C>,
    log: &mut Log<E, V>,
    error: Option<E>,
    on: Ask<'_, E>,
) -> bool {
    failed(policy, call, log, error, || {}, on, None)
}

#[inline(never)]
fn give_up<T, E, C: Recorder, K: Ending<T, E>, V: Viewer<E>>(
    _: Form<T, E, K>,
    policy: &Policy,
    call: Pin<&mut C>,
    log: &mut Log<E, V>,
) -> K::Return {
    K::give_up(log.close(policy, call))
}

// An attempt has ended: does the call end with it, or go on? In all of these, `on` is asked of an error, unless that
// says only that the attempt was cut, and a hint of what is worth another attempt.
impl<T, E, K: Ends + Ending<T, E>> Form<T, E, K> {
    /// With `on` or `when` alone, as most functions have it.
    #[inline(always)]
    pub fn settle<'c, C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        mut call: Pin<&'c mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        on: Ask<'_, E>,
    ) -> Next<K::Return, Pin<&'c mut C>> {
        let error = match outcome {
            Some(Ok(value)) => {
                call.as_mut().succeed();
                return ControlFlow::Break(K::ok(value));
            }
            Some(Err(error)) => Some(error),
            None => None,
        };
        if simply_failed(policy, call.as_mut(), log, error, on) {
            ControlFlow::Continue(call)
        } else {
            ControlFlow::Break(give_up(self, policy, call, log))
        }
    }

    /// With any keys but `fallback`.
    #[allow(clippy::too_many_arguments)] // A struct of them would say less about the types of the closures.
    pub fn settle_with<'c, C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        mut call: Pin<&'c mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        kept: &mut Option<T>,
        on: Ask<'_, E>,
        hint: Hint<'_, E>,
        when_ok: Ask<'_, T>,
        hint_ok: Hint<'_, T>,
    ) -> Next<K::Return, Pin<&'c mut C>> {
        let rules = Rules { on, hint, values: Values { kept, when_ok, hint: hint_ok } };
        match step(policy, call.as_mut(), log, outcome, rules) {
            Step::Again => ControlFlow::Continue(call),
            Step::Value(value) => ControlFlow::Break(K::ok(value)),
            Step::GaveUp(journal) => ControlFlow::Break(K::give_up(journal)),
        }
    }

    /// The attempt was the only one.
    #[inline]
    pub fn settle_last<C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        call: Pin<&mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        on: Ask<'_, E>,
    ) -> K::Return {
        match self.settle(policy, call, outcome, log, on) {
            ControlFlow::Break(result) => result,
            ControlFlow::Continue(call) => K::give_up(log.close(policy, call)),
        }
    }

    /// The attempt was the only one, with any keys but `fallback`.
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn settle_last_with<C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        mut call: Pin<&mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        on: impl FnOnce(&E) -> bool,
        hint: impl FnOnce(&E) -> Option<Duration>,
        when_ok: impl FnOnce(&T) -> bool,
        hint_ok: impl FnOnce(&T) -> Option<Duration>,
    ) -> K::Return {
        let ask = |rules: Rules<'_, T, E>| step(policy, call.as_mut(), log, outcome, rules);
        match once(on, hint, when_ok, hint_ok, ask) {
            Step::Value(value) => K::ok(value),
            Step::GaveUp(journal) => K::give_up(journal),
            Step::Again => K::give_up(log.close(policy, call)),
        }
    }
}

impl<T, E, K: Falling<T, E>> Form<T, E, K> {
    /// With a `fallback`: what it is given, where the call goes on with that.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)] // As above.
    pub fn settle_or<'c, C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        mut call: Pin<&'c mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        kept: &mut Option<T>,
        on: Ask<'_, E>,
        hint: Hint<'_, E>,
        when_ok: Ask<'_, T>,
        hint_ok: Hint<'_, T>,
    ) -> Next<K::Return, (Pin<&'c mut C>, Option<RetryError<E>>)> {
        let rules = Rules { on, hint, values: Values { kept, when_ok, hint: hint_ok } };
        match step(policy, call.as_mut(), log, outcome, rules) {
            Step::Again => ControlFlow::Continue((call, None)),
            Step::Value(value) => ControlFlow::Break(K::ok(value)),
            Step::GaveUp(journal) => K::end(journal).map_continue(|give_up| (call, Some(give_up))),
        }
    }

    /// With a `fallback`, after the only attempt.
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn settle_last_or<'c, C: Recorder, V: Viewer<E>>(
        self,
        policy: &Policy,
        mut call: Pin<&'c mut C>,
        outcome: Option<Result<T, E>>,
        log: &mut Log<E, V>,
        on: impl FnOnce(&E) -> bool,
        hint: impl FnOnce(&E) -> Option<Duration>,
        when_ok: impl FnOnce(&T) -> bool,
        hint_ok: impl FnOnce(&T) -> Option<Duration>,
    ) -> Next<K::Return, (Pin<&'c mut C>, RetryError<E>)> {
        let ask = |rules: Rules<'_, T, E>| step(policy, call.as_mut(), log, outcome, rules);
        let journal = match once(on, hint, when_ok, hint_ok, ask) {
            Step::Value(value) => return ControlFlow::Break(K::ok(value)),
            Step::GaveUp(journal) => journal,
            Step::Again => log.close(policy, call.as_mut()),
        };
        K::end(journal).map_continue(|give_up| (call, give_up))
    }
}
