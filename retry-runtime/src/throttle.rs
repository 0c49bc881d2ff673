//! The retry budget that all calls to one dependency share.

mod bucket;
mod by_hand;
mod clock;
mod ledger;
#[cfg(all(test, retry_loom))]
mod loom;
mod reservation;
mod tally;
#[cfg(all(test, not(retry_loom)))]
mod tests;
mod window;

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

pub use self::by_hand::{ReservedRetry, ThrottledCall};
use self::reservation::Reservation;
pub(crate) use self::reservation::{Grant, Spent};

use self::bucket::Bucket;
use self::window::Window;
use crate::sync::const_fn;

/// The retry budget that all calls to one dependency share.
///
/// Retries help while few calls fail. When a dependency is down all of them fail, and clients that make three attempts
/// each send it three times the load that it could not carry before. Waits do not change that: they only move the
/// retries to a later time. A throttle bounds what all callers together may repeat. The first attempt of a call is
/// always free; for a retry there must be something left, or the call gives up at once with its last real error.
///
/// ```
/// use retry_runtime::{Reason, RetryError, RetryThrottle, retry};
///
/// /// One retry in five calls, and ten a second in any case.
/// static STORE: RetryThrottle = RetryThrottle::ratio(20, 10);
///
/// #[retry(attempts = 3, backoff = "none", throttle = STORE, on = std::io::Error)]
/// async fn load() -> Result<u32, RetryError<std::io::Error>> {
///     Err(std::io::Error::other("down"))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let mut attempts = 0;
/// for _ in 0..1000 {
///     attempts += load().await.unwrap_err().attempts();
/// }
/// // 200 retries for the calls, and the floor: ten a second, for ten seconds.
/// assert_eq!(attempts, 1000 + 200 + 100);
/// assert_eq!(load().await.unwrap_err().reason(), Reason::Throttled);
/// # });
/// ```
///
/// [`start`](Self::start) is for loops without the attribute; `policy.run(..).throttle(&STORE)` is, too.
///
/// # Which rule
///
/// - [`ratio`](Self::ratio) is the one to begin with. Its numbers are what you would put on a dashboard: the load that
///   retries may add. It forgets after ten seconds, so it is as it was soon after an outage.
/// - [`tokens`](Self::tokens) reacts to how calls *end*: retries empty it, calls that go well fill it. It knows no
///   time, so a client with few calls that lost its tokens gets them back only by calls that go well. It is the rule
///   of clients that must agree with AWS' SDKs, and the cheaper one.
///
/// | | `ratio(20, 10)` | `tokens(500, 14, 1)` |
/// | --- | --- | --- |
/// | at the start | 100 retries | 35 retries |
/// | when every call fails | 20 retries in 100 calls, and 10 a second besides | none, once it is empty |
/// | when it is full again | after 10 s | after 500 calls that went well |
///
/// There is no default: a call has a throttle if it names one.
///
/// # When not to use it
///
/// - **A program that makes a call now and then**, or one call in all, has nobody to share with: `attempts` bounds it.
/// - **To limit the rate of calls.** A first attempt is never held back. That is the work of a rate limiter, and of a
///   semaphore where the number of calls at a time matters.
/// - **To stop calling a dependency that is down.** That is what a [`CircuitBreaker`](crate::CircuitBreaker) does; the
///   two go well together.
/// - **Background loops that must get through some day** should wait longer, not give up.
///
/// # Mistakes to avoid
///
/// - **One throttle for dependencies that have nothing to do with each other**: the outage of one takes the retries of
///   the other. One for each dependency, and where its shards fail one by one, for each shard.
/// - **One for each call site**, when they call the same server: each of them lets through its own floor, and the
///   server sees the sum. Share a `static`.
/// - **One for each request or task**, which a `const` or one made in the attribute is, too: it starts full every time,
///   so it throttles nothing.
/// - **The same throttle in a caller and its callee**: a retry of the callee is counted once as its own, and again as
///   part of the caller's. Put it where the retries are, which is one layer.
/// - **One throttle in tests that run with a paused clock each**: their clocks disagree. Each test makes its own.
///
/// # Time and threads
///
/// Time is tokio's clock; none is read before the first call. A throttle that `tokens` made reads none at all. Nothing
/// here waits or takes a lock, save that the very first call of a `ratio` notes the time; counts are exact, however
/// many threads there are.
pub struct RetryThrottle {
    rule: Rule,
}

// The window is in place, so that a call follows no pointer and a static needs none.
#[allow(clippy::large_enum_variant)]
enum Rule {
    Ratio(Window),
    Tokens(Bucket),
}

