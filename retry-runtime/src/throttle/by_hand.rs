//! Throttled retries without the attribute.

use tokio::time::Instant;

use super::RetryThrottle;
use super::reservation::{Reservation, Spent};

/// A call whose attempts are made by hand: what [`RetryThrottle::start`] gives.
///
/// Ask it before each wait, not after: then nobody waits in vain. It must hear of a success; dropped without, the call
/// has failed.
///
/// ```
/// use retry_runtime::RetryThrottle;
///
/// let throttle = RetryThrottle::tokens(100, 10, 1);
/// let mut call = throttle.start();
/// for _ in 0..2 {
///     let retry = call.try_retry().expect("100 tokens");
///     // the wait
///     retry.start();
///     // the attempt
/// }
/// assert_eq!(throttle.available(), 8);
/// call.succeeded();
/// assert_eq!(throttle.available(), 9);
/// ```
#[derive(Debug)]
pub struct ThrottledCall<'a> {
    throttle: &'a RetryThrottle,
    last: Option<Spent>,
}

/// A retry that was granted: what [`ThrottledCall::try_retry`] gives.
///
/// Dropped before [`start`](Self::start), it goes back to the throttle: the call was dropped while it waited.
#[derive(Debug)]
#[must_use = "dropped, the retry goes back to the throttle; call `start` when the attempt starts"]
pub struct ReservedRetry<'call> {
    reservation: Reservation<'call>,
    last: &'call mut Option<Spent>,
}

impl<'a> ThrottledCall<'a> {
    pub(super) fn new(throttle: &'a RetryThrottle) -> Self {
        Self { throttle, last: None }
    }

    /// Takes what a retry costs. `None`: out of retries, so the call should end with the error that it has.
    #[must_use = "without it there is no retry"]
    pub fn try_retry(&mut self) -> Option<ReservedRetry<'_>> {
        self.reserve(false)
    }

    /// As [`try_retry`](Self::try_retry), after an error that carried a server's hint:
    /// [`hint_cost`](RetryThrottle::hint_cost).
    #[must_use = "without it there is no retry"]
    pub fn try_hinted_retry(&mut self) -> Option<ReservedRetry<'_>> {
        self.reserve(true)
    }

    fn reserve(&mut self, hinted: bool) -> Option<ReservedRetry<'_>> {
        let reservation = self.throttle.reserve(hinted, Instant::now)?;
        Some(ReservedRetry { reservation, last: &mut self.last })
    }

    /// The call succeeded.
    pub fn succeeded(self) {
        self.throttle.succeeded(self.last);
    }
}

impl ReservedRetry<'_> {
    /// The attempt starts: the retry is made.
    pub fn start(self) {
        *self.last = Some(self.reservation.spend());
    }
}
