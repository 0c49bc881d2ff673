//! The slots: one a key, and whether it is given, not given, or not known.

use core::time::Duration;

/// How long one attempt may take, besides what is left of the whole call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AttemptLimit {
    /// A fair part of what is left: `remaining / attempts left`. The default.
    #[default]
    Share,
    /// No limit of its own: one attempt may use up all that is left.
    None,
    /// At most this long.
    Of(Duration),
}

/// How much of a wait is left to chance, so that callers that failed together do not return together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Half of the wait is fixed, half is random: between `backoff / 2` and `backoff`. The default.
    #[default]
    Equal,
    /// All of it is random: between zero and `backoff`.
    Full,
    /// Exactly `backoff`.
    None,
}

/// What the give-up of an inner retried call is for the outer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nested {
    /// The end: the inner call has tried already, so retries do not multiply. The default.
    #[default]
    Stop,
    /// An error like any other, worth another attempt if it is transient.
    Retry,
}

/// One key's value, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Slot<T> {
    /// Not given: the default holds.
    #[default]
    Default,
    /// Given, with this value.
    Given(T),
    /// Given, with a value that is known at run time only. Rules that need the value are silent.
    Unknown,
    /// Not given here but taken over from another policy, with its value where that is known. What it says counts
    /// in a comparison, but it is never called superfluous.
    Base(Option<T>),
}

impl<T: Copy> Slot<T> {
    /// The value, or the default where the key is not given; `None` where it is not known.
    pub(crate) const fn or(self, default: T) -> Option<T> {
        match self {
            Slot::Default => Some(default),
            Slot::Given(value) | Slot::Base(Some(value)) => Some(value),
            Slot::Unknown | Slot::Base(None) => None,
        }
    }

    /// The value, but no default.
    pub(crate) const fn given(self) -> Option<T> {
        match self {
            Slot::Given(value) | Slot::Base(Some(value)) => Some(value),
            Slot::Default | Slot::Unknown | Slot::Base(None) => None,
        }
    }

    /// Whether the key stands here, rather than in another policy or nowhere.
    pub(crate) const fn is_written(self) -> bool {
        matches!(self, Slot::Given(_) | Slot::Unknown)
    }

    /// As seen by a policy that takes this one over.
    pub(crate) const fn taken_over(self) -> Self {
        match self {
            Slot::Given(value) => Slot::Base(Some(value)),
            other => other,
        }
    }

    /// As kept in a finished policy, which does not care where a value came from.
    pub(crate) const fn settled(self) -> Self {
        match self.given() {
            Some(value) => Slot::Given(value),
            None => Slot::Default,
        }
    }
}

/// All keys with a number or a choice in them, before they are checked.
///
/// The attribute and [`PolicyBuilder`](crate::PolicyBuilder) both fill one of these and ask it for its
/// [`problems`](Settings::problems).
///
/// ```
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::{Key, Settings, Slot};
/// use std::time::Duration;
///
/// let mut settings = Settings::new();
/// settings.attempts = Slot::Given(Some(1));
/// settings.backoff = Slot::Given(Some(Duration::from_secs(1)));
/// let problems = settings.problems();
/// assert_eq!(problems.len(), 1);
/// assert_eq!(problems[0].key, Key::Backoff);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The budget of the whole call; `None` is `"none"`.
    pub total: Slot<Option<Duration>>,
    /// The limit of one attempt.
    pub per_attempt: Slot<AttemptLimit>,
    /// How many attempts, the first one included; `None` is `"unlimited"`.
    pub attempts: Slot<Option<u32>>,
    /// The first wait; `None` is `"none"`.
    pub backoff: Slot<Option<Duration>>,
    /// By how much each wait is longer than the one before.
    pub factor: Slot<f64>,
    /// The longest wait.
    pub max_backoff: Slot<Duration>,
    /// How much of a wait is left to chance.
    pub jitter: Slot<Jitter>,
    /// The shortest attempt worth starting.
    pub min_attempt: Slot<Duration>,
    /// What is taken off an inherited or explicit deadline.
    pub margin: Slot<Duration>,
    /// Whether an attempt that timed out may be made again.
    pub idempotent: Slot<bool>,
    /// What the give-up of an inner call is.
    pub nested: Slot<Nested>,
}

impl Settings {
    /// Nothing given: every default holds.
    #[must_use]
    pub const fn new() -> Self {
        Settings {
            total: Slot::Default,
            per_attempt: Slot::Default,
            attempts: Slot::Default,
            backoff: Slot::Default,
            factor: Slot::Default,
            max_backoff: Slot::Default,
            jitter: Slot::Default,
            min_attempt: Slot::Default,
            margin: Slot::Default,
            idempotent: Slot::Default,
            nested: Slot::Default,
        }
    }

    /// Nothing given here, everything taken over from a policy that is known at run time only.
    #[must_use]
    pub const fn based_on_unknown() -> Self {
        Settings {
            total: Slot::Base(None),
            per_attempt: Slot::Base(None),
            attempts: Slot::Base(None),
            backoff: Slot::Base(None),
            factor: Slot::Base(None),
            max_backoff: Slot::Base(None),
            jitter: Slot::Base(None),
            min_attempt: Slot::Base(None),
            margin: Slot::Base(None),
            idempotent: Slot::Base(None),
            nested: Slot::Base(None),
        }
    }

    pub(crate) const fn taken_over(self) -> Self {
        Settings {
            total: self.total.taken_over(),
            per_attempt: self.per_attempt.taken_over(),
            attempts: self.attempts.taken_over(),
            backoff: self.backoff.taken_over(),
            factor: self.factor.taken_over(),
            max_backoff: self.max_backoff.taken_over(),
            jitter: self.jitter.taken_over(),
            min_attempt: self.min_attempt.taken_over(),
            margin: self.margin.taken_over(),
            idempotent: self.idempotent.taken_over(),
            nested: self.nested.taken_over(),
        }
    }

    pub(crate) const fn settled(self) -> Self {
        Settings {
            total: self.total.settled(),
            per_attempt: self.per_attempt.settled(),
            attempts: self.attempts.settled(),
            backoff: self.backoff.settled(),
            factor: self.factor.settled(),
            max_backoff: self.max_backoff.settled(),
            jitter: self.jitter.settled(),
            min_attempt: self.min_attempt.settled(),
            margin: self.margin.settled(),
            idempotent: self.idempotent.settled(),
            nested: self.nested.settled(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::new()
    }
}
