//! An `async unsafe fn`: what is unsafe about it is still the caller's to promise, and marked in the body.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("page not resident")]
pub struct NotResident;

/// # Safety
///
/// `index` is below the length of `pages`.
#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotResident)]
pub async unsafe fn page(
    pages: &[u32],
    index: usize,
    tries: &mut u32,
) -> Result<u32, RetryError<NotResident>> {
    *tries += 1;
    if *tries == 1 {
        return Err(NotResident);
    }
    // SAFETY: `index` is below the length.
    let page = unsafe { pages.get_unchecked(index) };
    Ok(*page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_caller_promises_once() {
        let mut tries = 0;
        // SAFETY: there are two pages.
        let call = unsafe { page(&[4, 5], 1, &mut tries) };
        assert_eq!(call.await.unwrap(), 5);
    }
}
