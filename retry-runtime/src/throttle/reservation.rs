//! A retry that was granted and not made yet.

use super::RetryThrottle;

/// A retry that was granted. Dropped, it goes back: its attempt was never started.
#[derive(Debug)]
#[must_use = "dropped, the retry goes back to the throttle"]
pub(crate) struct Reservation<'a> {
    throttle: &'a RetryThrottle,
    grant: Grant,
}

/// What was taken for a retry: tokens, or the slice of time in which it counts. It belongs to one throttle, which
/// knows which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant(pub(super) u32);

impl Grant {
    /// The attempt starts.
    pub(crate) fn spend(self) -> Spent {
        Spent(self)
    }
}

/// What a retry that was made has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent(pub(super) Grant);

impl<'a> Reservation<'a> {
    pub(super) fn new(throttle: &'a RetryThrottle, grant: Grant) -> Self {
        Self { throttle, grant }
    }

    /// The attempt starts.
    pub(crate) fn spend(self) -> Spent {
        let spent = Spent(self.grant);
        std::mem::forget(self);
        spent
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.throttle.give_back(self.grant);
    }
}
