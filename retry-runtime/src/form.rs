//! The return types of annotated functions: what the body yields, and how a give-up becomes a value of it.
//!
//! The macro reads no type name. It hands the whole return type to a [`Probe`]; the number of references that the
//! method call must take off chooses the form, so that aliases work, and a type that has no form gets one error, in
//! our words, at the return type.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::time::Duration;

use retry_policy::Policy;

use crate::error::{GaveUp, Reason, RetryError};
use crate::log::{Log, Recorder};
use crate::view::ErrorType;

/// Stands for a return type.
pub struct Probe<R>(PhantomData<fn() -> R>);

impl<R> Probe<R> {
    /// Asks for the form of `R`.
    #[must_use]
    #[inline]
    #[allow(clippy::new_without_default)] // Only generated code names it.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A form: a body that yields `Result<T, E>`, in a function whose kind is `K`.
pub struct Form<T, E, K>(PhantomData<fn() -> Result<T, E>>, PhantomData<K>);

impl<T, E, K> Clone for Form<T, E, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, E, K> Copy for Form<T, E, K> {}

/// Returns `Result<T, RetryError<E>>`.
pub enum Typed {}
/// Returns `Result<T, E>`, where `E` takes a give-up.
pub enum Bare {}
/// Returns `Result<T, E>`, where `E` takes none.
pub enum Homeless {}
/// Returns `Result<T, E>`; give-ups go to the `fallback`.
pub enum WithFallback {}

/// `Result<T, RetryError<E>>`.
pub trait TypedForm {
    /// The form.
    type Form;
    /// The form.
    fn __retry_form(&self) -> Self::Form;
    /// The form where a `fallback` is given.
    fn __retry_fallback_form(&self) -> Self::Form;
}

impl<T, E> TypedForm for &&&Probe<Result<T, RetryError<E>>> {
    type Form = Form<T, E, Typed>;
    #[inline]
    fn __retry_form(&self) -> Self::Form {
        Form(PhantomData, PhantomData)
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Self::Form {
        Form(PhantomData, PhantomData)
    }
}

/// `Result<T, E>`, `E` takes a give-up.
pub trait BareForm {
    /// The type of a value.
    type Value;
    /// The type of an error.
    type Error;
    /// The form.
    fn __retry_form(&self) -> Form<Self::Value, Self::Error, Bare>;
    /// The form where a `fallback` is given.
    fn __retry_fallback_form(&self) -> Form<Self::Value, Self::Error, WithFallback>;
}

impl<T, E: From<GaveUp> + Send + Sync + 'static> BareForm for &&Probe<Result<T, E>> {
    type Value = T;
    type Error = E;
    #[inline]
    fn __retry_form(&self) -> Form<T, E, Bare> {
        Form(PhantomData, PhantomData)
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Form<T, E, WithFallback> {
        Form(PhantomData, PhantomData)
    }
}

/// `Result<T, E>`, `E` takes no give-up.
pub trait HomelessForm {
    /// The type of a value.
    type Value;
    /// The type of an error.
    type Error;
    /// The form: an error where a give-up is to be returned.
    fn __retry_form(&self) -> Form<Self::Value, Self::Error, Homeless>;
    /// The form where a `fallback` is given.
    fn __retry_fallback_form(&self) -> Form<Self::Value, Self::Error, WithFallback>;
}

impl<T, E> HomelessForm for &Probe<Result<T, E>> {
    type Value = T;
    type Error = E;
    #[inline]
    fn __retry_form(&self) -> Form<T, E, Homeless> {
        Form(PhantomData, PhantomData)
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Form<T, E, WithFallback> {
        Form(PhantomData, PhantomData)
    }
}

/// Anything else.
pub trait OtherForm {
    /// The return type.
    type Return;
    /// The form: an error where it is used.
    fn __retry_form(&self) -> Other<Self::Return>;
    /// The form where a `fallback` is given.
    fn __retry_fallback_form(&self) -> Other<Self::Return>;
}

impl<R> OtherForm for Probe<R> {
    type Return = R;
    fn __retry_form(&self) -> Other<R> {
        Other(PhantomData)
    }
    fn __retry_fallback_form(&self) -> Other<R> {
        Other(PhantomData)
    }
}

/// The type of an error that a function without `Result` cannot return.
pub struct NoError(Infallible);

/// A type, without a value of it. Not `Copy`, so that an attempt captures it by value: that takes no room.
pub struct AttemptType<R>(PhantomData<fn() -> R>);

impl<R> AttemptType<R> {
    /// What is returned where the type must be known; never run.
    pub fn never(self) -> R {
        unreachable!("only the type of it is used")
    }
}

impl<T, E, K> Form<T, E, K> {
    /// The type of what the body yields.
    #[inline]
    pub fn attempt_type(self) -> AttemptType<Result<T, E>> {
        AttemptType(PhantomData)
    }

