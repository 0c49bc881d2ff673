//! Slots to a policy, checked.

use core::fmt;
use core::time::Duration;

use crate::{AttemptLimit, Jitter, Key, Nested, Policy, Problem, Settings, Slot};

/// Sets a [`Policy`]'s keys, then [checks](PolicyBuilder::build) them.
///
/// Every method is `const`. A key that is set twice has the last value.
///
/// ```
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::{Jitter, Policy};
/// use std::time::Duration;
///
/// const POLL: Policy = Policy::builder()
///     .no_total()
///     .per_attempt(Duration::from_secs(2))
///     .unlimited_attempts()
///     .backoff(Duration::from_secs(1))
///     .jitter(Jitter::Full)
///     .build();
/// assert_eq!(POLL.attempts(), None);
/// ```
///
/// In a constant a mistake is a compile error, with the sentence that the attribute would show:
///
/// ```compile_fail
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::Policy;
/// use std::time::Duration;
///
/// const WRONG: Policy = Policy::builder()
///     .total(Duration::from_secs(1))
///     .per_attempt(Duration::from_secs(2)) // longer than `total`
///     .build();
/// # fn main() { let _ = WRONG; }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use = "a builder does nothing until it is built"]
pub struct PolicyBuilder {
    pub(crate) settings: Settings,
}

impl PolicyBuilder {
    pub(crate) const fn new() -> Self {
        PolicyBuilder { settings: Settings::new() }
    }

    /// The budget of the whole call, all attempts and waits together. Default: 10 s.
    pub const fn total(mut self, total: Duration) -> Self {
        self.settings.total = Slot::Given(Some(total));
        self
    }

    /// No budget (`total = "none"`), for a background loop. It needs a [`per_attempt`](PolicyBuilder::per_attempt)
    /// duration, a wait and more than one attempt; an inherited deadline still holds.
    pub const fn no_total(mut self) -> Self {
        self.settings.total = Slot::Given(None);
        self
    }

    /// The limit of one attempt. Default: [`share`](PolicyBuilder::share).
    pub const fn per_attempt(mut self, limit: Duration) -> Self {
        self.settings.per_attempt = Slot::Given(AttemptLimit::Of(limit));
        self
    }

    /// Each attempt gets its share of what is left (`per_attempt = "share"`): `remaining / attempts left`.
    pub const fn share(mut self) -> Self {
        self.settings.per_attempt = Slot::Given(AttemptLimit::Share);
        self
    }

    /// No limit of its own for an attempt (`per_attempt = "none"`): one may use up all that is left.
    pub const fn no_per_attempt(mut self) -> Self {
        self.settings.per_attempt = Slot::Given(AttemptLimit::None);
        self
    }

