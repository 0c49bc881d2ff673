//! A policy: what was given, and the values that hold.

use core::time::Duration;

use crate::holds::{Holds, Nanos};
use crate::{AttemptLimit, Jitter, Nested, PolicyBuilder, Settings};

/// Every number of a retried call: how long, how often, how far apart.
///
/// Made by [`Policy::builder`], which is `const`, so a policy can be a constant that the compiler has checked.
/// [`Policy::default`] is the policy in which no key is given.
///
/// A policy keeps what was given and nothing else, so that a default follows the keys that are set later. The
/// methods below answer with the values that hold: the given one, else the default. Values that came in at run time
/// may contradict each other; a method then answers with the nearest value that is possible, and never panics.
///
/// ```
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::{AttemptLimit, Policy};
/// use std::time::Duration;
///
/// const FETCH: Policy = Policy::builder().total(Duration::from_secs(1)).attempts(5).build();
/// assert_eq!(FETCH.total(), Some(Duration::from_secs(1)));
/// assert_eq!(FETCH.per_attempt(), AttemptLimit::Share);
/// assert_eq!(FETCH.max_backoff(), Duration::from_secs(5));
///
/// const SLOW: Policy = FETCH.to_builder().total(Duration::from_secs(60)).build();
/// assert_eq!(SLOW.attempts(), Some(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    pub(crate) settings: Settings,
    /// Worked out when the policy is made: an attempt that failed asks for most of it.
    holds: Holds,
}

impl Policy {
    pub(crate) const fn of(settings: Settings) -> Self {
        Self { settings, holds: Holds::of(&settings) }
    }

    /// What a running call counts with.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn nanos(&self) -> &Nanos {
        &self.holds.nanos
    }

    /// A builder in which no key is given.
    pub const fn builder() -> PolicyBuilder {
        PolicyBuilder::new()
    }

    /// A builder that starts from this policy; what is set on it overrides what was given here.
    ///
    /// Keys taken over are never refused as superfluous: `attempts(1)` may follow where this policy has a backoff.
    pub const fn to_builder(&self) -> PolicyBuilder {
        PolicyBuilder { settings: self.settings.taken_over() }
    }

    /// The budget of the whole call, all attempts and waits together; `None` where it has none of its own.
    ///
    /// Default: 10 s. A zero one stays zero: no attempt ever starts.
    #[inline]
    #[must_use]
    pub const fn total(&self) -> Option<Duration> {
        self.holds.total
    }

    /// How long one attempt may take, besides what is left of the whole call.
    ///
    /// Default: [`AttemptLimit::Share`]. A duration is at most [`total`](Policy::total); a zero one becomes the
    /// shortest attempt that may start.
    #[inline]
    #[must_use]
    pub const fn per_attempt(&self) -> AttemptLimit {
        self.holds.per_attempt
    }

    /// How many attempts, the first one included; `None` where only time limits them.
    ///
    /// Default: 3. Zero counts as 1, `u32::MAX` as unlimited.
    #[inline]
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        self.holds.attempts
    }

    /// The wait before the second attempt, without jitter; `None` where there is none.
    ///
    /// Default: 50 ms, or [`max_backoff`](Policy::max_backoff) where that is shorter. Never above `max_backoff`.
    #[inline]
    #[must_use]
    pub const fn backoff(&self) -> Option<Duration> {
        self.holds.backoff
    }

    /// By how much each wait is longer than the one before.
    ///
    /// Default: 2. What is below 1, or no number, counts as 1; where it is infinite, every wait after the first
    /// is `max_backoff`.
    #[inline]
    #[must_use]
    pub const fn factor(&self) -> f64 {
        self.holds.factor
    }

    /// The longest wait that backoff comes to, jitter included.
    ///
    /// Default: 5 s, or [`backoff`](Policy::backoff) where that is longer.
    #[inline]
    #[must_use]
    pub const fn max_backoff(&self) -> Duration {
        self.holds.max_backoff
    }

    /// How much of a wait is left to chance. Default: [`Jitter::Equal`].
    #[inline]
    #[must_use]
    pub const fn jitter(&self) -> Jitter {
        self.holds.jitter
    }

    /// The shortest attempt worth starting: where less is left, none starts.
    ///
    /// Default: 1 ms. Never above [`per_attempt`](Policy::per_attempt) or [`total`](Policy::total).
    #[inline]
    #[must_use]
    pub const fn min_attempt(&self) -> Duration {
        self.holds.min_attempt
    }

    /// What is taken off an inherited or explicit deadline, to leave time to answer. Default: zero.
    #[inline]
    #[must_use]
    pub const fn margin(&self) -> Duration {
        self.holds.margin
    }

    /// Whether an attempt that timed out may be made again. Default: `true`.
    #[inline]
    #[must_use]
    pub const fn idempotent(&self) -> bool {
        self.holds.idempotent
    }

    /// What the give-up of an inner retried call is. Default: [`Nested::Stop`].
    #[inline]
    #[must_use]
    pub const fn nested(&self) -> Nested {
        self.holds.nested
    }
}

