//! What an attempt holds while it runs, and what it gets where it may not.

use std::error::Error;
use std::fmt;
use std::mem;
use std::time::Duration;

use retry_policy::duration::human;
use tokio::time::Instant;

use super::CircuitBreaker;
use super::word::Stamp;

/// One admitted attempt, from [`CircuitBreaker::try_acquire`].
///
/// Say what came of it. Dropped without that, by a cancelled future, a panic or an early `?`, it counts as nothing, and
/// a probe's slot is free again. An outcome counts only while the breaker is what it was when it admitted the attempt:
/// once it has opened, was forced or reset, late outcomes change nothing.
#[must_use = "dropped at once, the attempt counts as nothing"]
pub struct Permit<'a> {
    breaker: &'a CircuitBreaker,
    stamp: Stamp,
}

impl<'a> Permit<'a> {
    #[inline]
    pub(super) const fn new(breaker: &'a CircuitBreaker, stamp: Stamp) -> Self {
        Self { breaker, stamp }
    }

    /// The server answered, be it with an error: it works.
    #[inline]
    pub fn success(self) {
        self.succeed_at(Instant::now);
    }

    /// The server failed, or had no answer in time.
    #[inline]
    pub fn failure(self) {
        self.fail_at(Instant::now);
    }

    /// Whether the attempt is a probe of a half-open breaker.
    #[must_use]
    pub const fn is_probe(&self) -> bool {
        self.stamp.is_probe()
    }

    /// For the session, which gives it back by itself.
    #[inline]
    pub(crate) fn keep(self) -> Stamp {
        self.spend().1
    }

    /// The clock is read only where the breaker needs it.
    #[inline]
    pub(crate) fn succeed_at(self, now: impl FnOnce() -> Instant) {
        let (breaker, stamp) = self.spend();
        breaker.succeed(stamp, now);
    }

    /// The clock is read only where the breaker needs it.
    #[inline]
    pub(crate) fn fail_at(self, now: impl FnOnce() -> Instant) {
        let (breaker, stamp) = self.spend();
        breaker.fail(stamp, now);
    }

    /// The slot is the outcome's to give back.
    #[inline]
    fn spend(self) -> (&'a CircuitBreaker, Stamp) {
        let parts = (self.breaker, self.stamp);
        mem::forget(self);
        parts
    }
}

impl Drop for Permit<'_> {
    #[inline]
    fn drop(&mut self) {
        self.breaker.release(self.stamp);
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("is_probe", &self.is_probe()).finish_non_exhaustive()
    }
}

/// The breaker lets no attempt pass at this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CircuitOpen {
    pub(super) name: Option<&'static str>,
    pub(super) retry_after: Option<Duration>,
}

impl CircuitOpen {
    /// How long until the breaker will probe. `None` where nobody knows: it was forced open, or its probes are still
    /// running.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The [name](CircuitBreaker::named) of the breaker.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        self.name
    }
}

impl fmt::Display for CircuitOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the circuit breaker ")?;
        if let Some(name) = self.name {
            write!(f, "`{name}` ")?;
        }
        f.write_str("is open")?;
        self.retry_after.map_or(Ok(()), |time| write!(f, " for another {}", human(whole_ms(time))))
    }
}

impl Error for CircuitOpen {}

/// Rounded up: who waits so long is not too early.
fn whole_ms(time: Duration) -> Duration {
    let ms = Duration::from_millis(1);
    let over = time.as_nanos() % ms.as_nanos();
    if over == 0 { time } else { time.saturating_add(ms).saturating_sub(Duration::from_nanos(over as u64)) }
}
