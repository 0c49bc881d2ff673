//! The return types of annotated functions: what the body yields, and how a give-up becomes a value of it.
//!
//! The macro reads no type name. It hands the whole return type to a [`Probe`]; the number of references that the
//! method call must take off chooses the form, so that aliases work, and a type that has no form gets one error, in
//! our words, at the return type.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use retry_policy::Policy;

use crate::error::{GaveUp, RetryError};
use crate::log::Log;
use crate::settle::{Ask, Hint, Next};
use crate::view::ErrorType;

/// Stands for a return type.
pub struct Probe<R>(PhantomData<fn() -> R>);

impl<R> Probe<R> {
    /// Asks for the form of `R`.
    pub const NEW: Self = Self(PhantomData);
}

/// A form: a body that yields `Result<T, E>`, in a function whose kind is `K`.
pub struct Form<T, E, K> {
    /// What an [`AttemptType`] is made of. Fields, not methods: each call costs code in every function.
    pub attempt: PhantomData<fn() -> Result<T, E>>,
    /// Asks for the view of the error type.
    pub errors: ErrorType<E>,
    kind: PhantomData<K>,
}

impl<T, E, K> Form<T, E, K> {
    const NEW: Self = Self { attempt: PhantomData, errors: ErrorType::NEW, kind: PhantomData };
}

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
        Form::NEW
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Self::Form {
        Form::NEW
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
        Form::NEW
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Form<T, E, WithFallback> {
        Form::NEW
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
        Form::NEW
    }
    #[inline]
    fn __retry_fallback_form(&self) -> Form<T, E, WithFallback> {
        Form::NEW
    }
}

/// Anything else.
pub trait OtherForm {
    /// The return type.
    type Return;
    /// The form: a compile error, as there is none.
    fn __retry_form(&self) -> Other<Self::Return>
    where
        (): IsResult<Self::Return>;
    /// The form where a `fallback` is given.
    fn __retry_fallback_form(&self) -> Other<Self::Return>
    where
        (): IsResult<Self::Return>;
}

impl<R> OtherForm for Probe<R> {
    type Return = R;
    fn __retry_form(&self) -> Other<R>
    where
        (): IsResult<R>,
    {
        Other::NEW
    }
    fn __retry_fallback_form(&self) -> Other<R>
    where
        (): IsResult<R>,
    {
        Other::NEW
    }
}

/// The type of an error that a function without `Result` cannot return.
pub struct NoError(Infallible);

/// A type, without a value of it. Not `Copy`, so that an attempt captures it by value: that takes no room.
pub struct AttemptType<R>(pub PhantomData<fn() -> R>);

impl<R> AttemptType<R> {
    /// What is returned where the type must be known; never run.
    pub fn never(self) -> R {
        unreachable!("only the type of it is used")
    }
}

impl<T, E, K> Form<T, E, K> {
    pub(crate) fn never<X>(self) -> X {
        unreachable!("it does not compile")
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
    /// The key `fallback`.
    pub fn fallback(
        self,
        give_up: RetryError<E>,
        fallback: impl FnOnce(RetryError<E>) -> Result<T, RetryError<E>>,
    ) -> Result<T, RetryError<E>> {
        fallback(give_up)
    }
}

/// A compile error: there is no way to make a give-up.
#[allow(missing_docs, clippy::too_many_arguments)] // As in `settle`.
impl<T, E> Form<T, E, Homeless> {
    pub fn settle<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<Result<T, E>>,
        _: &mut Log<E, V>,
        _: Ask<'_, E>,
    ) -> Next<Result<T, E>, Pin<&'c mut C>>
    where
        (): PlaceForGiveUp<E>,
    {
        self.never()
    }

    pub fn settle_with<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<Result<T, E>>,
        _: &mut Log<E, V>,
        _: &mut Option<T>,
        _: Ask<'_, E>,
        _: Hint<'_, E>,
        _: Ask<'_, T>,
        _: Hint<'_, T>,
    ) -> Next<Result<T, E>, Pin<&'c mut C>>
    where
        (): PlaceForGiveUp<E>,
    {
        self.never()
    }

    pub fn settle_last<C, V>(
        self,
        _: &Policy,
        _: Pin<&mut C>,
        _: Option<Result<T, E>>,
        _: &mut Log<E, V>,
        _: Ask<'_, E>,
    ) -> Result<T, E>
    where
        (): PlaceForGiveUp<E>,
    {
        self.never()
    }

    pub fn settle_last_with<C, V>(
        self,
        _: &Policy,
        _: Pin<&mut C>,
        _: Option<Result<T, E>>,
        _: &mut Log<E, V>,
        _: impl FnOnce(&E) -> bool,
        _: impl FnOnce(&E) -> Option<Duration>,
        _: impl FnOnce(&T) -> bool,
        _: impl FnOnce(&T) -> Option<Duration>,
    ) -> Result<T, E>
    where
        (): PlaceForGiveUp<E>,
    {
        self.never()
    }
}

impl<T, E> Form<T, E, WithFallback> {
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
pub struct Other<R> {
    /// As in [`Form`].
    pub attempt: PhantomData<fn() -> R>,
    /// As in [`Form`].
    pub errors: ErrorType<NoError>,
}

impl<R> Clone for Other<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Other<R> {}

#[allow(missing_docs, clippy::too_many_arguments, clippy::type_complexity)] // As in `Form`.
impl<R> Other<R> {
    const NEW: Self = Self { attempt: PhantomData, errors: ErrorType::NEW };

    pub(crate) fn never<X>(self) -> X {
        unreachable!("it does not compile")
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

    pub fn settle<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: Ask<'_, NoError>,
    ) -> Next<R, Pin<&'c mut C>> {
        self.never()
    }

    pub fn settle_with<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: &mut Option<R>,
        _: Ask<'_, NoError>,
        _: Hint<'_, NoError>,
        _: Ask<'_, R>,
        _: Hint<'_, R>,
    ) -> Next<R, Pin<&'c mut C>> {
        self.never()
    }

    pub fn settle_last<C, V>(
        self,
        _: &Policy,
        _: Pin<&mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: Ask<'_, NoError>,
    ) -> R {
        self.never()
    }

    pub fn settle_last_with<C, V>(
        self,
        _: &Policy,
        _: Pin<&mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: impl FnOnce(&NoError) -> bool,
        _: impl FnOnce(&NoError) -> Option<Duration>,
        _: impl FnOnce(&R) -> bool,
        _: impl FnOnce(&R) -> Option<Duration>,
    ) -> R {
        self.never()
    }

    pub fn settle_or<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: &mut Option<R>,
        _: Ask<'_, NoError>,
        _: Hint<'_, NoError>,
        _: Ask<'_, R>,
        _: Hint<'_, R>,
    ) -> Next<R, (Pin<&'c mut C>, Option<NoError>)> {
        self.never()
    }

    pub fn settle_last_or<'c, C, V>(
        self,
        _: &Policy,
        _: Pin<&'c mut C>,
        _: Option<R>,
        _: &mut Log<NoError, V>,
        _: impl FnOnce(&NoError) -> bool,
        _: impl FnOnce(&NoError) -> Option<Duration>,
        _: impl FnOnce(&R) -> bool,
        _: impl FnOnce(&R) -> Option<Duration>,
    ) -> Next<R, (Pin<&'c mut C>, NoError)> {
        self.never()
    }

    pub fn fallback<F>(self, give_up: NoError, _: F) -> R {
        match give_up.0 {}
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