impl Default for Policy {
    fn default() -> Self {
        Policy::builder().trusted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn every_default_holds_where_nothing_is_given() {
        let policy = Policy::default();
        assert_eq!(policy.total(), Some(Duration::from_secs(10)));
        assert_eq!(policy.per_attempt(), AttemptLimit::Share);
        assert_eq!(policy.attempts(), Some(3));
        assert_eq!(policy.backoff(), Some(ms(50)));
        assert_eq!(policy.factor(), 2.0);
        assert_eq!(policy.max_backoff(), Duration::from_secs(5));
        assert_eq!(policy.jitter(), Jitter::Equal);
        assert_eq!(policy.min_attempt(), ms(1));
        assert_eq!(policy.margin(), Duration::ZERO);
        assert!(policy.idempotent());
        assert_eq!(policy.nested(), Nested::Stop);
    }

    #[test]
    fn a_default_gives_way_to_what_is_given() {
        assert_eq!(Policy::builder().max_backoff(ms(20)).build().backoff(), Some(ms(20)));
        assert_eq!(Policy::builder().backoff(ms(7_000)).build().max_backoff(), ms(7_000));
        let tiny = Duration::from_micros(300);
        assert_eq!(Policy::builder().per_attempt(tiny).build().min_attempt(), tiny);
        assert_eq!(Policy::builder().total(tiny).build().min_attempt(), tiny);
    }

    #[test]
    fn what_is_given_holds() {
        let policy = Policy::builder()
            .no_total()
            .per_attempt(ms(200))
            .unlimited_attempts()
            .backoff(ms(10))
            .factor(1.5)
            .max_backoff(ms(90))
            .jitter(Jitter::Full)
            .min_attempt(Duration::ZERO)
            .margin(ms(20))
            .idempotent(false)
            .nested(Nested::Retry)
            .build();
        assert_eq!(policy.total(), None);
        assert_eq!(policy.per_attempt(), AttemptLimit::Of(ms(200)));
        assert_eq!(policy.attempts(), None);
        assert_eq!(policy.backoff(), Some(ms(10)));
        assert_eq!(policy.factor(), 1.5);
        assert_eq!(policy.max_backoff(), ms(90));
        assert_eq!(policy.jitter(), Jitter::Full);
        assert_eq!(policy.min_attempt(), Duration::ZERO);
        assert_eq!(policy.margin(), ms(20));
        assert!(!policy.idempotent());
        assert_eq!(policy.nested(), Nested::Retry);
    }

    #[test]
    fn an_impossible_value_becomes_the_nearest_possible_one() {
        let base = Policy::builder();
        assert_eq!(base.attempts(0).trusted().attempts(), Some(1));
        assert_eq!(base.attempts(u32::MAX).trusted().attempts(), None);
        assert_eq!(base.backoff(Duration::ZERO).trusted().backoff(), None);
        assert_eq!(base.backoff(ms(500)).max_backoff(ms(300)).trusted().backoff(), Some(ms(300)));
        assert_eq!(base.factor(0.2).trusted().factor(), 1.0);
        assert_eq!(base.factor(f64::NAN).trusted().factor(), 1.0);
        assert_eq!(base.total(Duration::ZERO).trusted().total(), Some(Duration::ZERO));
        assert_eq!(base.min_attempt(ms(300)).per_attempt(ms(200)).trusted().min_attempt(), ms(200));
        assert_eq!(base.min_attempt(ms(300)).total(ms(100)).trusted().min_attempt(), ms(100));
        let long = base.total(ms(100)).per_attempt(ms(200)).trusted();
        assert_eq!(long.per_attempt(), AttemptLimit::Of(ms(100)));
    }

    #[test]
    fn a_zero_limit_becomes_the_shortest_attempt() {
        let zero = Policy::builder().per_attempt(Duration::ZERO);
        assert_eq!(zero.trusted().per_attempt(), AttemptLimit::Of(ms(1)));
        assert_eq!(zero.min_attempt(ms(5)).trusted().per_attempt(), AttemptLimit::Of(ms(5)));
        assert_eq!(
            zero.min_attempt(Duration::ZERO).trusted().per_attempt(),
            AttemptLimit::Of(Duration::from_nanos(1))
        );
        assert_eq!(zero.min_attempt(ms(5)).trusted().min_attempt(), ms(5));
    }

    #[test]
    fn a_policy_taken_over_is_the_same_policy() {
        let policy = Policy::builder().total(ms(900)).no_backoff().idempotent(false).build();
        assert_eq!(policy.to_builder().build(), policy);
        assert_eq!(Policy::default().to_builder().build(), Policy::default());
        let longer = policy.to_builder().total(ms(1_000)).build();
        assert_eq!((longer.total(), longer.backoff(), longer.idempotent()), (Some(ms(1_000)), None, false));
    }
}
