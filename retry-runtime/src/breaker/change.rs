//! What an operator sees of a breaker.

use std::fmt;
use std::time::Duration;

use retry_policy::duration::human;

/// Whether attempts pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CircuitState {
    /// Every attempt passes.
    Closed,
    /// None does.
    Open,
    /// The time of an open breaker is over: some pass as probes, and what comes of them decides.
    HalfOpen,
}

impl fmt::Display for CircuitState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half-open",
        })
    }
}

/// One change of a breaker's state, for [`on_change`](super::CircuitBreaker::on_change). Its `Display` is a log line,
/// such as `users-db: closed -> open for 30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateChange {
    pub(super) name: Option<&'static str>,
    pub(super) from: CircuitState,
    pub(super) to: CircuitState,
    pub(super) by_hand: bool,
    pub(super) number: u32,
    pub(super) retry_after: Option<Duration>,
}

impl StateChange {
    /// The [name](super::CircuitBreaker::named) of the breaker.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// The state before.
    #[must_use]
    pub const fn from(&self) -> CircuitState {
        self.from
    }

    /// The state after. It may have changed again by now.
    #[must_use]
    pub const fn to(&self) -> CircuitState {
        self.to
    }

    /// Whether somebody asked for it, by `force_open`, `force_closed` or `reset`.
    #[must_use]
    pub const fn is_by_hand(&self) -> bool {
        self.by_hand
    }

    /// Grows from change to change of one breaker, not always by one: the order of reports that come from several
    /// threads at once. Starts again at zero after `u32::MAX`.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// How long until the breaker will probe; `None` where it is not open, or was forced.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for StateChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, .. } = self;
        write!(f, "{}: {from} -> {to}", self.name.unwrap_or("circuit breaker"))?;
        if let Some(time) = self.retry_after {
            write!(f, " for {}", human(time))?;
        }
        f.write_str(if self.by_hand { " (by hand)" } else { "" })
    }
}