    fn never(self) -> Result<T, E> {
        self.attempt_type().never()
    }

    /// An empty log.
    #[inline]
    pub fn log(self) -> Log<E> {
        Log::EMPTY
    }

    /// What the body yielded.
    #[inline]
    pub fn split(self, outcome: Option<Result<T, E>>) -> Option<Result<T, E>> {
        outcome
    }

    /// Asks for the view of the error type.
    #[inline]
    pub fn errors(self) -> ErrorType<E> {
        ErrorType::NEW
    }

    /// What a pattern in `on` is matched against.
    #[inline]
    pub fn seen(self, error: &E) -> &E {
        error
    }

    /// The key `when`.
    pub fn when(self, error: &E, predicate: impl FnOnce(&E) -> bool) -> bool {
        predicate(error)
    }

    /// The key `when_ok`.
    #[inline]
    pub fn when_ok(self, value: &T, predicate: impl FnOnce(&T) -> bool) -> bool {
        predicate(value)
    }

    /// The key `retry_after`.
    pub fn retry_after(self, error: &E, hint: impl FnOnce(&E) -> Option<Duration>) -> Option<Duration> {
        hint(error)
    }

    /// The key `retry_after_ok`.
    pub fn retry_after_ok(self, value: &T, hint: impl FnOnce(&T) -> Option<Duration>) -> Option<Duration> {
        hint(value)
    }
}

impl<T, E> Form<T, E, Typed> {
    /// The value of the call.
    #[inline]
    pub fn ok(self, value: T) -> Result<T, RetryError<E>> {
        Ok(value)
    }

    /// The error of the call.
    pub fn give_up(
        self,
        policy: &Policy,
        call: Pin<&mut impl Recorder>,
        log: &mut Log<E>,
    ) -> Result<T, RetryError<E>> {
        Err(RetryError::new(log.close(policy, call)))
    }

    /// The error of the call, or what the fallback is given.
    pub fn end(
        self,
        policy: &Policy,
        call: Pin<&mut impl Recorder>,
        log: &mut Log<E>,
    ) -> ControlFlow<Result<T, RetryError<E>>, RetryError<E>> {
        let error = RetryError::new(log.close(policy, call));
        if error.reason() == Reason::NotRetryable {
            ControlFlow::Break(Err(error))
        } else {
            ControlFlow::Continue(error)
        }
    }

    /// The key `fallback`.
    pub fn fallback(
        self,
        give_up: RetryError<E>,
        fallback: impl FnOnce(RetryError<E>) -> Result<T, RetryError<E>>,
    ) -> Result<T, RetryError<E>> {
        fallback(give_up)
    }
}

impl<T, E: From<GaveUp> + Send + Sync + 'static> Form<T, E, Bare> {
    /// The value of the call.
    #[inline]
    pub fn ok(self, value: T) -> Result<T, E> {
        Ok(value)
    }