impl RetryThrottle {
    const_fn! {
    /// Retries are at most `percent` % of the calls of the last ten seconds, plus `min_per_second` a second.
    ///
    /// The floor is there for quiet times, when a share of the calls would be less than one retry. It is not spread
    /// over its seconds: `ratio(20, 10)` grants 100 retries at once, and then no more than its share of the calls until
    /// those are ten seconds old.
    /// So what callers may add holds for every ten seconds, not for each one: what was not used before an outage is used at
    /// its beginning.
    ///
    /// The ten seconds are ten slices of one second, the one that has just begun among them; what a slice counts is
    /// forgotten all at once. Nothing is rounded on the way: 60 % of 11 calls are 6 retries, of 15 calls 9.
    ///
    /// # Panics
    ///
    /// If `percent` is above 1000, or both numbers are zero: then there would never be a retry. In a static this is a
    /// compile error.
    ///
    /// ```
    /// use retry_runtime::RetryThrottle;
    ///
    /// let throttle = RetryThrottle::ratio(60, 0);
    /// for _ in 0..11 {
    ///     throttle.start().succeeded();
    /// }
    /// assert_eq!(throttle.available(), 6);
    /// ```
    ///
    /// ```compile_fail
    /// static NEVER: retry_runtime::RetryThrottle = retry_runtime::RetryThrottle::ratio(0, 0);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn ratio(percent: u32, min_per_second: u32) -> Self {
        assert!(percent <= 1000, "`percent` must be at most 1000: ten retries a call");
        assert!(
            percent > 0 || min_per_second > 0,
            "`percent` and `min_per_second` are both 0: there would never be a retry; use `attempts = 1`"
        );
        Self { rule: Rule::Ratio(Window::new(percent, min_per_second, Duration::from_secs(10))) }
    }
    }

    const_fn! {
    /// Counts a window of this length, in ten slices, instead of ten seconds: from 1 to 60 s.
    ///
    /// # Panics
    ///
    /// If the length is out of these bounds, or the rule is not [`ratio`](Self::ratio). In a static this is a compile
    /// error.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::RetryThrottle;
    ///
    /// static BATCH: RetryThrottle = RetryThrottle::ratio(10, 1).window(Duration::from_secs(60));
    /// assert_eq!(BATCH.available(), 60);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn window(self, length: Duration) -> Self {
        assert!(
            length.as_nanos() >= 1_000_000_000 && length.as_nanos() <= 60_000_000_000,
            "`window` must be from 1 to 60 seconds"
        );
        let rule = match &self.rule {
            Rule::Ratio(window) => Rule::Ratio(Window::new(window.percent, window.min_per_second, length)),
            Rule::Tokens(_) => panic!("`window` is for `ratio`: a bucket of tokens knows no time"),
        };
        std::mem::forget(self); // A constant cannot drop; there is nothing to free.
        Self { rule }
    }
    }

    const_fn! {
    /// A bucket of `capacity` tokens that starts full. A retry takes `cost` tokens, and is not made if there are less.
    ///
    /// A call that succeeds without a retry puts `refund` tokens back. One that succeeds after retries puts back what
    /// its last retry took. A call that fails puts nothing back. The bucket never holds more than `capacity`.
    ///
    /// `tokens(500, 14, 1).hint_cost(5)` is the standard mode of AWS' SDKs as of 2026, `tokens(500, 5, 1)` the one before.
    ///
    /// # Panics
    ///
    /// If a number is zero, or `cost` is above `capacity`: then all retries would be free, or there would be none in
    /// the end. In a static this is a compile error.
    ///
    /// ```
    /// use retry_runtime::RetryThrottle;
    ///
    /// let throttle = RetryThrottle::tokens(20, 14, 1);
    /// let mut call = throttle.start();
    /// call.try_retry().unwrap().start();
    /// assert!(call.try_retry().is_none()); // 6 tokens are left
    /// ```
    ///
    /// ```compile_fail
    /// static FREE: retry_runtime::RetryThrottle = retry_runtime::RetryThrottle::tokens(500, 0, 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn tokens(capacity: u32, cost: u32, refund: u32) -> Self {
        assert!(capacity > 0, "`capacity` must be at least 1: there would never be a retry");
        assert!(cost > 0, "`cost` must be at least 1: retries that cost nothing are not throttled");
        assert!(cost <= capacity, "`cost` must be at most `capacity`: there would never be a retry");
        assert!(refund > 0, "`refund` must be at least 1: the bucket would never fill again");
        Self { rule: Rule::Tokens(Bucket::new(capacity, cost, cost, refund)) }
    }
    }

    const_fn! {
    /// Another cost for a retry after an error that carried a server's hint (`retry_after`): a server that says when to
    /// come back copes, and a retry then is a smaller risk.
    ///
    /// # Panics
    ///
    /// If `cost` is zero or above the capacity, or the rule is not [`tokens`](Self::tokens). In a static this is a
    /// compile error.
    ///
    /// ```
    /// use retry_runtime::RetryThrottle;
    ///
    /// let throttle = RetryThrottle::tokens(20, 14, 1).hint_cost(5);
    /// let mut call = throttle.start();
    /// call.try_hinted_retry().unwrap().start();
    /// call.try_retry().unwrap().start();
    /// assert!(call.try_hinted_retry().is_none()); // 1 token is left
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn hint_cost(self, cost: u32) -> Self {
        assert!(cost > 0, "`hint_cost` must be at least 1: retries that cost nothing are not throttled");
        let rule = match &self.rule {
            Rule::Tokens(bucket) => {
                assert!(
                    cost <= bucket.capacity,
                    "`hint_cost` must be at most `capacity`: there would never be a retry after a hint"
                );
                Rule::Tokens(Bucket::new(bucket.capacity, bucket.cost, cost, bucket.refund))
            }
            Rule::Ratio(_) => panic!("`hint_cost` is for `tokens`: `ratio` counts every retry as one"),
        };
        std::mem::forget(self); // A constant cannot drop; there is nothing to free.
        Self { rule }
    }
    }

    /// How many retries it would grant right now, for dashboards; of `tokens`, at the plain cost.
    ///
    /// ```
    /// use retry_runtime::RetryThrottle;
    ///
    /// assert_eq!(RetryThrottle::tokens(500, 14, 1).available(), 35);
    /// ```
    #[must_use]
    pub fn available(&self) -> u32 {
        self.available_at(Instant::now)
    }

    fn available_at(&self, now: impl FnOnce() -> Instant) -> u32 {
        match &self.rule {
            Rule::Ratio(window) => window.available(now()),
            Rule::Tokens(bucket) => bucket.retries(),
        }
    }

    /// Starts a call whose attempts you make yourself.
    ///
    /// A call with a `throttle` of its own counts itself; this is for loops written by hand.
    #[must_use = "it grants the call's retries"]
    pub fn start(&self) -> ThrottledCall<'_> {
        self.call(Instant::now);
        ThrottledCall::new(self)
    }

    /// A call starts: its first attempt is free, and may bring a part of a retry.
    #[inline]
    pub(crate) fn call(&self, now: impl FnOnce() -> Instant) {
        match &self.rule {
            Rule::Ratio(window) => window.call(now()),
            Rule::Tokens(_) => {}
        }
    }

    /// Takes what a retry costs, before the wait for it. `hinted`: the error carried a server's hint.
    fn reserve(&self, hinted: bool, now: impl FnOnce() -> Instant) -> Option<Reservation<'_>> {
        Some(Reservation::new(self, self.grant(hinted, now)?))
    }

    /// The same for whoever gives back by hand. A grant belongs to this throttle alone.
    pub(crate) fn grant(&self, hinted: bool, now: impl FnOnce() -> Instant) -> Option<Grant> {
        let taken = match &self.rule {
            Rule::Ratio(window) => window.grant(now()),
            Rule::Tokens(bucket) => bucket.take(hinted),
        };
        taken.map(Grant)
    }

    /// The retry will not be made.
    #[cold]
    pub(crate) fn give_back(&self, grant: Grant) {
        match &self.rule {
            Rule::Ratio(window) => window.give_back(grant.0),
            Rule::Tokens(bucket) => bucket.put(grant.0),
        }
    }

    /// A call succeeded. `last`: what its last retry took, if it made one.
    #[inline]
    pub(crate) fn succeeded(&self, last: Option<Spent>) {
        match &self.rule {
            Rule::Ratio(_) => {}
            Rule::Tokens(bucket) => bucket.put(last.map_or(bucket.refund, |Spent(Grant(cost))| cost)),
        }
    }
}

impl fmt::Debug for RetryThrottle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("RetryThrottle");
        match &self.rule {
            Rule::Ratio(window) => f
                .field("percent", &window.percent)
                .field("min_per_second", &window.min_per_second)
                .field("window", &window.length),
            Rule::Tokens(bucket) => f
                .field("capacity", &bucket.capacity)
                .field("cost", &bucket.cost)
                .field("hint_cost", &bucket.hint_cost)
                .field("refund", &bucket.refund)
                .field("tokens", &bucket.tokens()),
        };
        f.field("available", &self.available()).finish()
    }
}
