//! The values that hold: the given one, else the default, made possible where it is not.

use core::time::Duration;

use crate::duration::{longer, shorter};
use crate::{AttemptLimit, Jitter, Nested, Settings, Slot, defaults};

/// One value a key; [`Policy`](crate::Policy) documents each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Holds {
    pub(crate) total: Option<Duration>,
    pub(crate) per_attempt: AttemptLimit,
    pub(crate) attempts: Option<u32>,
    pub(crate) backoff: Option<Duration>,
    pub(crate) factor: f64,
    pub(crate) max_backoff: Duration,
    pub(crate) jitter: Jitter,
    pub(crate) min_attempt: Duration,
    pub(crate) margin: Duration,
    pub(crate) idempotent: bool,
    pub(crate) nested: Nested,
    pub(crate) nanos: Nanos,
}

/// The same in nanoseconds, which a running call counts in. They saturate: what would be further away than 584 years
/// is [`NEVER`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nanos {
    pub total: u64,
    /// The limit of a first attempt that has the whole total; 0: there is no time for one.
    pub first_limit: u64,
    pub per_attempt: u64,
    /// 0: no wait.
    pub backoff: u64,
    pub max_backoff: u64,
    pub min_attempt: u64,
    pub margin: u64,
    /// The factor where it is a whole number, as most are; else 0.
    pub factor: u64,
}

/// A time that never comes; a limit that is none.
#[doc(hidden)]
pub const NEVER: u64 = u64::MAX;

/// The shortest limit there is: a zero one would cut an attempt that has not begun.
const SHORTEST: Duration = Duration::from_nanos(1);

impl Holds {
    pub(crate) const fn of(settings: &Settings) -> Self {
        let total = match settings.total {
            Slot::Given(total) => total,
            _ => Some(defaults::TOTAL),
        };
        let least = match settings.min_attempt {
            Slot::Given(least) => least,
            _ => defaults::MIN_ATTEMPT,
        };
        let least = within(least, total);
        let per_attempt = match settings.per_attempt {
            Slot::Given(AttemptLimit::Of(limit)) => {
                let limit = if limit.is_zero() { longer(least, SHORTEST) } else { limit };
                AttemptLimit::Of(within(limit, total))
            }
            Slot::Given(limit) => limit,
            _ => defaults::PER_ATTEMPT,
        };
        let min_attempt = match per_attempt {
            AttemptLimit::Of(limit) => shorter(least, limit),
            AttemptLimit::Share | AttemptLimit::None => least,
        };
        let margin = match settings.margin {
            Slot::Given(margin) => margin,
            _ => defaults::MARGIN,
        };
        let (attempts, backoff, max_backoff) = (attempts(settings), backoff(settings), max_backoff(settings));
        let nanos = Nanos {
            total: or_never(total),
            first_limit: first_limit(or_never(total), per_attempt, attempts, nanos(min_attempt)),
            per_attempt: match per_attempt {
                AttemptLimit::Of(limit) => nanos(limit),
                AttemptLimit::None | AttemptLimit::Share => NEVER,
            },
            backoff: match backoff {
                Some(backoff) => nanos(backoff),
                None => 0,
            },
            max_backoff: nanos(max_backoff),
            min_attempt: nanos(min_attempt),
            margin: nanos(margin),
            factor: whole(factor(settings)),
        };
        Self {
            total,
            per_attempt,
            attempts,
            backoff,
            factor: factor(settings),
            max_backoff,
            jitter: match settings.jitter {
                Slot::Given(jitter) => jitter,
                _ => defaults::JITTER,
            },
            min_attempt,
            margin,
            idempotent: match settings.idempotent {
                Slot::Given(idempotent) => idempotent,
                _ => defaults::IDEMPOTENT,
            },
            nested: match settings.nested {
                Slot::Given(nested) => nested,
                _ => defaults::NESTED,
            },
            nanos,
        }
    }
}

/// 0 for one that is no whole number.
const fn whole(factor: f64) -> u64 {
    let whole = factor as u64;
    if whole as f64 == factor { whole } else { 0 }
}

const fn within(duration: Duration, total: Option<Duration>) -> Duration {
    match total {
        Some(total) => shorter(duration, total),
        None => duration,
    }
}

const fn attempts(settings: &Settings) -> Option<u32> {
    match settings.attempts {
        Slot::Given(None | Some(u32::MAX)) => None,
        Slot::Given(Some(0)) => Some(1),
        Slot::Given(attempts) => attempts,
        _ => Some(defaults::ATTEMPTS),
    }
}

const fn backoff(settings: &Settings) -> Option<Duration> {
    let backoff = match settings.backoff {
        Slot::Given(Some(backoff)) => backoff,
        Slot::Given(None) => return None,
        _ => defaults::BACKOFF,
    };
    let backoff = match settings.max_backoff {
        Slot::Given(most) => shorter(backoff, most),
        _ => backoff,
    };
    if backoff.is_zero() { None } else { Some(backoff) }
}

const fn factor(settings: &Settings) -> f64 {
    match settings.factor {
        Slot::Given(factor) if factor >= 1.0 => factor,
        Slot::Given(_) => 1.0,
        _ => defaults::FACTOR,
    }
}

const fn max_backoff(settings: &Settings) -> Duration {
    match (settings.max_backoff, settings.backoff) {
        (Slot::Given(most), _) => most,
        (_, Slot::Given(Some(backoff))) => longer(defaults::MAX_BACKOFF, backoff),
        _ => defaults::MAX_BACKOFF,
    }
}

/// [`Policy::limit`](crate::Policy::limit) and [`Policy::fits`](crate::Policy::fits) of the first attempt, without an
/// inherited deadline.
const fn first_limit(total: u64, per_attempt: AttemptLimit, attempts: Option<u32>, min_attempt: u64) -> u64 {
    let limit = match per_attempt {
        AttemptLimit::Of(limit) => nanos(limit),
        AttemptLimit::None => total,
        AttemptLimit::Share if total == NEVER => total,
        AttemptLimit::Share => {
            let attempts = match attempts {
                Some(attempts) => attempts,
                None => u32::MAX,
            };
            let share = total / attempts as u64;
            if share < min_attempt { min_attempt } else { share }
        }
    };
    if limit < total { limit } else { total }
}

const fn or_never(duration: Option<Duration>) -> u64 {
    match duration {
        Some(duration) => nanos(duration),
        None => NEVER,
    }
}

/// In nanoseconds; saturates: what is further away never comes.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn nanos(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos < NEVER as u128 { nanos as u64 } else { NEVER }
}
