//! What protects the server of a call: its breaker and its throttle, and what the call has of them at the moment. The
//! order in which they are asked is drawn in the guide (`lib.rs`).

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::breaker::{CircuitBreaker, Permit, Stamp};
use crate::error::Reason;
use crate::throttle::{Grant, RetryThrottle, Spent};

/// A breaker or a throttle, borrowed or shared: what [`Run::breaker`](crate::Run::breaker) and
/// [`Run::throttle`](crate::Run::throttle) take. Made from a reference or an [`Arc`].
pub enum Shared<'g, T> {
    /// A static, or a reference.
    Borrowed(&'g T),
    /// One that is kept alive as long as it is needed.
    Counted(Arc<T>),
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(shared) => shared,
            Self::Counted(shared) => shared,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'g, T> From<&'g T> for Shared<'g, T> {
    fn from(shared: &'g T) -> Self {
        Self::Borrowed(shared)
    }
}

impl<'g, T> From<&'g Arc<T>> for Shared<'g, T> {
    fn from(shared: &'g Arc<T>) -> Self {
        Self::Borrowed(shared)
    }
}

impl<T> From<Arc<T>> for Shared<'_, T> {
    fn from(shared: Arc<T>) -> Self {
        Self::Counted(shared)
    }
}

/// What a call has of guards: all, or none.
pub trait Guard<'g> {
    /// The guards, if there are any.
    fn guards(&mut self) -> Option<&mut Guards<'g>>;
    /// To add one.
    fn into_guards(self) -> Guards<'g>;
}

/// A call with neither breaker nor throttle: it takes no room and costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unguarded;

impl<'g> Guard<'g> for Unguarded {
    #[inline]
    fn guards(&mut self) -> Option<&mut Guards<'g>> {
        None
    }

    fn into_guards(self) -> Guards<'g> {
        Guards::new(None, None)
    }
}

/// The breaker and the throttle of a call.
pub struct Guards<'g> {
    pub(crate) breaker: Option<Shared<'g, CircuitBreaker>>,
    pub(crate) throttle: Option<Shared<'g, RetryThrottle>>,
    /// The attempt that was admitted last, or that has just ended.
    admitted: u32,
    /// It must be reported to the breaker, or given back.
    stamp: Option<Stamp>,
    /// Those that run beside it.
    others: Vec<(u32, Stamp)>,
    /// The next attempt is paid for.
    grant: Option<Grant>,
    /// What the last retry has cost.
    spent: Option<Spent>,
    /// What the breaker said when it refused an attempt.
    retry_after: Option<Duration>,
}

impl<'g> Guard<'g> for Guards<'g> {
    #[inline]
    fn guards(&mut self) -> Option<&mut Self> {
        Some(self)
    }

    fn into_guards(self) -> Self {
        self
    }
}

/// What an attempt tells the breaker about its server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It answered.
    Answered,
    /// It failed, or took too long.
    Failed,
    /// Nothing.
    Unknown,
}

impl<'g> Guards<'g> {
    /// Those that the attribute names.
    #[inline]
    pub fn new(breaker: Option<&'g CircuitBreaker>, throttle: Option<&'g RetryThrottle>) -> Self {
        Self {
            breaker: breaker.map(Shared::Borrowed),
            throttle: throttle.map(Shared::Borrowed),
            admitted: 0,
            stamp: None,
            others: Vec::new(),
            grant: None,
            spent: None,
            retry_after: None,
        }
    }

    /// Whether `attempt` was let pass already.
    #[inline]
    pub(crate) fn has_admitted(&self, attempt: u32) -> bool {
        self.admitted == attempt
    }

    /// Whether `attempt` may start.
    #[inline]
    pub(crate) fn admit(&mut self, attempt: u32, now: impl Fn() -> Instant) -> bool {
        if let Some(breaker) = &self.breaker {
            match breaker.admit(&now).map(Permit::keep) {
                Ok(stamp) => self.stamp = Some(stamp),
                Err(retry_after) => {
                    self.retry_after = retry_after;
                    self.give_back();
                    return false;
                }
            }
        }
        if let Some(throttle) = &self.throttle {
            match self.grant.take() {
                Some(grant) => self.spent = Some(grant.spend()),
                None => throttle.call(now),
            }
        }
        self.admitted = attempt;
        true
    }

    /// The same for an attempt that may run beside others.
    pub(crate) fn admit_beside(&mut self, attempt: u32, now: impl Fn() -> Instant) -> Result<(), Reason> {
        self.put_aside();
        if self.admit(attempt, now) { Ok(()) } else { Err(Reason::CircuitOpen) }
    }

    /// What follows is about this attempt.
    pub(crate) fn choose(&mut self, attempt: u32) {
        if self.admitted == attempt {
            return;
        }
        self.put_aside();
        self.admitted = attempt;
        let place = self.others.iter().position(|(other, _)| *other == attempt);
        self.stamp = place.map(|place| self.others.swap_remove(place).1);
    }

    fn put_aside(&mut self) {
        if let Some(stamp) = self.stamp.take() {
            self.others.push((self.admitted, stamp));
        }
    }

    /// The attempt has ended.
    #[inline]
    pub(crate) fn judge(&mut self, verdict: Verdict, now: impl FnOnce() -> Instant) {
        if let (Some(breaker), Some(stamp)) = (&self.breaker, self.stamp.take()) {
            match verdict {
                Verdict::Answered => breaker.succeed(stamp, now),
                Verdict::Failed => breaker.fail(stamp, now),
                Verdict::Unknown => breaker.release(stamp),
            }
        }
    }

    /// The call has ended with a value.
    #[inline]
    pub(crate) fn succeed(&mut self, now: impl FnOnce() -> Instant) {
        self.judge(Verdict::Answered, now);
        if let Some(throttle) = &self.throttle {
            throttle.succeeded(self.spent);
        }
    }

    /// Pays for the next attempt, before the wait for it; why there is none where that is refused.
    pub(crate) fn reserve(&mut self, is_hinted: bool, now: impl Fn() -> Instant) -> Result<(), Reason> {
        if let Some(throttle) = &self.throttle {
            self.grant = Some(throttle.grant(is_hinted, &now).ok_or(Reason::Throttled)?);
        }
        if let Some(retry_after) = self.breaker.as_ref().and_then(|breaker| breaker.refuses(now)) {
            self.retry_after = retry_after;
            self.give_back();
            return Err(Reason::CircuitOpen);
        }
        Ok(())
    }

    /// When the breaker that has refused an attempt will probe.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The attempt that was paid for is not made.
    pub(crate) fn give_back(&mut self) {
        if let (Some(throttle), Some(grant)) = (&self.throttle, self.grant.take()) {
            throttle.give_back(grant);
        }
    }
}

/// An attempt that ends here counts as nothing, and one that was paid for is never made.
impl Drop for Guards<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(breaker) = &self.breaker {
            let others = self.others.drain(..).map(|(_, stamp)| stamp);
            self.stamp.take().into_iter().chain(others).for_each(|stamp| breaker.release(stamp));
        }
        self.give_back();
    }
}

impl fmt::Debug for Guards<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guards")
            .field("breaker", &self.breaker)
            .field("throttle", &self.throttle)
            .finish_non_exhaustive()
    }
}
