//! How an error of any type is looked at: as a `dyn Error`, or at least as text.
//!
//! The macro asks for it where the type is known, and the best answer is chosen there, by the number of references
//! that a method call must take off. So the error types need no bound.

use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};
use std::marker::PhantomData;
use std::ops::Deref;

use crate::log::Log;

/// The functions that look at an `E`.
pub struct View<E> {
    error: fn(&E) -> Option<&(dyn Error + 'static)>,
    display: fn(&E, &mut Formatter<'_>) -> fmt::Result,
    debug: fn(&E, &mut Formatter<'_>) -> fmt::Result,
}

impl<E> Clone for View<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for View<E> {}

fn no_error<E>(_: &E) -> Option<&(dyn Error + 'static)> {
    None
}

fn no_text<E>(_: &E, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("an error without a text")
}

impl<E> View<E> {
    /// The error as a `dyn Error`, where it is one.
    pub(crate) fn error<'a>(&self, error: &'a E) -> Option<&'a (dyn Error + 'static)> {
        (self.error)(error)
    }

    pub(crate) const fn of_error() -> Self
    where
        E: Error + 'static,
    {
        Self { error: |error| Some(error), display: <E as Display>::fmt, debug: <E as Debug>::fmt }
    }

    pub(crate) const fn of_opaque() -> Self
    where
        E: Deref<Target: DynError> + Debug + Display,
    {
        Self {
            error: |error| Some((**error).as_error()),
            display: <E as Display>::fmt,
            debug: <E as Debug>::fmt,
        }
    }
}

/// An error, written by its view.
pub(crate) struct Shown<'a, E> {
    pub(crate) error: &'a E,
    pub(crate) view: View<E>,
}

impl<E> Display for Shown<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.view.display)(self.error, f)
    }
}

impl<E> Debug for Shown<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.view.debug)(self.error, f)
    }
}

/// What an opaque error type (`anyhow::Error`, `eyre::Report`, a boxed error) dereferences to.
pub trait DynError {
    /// Without the auto traits.
    fn as_error(&self) -> &(dyn Error + 'static);
}

impl DynError for dyn Error + 'static {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl DynError for dyn Error + Send + 'static {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl DynError for dyn Error + Sync + 'static {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl DynError for dyn Error + Send + Sync + 'static {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

/// Stands for the error type in the choice of a view.
pub struct ErrorType<E>(PhantomData<fn() -> E>);

impl<E> Clone for ErrorType<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for ErrorType<E> {}

impl<E> ErrorType<E> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// The choice, as a type: it takes no room in a future.
pub trait Viewer<E> {
    /// The view.
    const VIEW: View<E>;
}

macro_rules! views {
    ($($(#[$doc:meta])* $name:ident, $viewer:ident for $refs:ty where [$($bounds:tt)*] => $view:expr;)*) => {$(
        $(#[$doc])*
        pub enum $viewer {}

        impl<E: $($bounds)*> Viewer<E> for $viewer {
            const VIEW: View<E> = $view;
        }

        $(#[$doc])*
        pub trait $name {
            /// The error type.
            type Error;
            /// An empty log of such errors.
            fn __retry_log(&self) -> Log<Self::Error, $viewer>;
        }

        impl<E: $($bounds)*> $name for $refs {
            type Error = E;
            #[inline]
            fn __retry_log(&self) -> Log<E, $viewer> {
                Log::EMPTY
            }
        }
    )*};
}

// The first that fits is taken. Opaque types come first: a shared `dyn Error` is an `Error` too, but hides its
// payload there.
views! {
    /// An opaque error.
    ViewOpaque, AsOpaque for &&&&&ErrorType<E> where [Deref<Target: DynError> + Debug + Display] => View::of_opaque();
    /// An error.
    ViewError, AsError for &&&&ErrorType<E> where [Error + 'static] => View::of_error();
    /// A text for users and one for developers.
    ViewDisplayDebug, AsDisplayDebug for &&&ErrorType<E> where [Display + Debug] =>
        View { error: no_error, display: <E as Display>::fmt, debug: <E as Debug>::fmt };
    /// A text for users.
    ViewDisplay, AsDisplay for &&ErrorType<E> where [Display] =>
        View { error: no_error, display: <E as Display>::fmt, debug: <E as Display>::fmt };
    /// A text for developers.
    ViewDebug, AsDebug for &ErrorType<E> where [Debug] =>
        View { error: no_error, display: <E as Debug>::fmt, debug: <E as Debug>::fmt };
    /// Nothing to show.
    ViewNothing, AsNothing for ErrorType<E> where [Sized] =>
        View { error: no_error, display: no_text, debug: no_text };
}