    /// The error of the call: a deterministic failure, and the give-up of an inner call, come back as they were.
    pub fn give_up(self, policy: &Policy, call: Pin<&mut impl Recorder>, log: &mut Log<E>) -> Result<T, E> {
        let mut journal = log.close(policy, call);
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

impl<T, E> Form<T, E, Homeless> {
    /// The value of the call.
    #[inline]
    pub fn ok(self, value: T) -> Result<T, E> {
        Ok(value)
    }

    /// A compile error: there is no way to make one.
    pub fn give_up(self, _: &Policy, _: Pin<&mut impl Recorder>, _: &mut Log<E>) -> Result<T, E>
    where
        (): PlaceForGiveUp<E>,
    {
        self.never()
    }
}

impl<T, E> Form<T, E, WithFallback> {
    /// The value of the call.
    #[inline]
    pub fn ok(self, value: T) -> Result<T, E> {
        Ok(value)
    }

    /// The error of the call, or what the fallback is given.
    pub fn end(
        self,
        policy: &Policy,
        call: Pin<&mut impl Recorder>,
        log: &mut Log<E>,
    ) -> ControlFlow<Result<T, E>, RetryError<E>> {
        let mut journal = log.close(policy, call);
        let final_error =
            if journal.report().reason == Reason::NotRetryable { journal.take_last() } else { None };
        match final_error {
            Some(error) => ControlFlow::Break(Err(error)),
            None => ControlFlow::Continue(RetryError::new(journal)),
        }
    }

    /// The key `fallback`.
    pub fn fallback(
        self,
        give_up: RetryError<E>,
        fallback: impl FnOnce(RetryError<E>) -> Result<T, E>,
    ) -> Result<T, E> {
        fallback(give_up)
    }
}

/// The form of a return type that is no `Result`: everything it is asked fits, so that there is one error only.
pub struct Other<R>(PhantomData<fn() -> R>);

impl<R> Clone for Other<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Other<R> {}

#[allow(missing_docs)] // As in `Form`.
impl<R> Other<R> {
    pub fn attempt_type(self) -> AttemptType<R> {
        AttemptType(PhantomData)
    }

    fn never(self) -> R {
        self.attempt_type().never()
    }

    pub fn log(self) -> Log<NoError>
    where
        (): IsResult<R>,
    {
        Log::EMPTY
    }

    pub fn split(self, outcome: Option<R>) -> Option<Result<R, NoError>> {
        outcome.map(Ok)
    }

    pub fn errors(self) -> ErrorType<NoError> {
        ErrorType::NEW
    }

    pub fn seen<E>(self, error: &NoError) -> &E {
        match error.0 {}
    }

    pub fn when<F>(self, error: &NoError, _: F) -> bool {
        match error.0 {}
    }

    pub fn when_ok<F>(self, _: &R, _: F) -> bool {
        false
    }

    pub fn retry_after<F>(self, error: &NoError, _: F) -> Option<Duration> {
        match error.0 {}
    }

    pub fn retry_after_ok<F>(self, _: &R, _: F) -> Option<Duration> {
        None
    }

    pub fn ok(self, value: R) -> R {
        value
    }

    pub fn give_up(self, _: &Policy, _: Pin<&mut impl Recorder>, _: &mut Log<NoError>) -> R {
        self.never()
    }

    pub fn end(
        self,
        _: &Policy,
        _: Pin<&mut impl Recorder>,
        _: &mut Log<NoError>,
    ) -> ControlFlow<R, NoError> {
        ControlFlow::Break(self.never())
    }

    pub fn fallback<F>(self, _: NoError, _: F) -> R {
        self.never()
    }
}

/// Implemented by no type: `Result` has a form. Not a trait of `R`, or the compiler would advise a bound on it.
#[diagnostic::on_unimplemented(
    message = "`#[retry]` needs a function that returns a `Result`: an attempt is repeated only when it returns `Err`",
    label = "`{R}` is no `Result`",
    note = "in an annotated `impl` block, `#[retry(skip)]` leaves a method alone"
)]
pub trait IsResult<R> {}

/// Implemented by no type: what has a place has the bare form. Not a trait of `E`, or the compiler would advise a bound
/// on it.
#[diagnostic::on_unimplemented(
    message = "`{E}` has no place for a give-up: add a variant `GaveUp(#[from] retry_runtime::GaveUp)` to it, or return `RetryError<{E}>`, or give a `fallback`",
    label = "`From<GaveUp> + Send + Sync + 'static` is asked of this error type",
    note = "an opaque error takes one where it is `Send + Sync`, as `anyhow::Error` and `Box<dyn Error + Send + Sync>` are"
)]
pub trait PlaceForGiveUp<E> {}
