//! Any error, for bodies that mix those of several libraries.

use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;

/// Any error that can be sent to another thread: what `RetryError` holds where no type is named.
///
/// `?` turns every `std::error::Error` into it, and a text too. It dereferences to the error, so
/// `error.downcast_ref::<io::Error>()` finds out what it is. (An `anyhow::Error` can be turned into it as well, but does
/// not show what it wraps then.) It implements no `Error` itself, as the conversion could
/// not exist then; `Box<dyn Error + Send + Sync>` takes it by [`AnyError::into_inner`].
///
/// ```
/// use retry_runtime::{AnyError, RetryError, retry};
///
/// #[retry(attempts = 1)]
/// async fn sum(a: &str, b: &[u8]) -> Result<u32, RetryError> {
///     let a: u32 = a.parse()?;
///     let b: u32 = std::str::from_utf8(b)?.parse()?;
///     Ok(a + b)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// assert_eq!(sum("1", b"2").await.unwrap(), 3);
/// let error = sum("one", b"2").await.unwrap_err();
/// let parse: &AnyError = error.last().unwrap();
/// assert!(parse.is::<std::num::ParseIntError>());
/// # });
/// ```
pub struct AnyError(Box<dyn Error + Send + Sync>);

impl AnyError {
    /// The error itself.
    #[must_use]
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for AnyError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl Deref for AnyError {
    type Target = dyn Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Display for AnyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for AnyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}