    /// How many attempts, the first one included. Default: 3.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.settings.attempts = Slot::Given(Some(attempts));
        self
    }

    /// As many attempts as there is time for (`attempts = "unlimited"`). It needs a
    /// [`per_attempt`](PolicyBuilder::per_attempt) duration and a wait.
    pub const fn unlimited_attempts(mut self) -> Self {
        self.settings.attempts = Slot::Given(None);
        self
    }

    /// The wait before the second attempt. Default: 50 ms, or `max_backoff` if that is shorter.
    pub const fn backoff(mut self, backoff: Duration) -> Self {
        self.settings.backoff = Slot::Given(Some(backoff));
        self
    }

    /// No wait between attempts (`backoff = "none"`).
    pub const fn no_backoff(mut self) -> Self {
        self.settings.backoff = Slot::Given(None);
        self
    }

    /// By how much each wait is longer than the one before; at least 1. Default: 2.
    pub const fn factor(mut self, factor: f64) -> Self {
        self.settings.factor = Slot::Given(factor);
        self
    }

    /// The longest wait, jitter included. Default: 5 s, or `backoff` if that is longer.
    pub const fn max_backoff(mut self, most: Duration) -> Self {
        self.settings.max_backoff = Slot::Given(most);
        self
    }

    /// How much of a wait is left to chance. Default: [`Jitter::Equal`].
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.settings.jitter = Slot::Given(jitter);
        self
    }

    /// The shortest attempt worth starting. Default: 1 ms, or the limit if that is shorter.
    pub const fn min_attempt(mut self, least: Duration) -> Self {
        self.settings.min_attempt = Slot::Given(least);
        self
    }

    /// What is taken off an inherited or explicit deadline, to leave time to answer. Default: zero.
    pub const fn margin(mut self, margin: Duration) -> Self {
        self.settings.margin = Slot::Given(margin);
        self
    }

    /// Whether an attempt that timed out may be made again. Default: `true`.
    ///
    /// A timeout does not mean that the server did nothing: say `false` where doing it twice would harm.
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.settings.idempotent = Slot::Given(idempotent);
        self
    }

    /// What the give-up of an inner retried call is. Default: [`Nested::Stop`].
    pub const fn nested(mut self, nested: Nested) -> Self {
        self.settings.nested = Slot::Given(nested);
        self
    }

    /// The policy.
    ///
    /// # Panics
    ///
    /// Where two keys contradict each other, or one has a value that cannot be, with the first such mistake's
    /// sentence. In a constant that is a compile error. For values that come in at run time there is
    /// [`try_build`](PolicyBuilder::try_build).
    #[must_use]
    #[track_caller]
    pub const fn build(self) -> Policy {
        match self.try_build() {
            Ok(policy) => policy,
            Err(error) => panic!("{}", error.problem.message),
        }
    }

    /// The policy, or the first mistake in it.
    ///
    /// # Errors
    ///
    /// Where [`build`](PolicyBuilder::build) would panic.
    ///
    /// ```
    /// # extern crate retry_policy as retry_runtime;
    /// use retry_runtime::{Key, Policy};
    /// use std::time::Duration;
    ///
    /// let read_from_config = Duration::ZERO;
    /// let error = Policy::builder().total(read_from_config).try_build().unwrap_err();
    /// assert_eq!(error.key(), Key::Total);
    /// assert!(error.to_string().starts_with("a zero `total`"));
    /// ```
    pub const fn try_build(self) -> Result<Policy, PolicyError> {
        let mut rule = 0;
        while rule < Settings::RULES {
            if let Some(problem) = self.settings.problem(rule) {
                return Err(PolicyError { problem });
            }
            rule += 1;
        }
        Ok(self.trusted())
    }

    /// The policy, unchecked: for generated code, whose literals the macro has checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn trusted(self) -> Policy {
        Policy::of(self.settings.settled())
    }
}

/// For run-time values in the attribute, where `None` leaves the key as it was.
#[doc(hidden)]
impl PolicyBuilder {
    pub const fn total_if(self, total: Option<Duration>) -> Self {
        match total {
            Some(total) => self.total(total),
            None => self,
        }
    }

    pub const fn per_attempt_if(self, limit: Option<Duration>) -> Self {
        match limit {
            Some(limit) => self.per_attempt(limit),
            None => self,
        }
    }

    pub const fn backoff_if(self, backoff: Option<Duration>) -> Self {
        match backoff {
            Some(backoff) => self.backoff(backoff),
            None => self,
        }
    }

    pub const fn max_backoff_if(self, most: Option<Duration>) -> Self {
        match most {
            Some(most) => self.max_backoff(most),
            None => self,
        }
    }

    pub const fn min_attempt_if(self, least: Option<Duration>) -> Self {
        match least {
            Some(least) => self.min_attempt(least),
            None => self,
        }
    }

    pub const fn margin_if(self, margin: Option<Duration>) -> Self {
        match margin {
            Some(margin) => self.margin(margin),
            None => self,
        }
    }
}

/// Why a policy was refused: its first mistake, in one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyError {
    problem: Problem,
}

impl PolicyError {
    /// The key whose value to change.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.problem.key
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.problem.message)
    }
}

impl core::error::Error for PolicyError {}
