//! What protects the server of a call: its breaker and its throttle, and what the call has of them at the moment. The
//! order in which they are asked is drawn in the guide (`lib.rs`).

use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::breaker::{CircuitBreaker, Permit, Stamp};
use crate::error::{Reason, Says};
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

/// The clock, where it is needed.
pub(crate) type Now<'a> = &'a dyn Fn() -> Instant;

/// What guards a call: nothing, or a breaker and a throttle.
pub trait Guard {
    /// Whether `attempt` may start, if it has not been asked about it before.
    fn admit(&mut self, attempt: u32, now: Now<'_>) -> bool;

    /// The call has ended with the value of the attempt that was admitted last.
    fn succeed(&mut self, now: Now<'_>);

    /// The guards, if there are any: the questions of a call that does not succeed at once.
    fn guards(&mut self) -> Option<&mut dyn Watch>;
}

/// What a call asks its guards after a failure, and where attempts run beside one another.
pub trait Watch {
    /// The attempt that was admitted last, or chosen, has ended. `None`: the server answered.
    fn judge(&mut self, says: Option<Says>, now: Now<'_>);

    /// Pays for the next attempt, before the wait for it; why there is none where that is refused.
    fn reserve(&mut self, is_hinted: bool, now: Now<'_>) -> Result<(), Reason>;

    /// The attempt that was paid for is not made.
    fn give_back(&mut self);

    /// Everything is given back: the call is over.
    fn let_go(&mut self);

    /// When the breaker that has refused an attempt will probe.
    fn retry_after(&self) -> Option<Duration>;

    /// Whether `attempt` may start beside those that run.
    fn admit_beside(&mut self, attempt: u32, now: Now<'_>) -> Result<(), Reason>;

    /// What follows is about this attempt.
    fn choose(&mut self, attempt: u32);
}

/// A call with neither breaker nor throttle: it takes no room and costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unguarded;

/// Makes one. A function, as its type is the same for all calls, and a closure's is not.
#[inline]
pub fn unguarded() -> Unguarded {
    Unguarded
}

impl Guard for Unguarded {
    #[inline]
    fn admit(&mut self, _: u32, _: Now<'_>) -> bool {
        true
    }

    #[inline]
    fn succeed(&mut self, _: Now<'_>) {}

    #[inline]
    fn guards(&mut self) -> Option<&mut dyn Watch> {
        None
    }
}

/// A place for a breaker or a throttle.
pub trait Place<T> {
    /// What is there.
    fn get(&self) -> Option<&T>;
}

impl<T> Place<T> for &T {
    #[inline]
    fn get(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T> Place<T> for Option<Shared<'_, T>> {
    fn get(&self) -> Option<&T> {
        self.as_deref()
    }
}

/// Nothing: what it would be asked is not even compiled.
#[derive(Clone, Copy, Debug)]
pub struct Empty;

impl<T> Place<T> for Empty {
    #[inline]
    fn get(&self) -> Option<&T> {
        None
    }
}

/// The breaker and the throttle of a call.
pub struct Guards<B: Place<CircuitBreaker>, T: Place<RetryThrottle>> {
    breaker: B,
    throttle: T,
    /// What the attempt has of the breaker; `NONE` when it has ended.
    stamp: Stamp,
    /// The attempt that was admitted last, or that has just ended.
    attempt: u32,
    /// Not 0: something must be given back when the call is dropped, a probe or what is in `more`. A word, so that it is
    /// written together with the one before it.
    holding: u32,
    // Dropped by hand: a call that succeeds at once asks about one thing only.
    more: ManuallyDrop<Option<Box<More>>>,
}

/// What a call has that did not succeed at once.
#[derive(Default)]
struct More {
    /// The next attempt is paid for.
    grant: Option<Grant>,
    /// What the last retry has cost.
    spent: Option<Spent>,
    /// What the breaker said when it refused an attempt.
    retry_after: Option<Duration>,
    /// Attempts that run beside the one at hand.
    others: Vec<(u32, Stamp)>,
}

impl<B: Place<CircuitBreaker>, T: Place<RetryThrottle>> Guards<B, T> {
    /// Those that are named.
    #[inline]
    pub const fn new(breaker: B, throttle: T) -> Self {
        Self { breaker, throttle, stamp: Stamp::NONE, attempt: 0, holding: 0, more: ManuallyDrop::new(None) }
    }

    fn more(&mut self) -> &mut More {
        self.holding = 1;
        self.more.get_or_insert_default()
    }

    /// The breaker is not closed.
    #[cold]
    #[inline(never)]
    fn admit_probe(&mut self, now: Now<'_>) -> bool {
        let Some(breaker) = self.breaker.get() else { return true };
        match breaker.admit(now).map(Permit::keep) {
            Ok(stamp) => {
                self.stamp = stamp;
                self.holding = 1;
                true
            }
            Err(retry_after) => {
                self.more().retry_after = retry_after;
                self.give_back();
                false
            }
        }
    }

    /// After a failure, or as a probe.
    #[cold]
    #[inline(never)]
    fn succeed_at_last(&mut self, now: Now<'_>) {
        self.judge(None, now);
        if let Some(throttle) = self.throttle.get() {
            throttle.succeeded(self.more.as_ref().and_then(|more| more.spent));
        }
    }

    fn put_aside(&mut self) {
        let stamp = mem::replace(&mut self.stamp, Stamp::NONE);
        if stamp != Stamp::NONE {
            let attempt = self.attempt;
            self.more().others.push((attempt, stamp));
        }
    }

    #[cold]
    #[inline(never)]
    fn give_all_back(&mut self) {
        self.give_back();
        self.holding = 0;
        let more = ManuallyDrop::into_inner(mem::replace(&mut self.more, ManuallyDrop::new(None)));
        if let Some(breaker) = self.breaker.get() {
            breaker.release(mem::replace(&mut self.stamp, Stamp::NONE));
            let others = more.into_iter().flat_map(|more| more.others);
            others.for_each(|(_, stamp)| breaker.release(stamp));
        }
    }
}

impl<B: Place<CircuitBreaker>, T: Place<RetryThrottle>> Guard for Guards<B, T> {
    #[inline(always)]
    fn admit(&mut self, attempt: u32, now: Now<'_>) -> bool {
        if self.attempt == attempt {
            return true;
        }
        if let Some(breaker) = self.breaker.get() {
            match breaker.admit_closed() {
                Some(stamp) => self.stamp = stamp,
                None if self.admit_probe(now) => {}
                None => return false,
            }
        }
        if let Some(throttle) = self.throttle.get() {
            if attempt == 1 {
                throttle.call(now);
            } else {
                let more = self.more();
                more.spent = more.grant.take().map(Grant::spend);
            }
        }
        self.attempt = attempt;
        true
    }

    #[inline(always)]
    fn succeed(&mut self, now: Now<'_>) {
        if self.holding != 0 {
            return self.succeed_at_last(now);
        }
        if let Some(breaker) = self.breaker.get() {
            breaker.succeed(self.stamp, now);
        }
        if let Some(throttle) = self.throttle.get() {
            throttle.succeeded(None);
        }
    }

    #[inline]
    fn guards(&mut self) -> Option<&mut dyn Watch> {
        Some(self)
    }
}

impl<B: Place<CircuitBreaker>, T: Place<RetryThrottle>> Watch for Guards<B, T> {
    fn judge(&mut self, says: Option<Says>, now: Now<'_>) {
        let stamp = mem::replace(&mut self.stamp, Stamp::NONE);
        if let Some(breaker) = self.breaker.get() {
            match says {
                None => breaker.succeed(stamp, now),
                Some(Says::Failed) => breaker.fail(stamp, now),
                Some(Says::Hurried | Says::Nothing) => breaker.release(stamp),
            }
        }
    }

    fn reserve(&mut self, is_hinted: bool, now: Now<'_>) -> Result<(), Reason> {
        if let Some(throttle) = self.throttle.get() {
            let grant = throttle.grant(is_hinted, now).ok_or(Reason::Throttled)?;
            self.more().grant = Some(grant);
        }
        if let Some(retry_after) = self.breaker.get().and_then(|breaker| breaker.refuses(now)) {
            self.more().retry_after = retry_after;
            self.give_back();
            return Err(Reason::CircuitOpen);
        }
        Ok(())
    }

    fn give_back(&mut self) {
        let grant = self.more.as_mut().and_then(|more| more.grant.take());
        if let (Some(throttle), Some(grant)) = (self.throttle.get(), grant) {
            throttle.give_back(grant);
        }
    }

    fn let_go(&mut self) {
        if self.holding != 0 {
            self.give_all_back();
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        self.more.as_ref()?.retry_after
    }

    fn admit_beside(&mut self, attempt: u32, now: Now<'_>) -> Result<(), Reason> {
        self.put_aside();
        if self.admit(attempt, now) { Ok(()) } else { Err(Reason::CircuitOpen) }
    }

    fn choose(&mut self, attempt: u32) {
        if self.attempt == attempt {
            return;
        }
        self.put_aside();
        self.attempt = attempt;
        if let Some(more) = self.more.as_mut() {
            if let Some(place) = more.others.iter().position(|(other, _)| *other == attempt) {
                self.stamp = more.others.swap_remove(place).1;
            }
        }
    }
}

/// An attempt that ends here counts as nothing, and one that was paid for is never made.
impl<B: Place<CircuitBreaker>, T: Place<RetryThrottle>> Drop for Guards<B, T> {
    #[inline]
    fn drop(&mut self) {
        if self.holding != 0 {
            self.give_all_back();
        }
    }
}

impl<B, T> fmt::Debug for Guards<B, T>
where
    B: Place<CircuitBreaker> + fmt::Debug,
    T: Place<RetryThrottle> + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guards")
            .field("breaker", &self.breaker)
            .field("throttle", &self.throttle)
            .finish_non_exhaustive()
    }
}

/// The guards of [`Run`](crate::Run).
pub type SharedGuards<'g> = Guards<Option<Shared<'g, CircuitBreaker>>, Option<Shared<'g, RetryThrottle>>>;

/// To add a guard to.
pub trait IntoGuards<'g>: Guard {
    #[doc(hidden)]
    fn __retry_into_guards(self) -> SharedGuards<'g>;
}

impl<'g> IntoGuards<'g> for Unguarded {
    fn __retry_into_guards(self) -> SharedGuards<'g> {
        Guards::new(None, None)
    }
}

impl<'g> IntoGuards<'g> for SharedGuards<'g> {
    fn __retry_into_guards(self) -> Self {
        self
    }
}

impl<'g> SharedGuards<'g> {
    pub(crate) fn set_breaker(&mut self, breaker: Shared<'g, CircuitBreaker>) {
        self.breaker = Some(breaker);
    }

    pub(crate) fn set_throttle(&mut self, throttle: Shared<'g, RetryThrottle>) {
        self.throttle = Some(throttle);
    }
}
