//! `on = Type` and `on = source(Type)`: whether an error is, or contains, one of a type. The choice between the ways
//! to find out is made where the types are known, like that of a [view](crate::view).

use std::error::Error;
use std::marker::PhantomData;
use std::ops::Deref;

use retry_policy::{Nested, Policy};

use crate::chain;
use crate::form::NoError;
use crate::view::DynError;

/// The question of `on = T` about an error of type `E`.
pub struct Is<'a, T, E> {
    error: &'a E,
    /// Also below the give-up of an inner call.
    below: bool,
    wanted: PhantomData<fn() -> T>,
}

/// Is this error a `T`?
pub fn is<'a, T, E>(error: &'a E, policy: &Policy) -> Is<'a, T, E> {
    Is { error, below: policy.nested() == Nested::Retry, wanted: PhantomData }
}

/// The error's type is the one asked for.
pub trait IsSame {
    /// Always.
    fn __retry_is(&self) -> bool;
}

impl<T> IsSame for &&Is<'_, T, T> {
    fn __retry_is(&self) -> bool {
        true
    }
}

/// The error is opaque: its chain is searched.
pub trait IsInChain<T> {
    /// Whether a `T` is in it.
    fn __retry_is(&self) -> bool
    where
        T: InChain;
}

impl<T, E: Deref<Target: DynError>> IsInChain<T> for &Is<'_, T, E> {
    fn __retry_is(&self) -> bool
    where
        T: InChain,
    {
        T::is_in_chain((**self.error).as_error(), self.below)
    }
}

/// What can be in the chain of an error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is never in the source chain of an error, as it does not implement `std::error::Error`: name an error type, or write `when`",
    label = "`{Self}` is no `std::error::Error`"
)]
pub trait InChain {
    /// Whether one is.
    fn is_in_chain(error: &(dyn Error + 'static), below: bool) -> bool;
}

#[diagnostic::do_not_recommend]
impl<T: Error + 'static> InChain for T {
    fn is_in_chain(error: &(dyn Error + 'static), below: bool) -> bool {
        chain::contains::<T>(error, below)
    }
}

/// The error is another one: a compile error that says what to write.
pub trait IsNeither<T, E> {
    /// Never.
    fn __retry_is(&self) -> bool
    where
        E: IsOrContains<T>;
}

impl<T, E> IsNeither<T, E> for Is<'_, T, E> {
    fn __retry_is(&self) -> bool
    where
        E: IsOrContains<T>,
    {
        false
    }
}

/// Implemented where no complaint is due: what is wrong has been said already.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `{T}`: name its variant, `on = {Self}::..(_)`, or search its source chain, `on = source({T})`",
    label = "the error of this function is `{Self}`"
)]
pub trait IsOrContains<T> {}

impl<T> IsOrContains<T> for NoError {}

/// The question of `on = source(T)` about an error of type `E`.
pub struct Source<'a, T, E> {
    error: &'a E,
    /// Also below the give-up of an inner call.
    below: bool,
    wanted: PhantomData<fn() -> T>,
}

/// Is there a `T` in the source chain of this error, itself included?
pub fn source<'a, T, E>(error: &'a E, policy: &Policy) -> Source<'a, T, E> {
    Source { error, below: policy.nested() == Nested::Retry, wanted: PhantomData }
}

/// The error is opaque.
pub trait SourceOfOpaque {
    /// Whether a `T` is in its chain.
    fn __retry_source(&self) -> bool;
}

impl<T: Error + 'static, E: Deref<Target: DynError>> SourceOfOpaque for &&Source<'_, T, E> {
    fn __retry_source(&self) -> bool {
        chain::contains::<T>((**self.error).as_error(), self.below)
    }
}

/// The error is an `Error`.
pub trait SourceOfError {
    /// Whether a `T` is in its chain.
    fn __retry_source(&self) -> bool;
}

impl<T: Error + 'static, E: Error + 'static> SourceOfError for &Source<'_, T, E> {
    fn __retry_source(&self) -> bool {
        chain::contains::<T>(self.error, self.below)
    }
}

/// One of the two has no place in a chain: a compile error that says what to write.
pub trait SourceOfNone<T, E> {
    /// Never.
    fn __retry_source(&self) -> bool
    where
        E: HasSource<T>;
}

impl<T, E> SourceOfNone<T, E> for Source<'_, T, E> {
    fn __retry_source(&self) -> bool
    where
        E: HasSource<T>,
    {
        false
    }
}

/// Implemented where no complaint is due.
#[diagnostic::on_unimplemented(
    message = "`source({T})` cannot be searched in `{Self}`: both must implement `std::error::Error`; use a pattern in `on`, or `when`",
    label = "the error of this function is `{Self}`"
)]
pub trait HasSource<T> {}

impl<T> HasSource<T> for NoError {}
