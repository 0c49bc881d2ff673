//! A signature with all that can be on it: docs, `cfg`, `must_use`, `allow`, attributes on arguments.

#![deny(missing_docs)]

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

static RENAMES: AtomicU32 = AtomicU32::new(0);

/// Sharing violation.
#[derive(Debug)]
pub struct Locked;

/// Renames a file, again if it is locked.
///
/// ```text
/// rename_atomically("a", "b")
/// ```
#[cfg(any(unix, windows))]
#[must_use = "the rename may have failed"]
#[allow(clippy::needless_pass_by_value, unused_variables)]
#[inline]
#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Locked)]
#[cfg_attr(docsrs, doc(cfg(feature = "fs")))]
pub(crate) async fn rename_atomically(
    from: &str,
    #[allow(unused)] to: String,
    #[cfg(windows)] replace: bool,
    #[cfg(not(windows))] mode: u32,
) -> Result<u32, RetryError<Locked>> {
    #[cfg(windows)]
    let mode = u32::from(replace);
    match RENAMES.fetch_add(1, Ordering::SeqCst) {
        0 => Err(Locked),
        _ => Ok(mode + from.len() as u32),
    }
}

#[cfg(not(any(unix, windows)))]
pub(crate) async fn rename_atomically(_: &str, _: String, _: u32) -> Result<u32, RetryError<Locked>> {
    unimplemented!()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn locked_once_then_renamed() {
        let got = rename_atomically("ab", "c".into(), 0o600).await;
        assert_eq!(got.unwrap(), 0o602);
    }
}
