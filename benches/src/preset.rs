//! The numbers that the contestants are given: the same for all, and constants, as in a real program.

use std::time::Duration;

/// Limits and waits of a call.
pub(crate) trait Preset: Send + Sync + 'static {
    const TOTAL: Duration;
    const PER_ATTEMPT: Duration;
    const ATTEMPTS: u32 = 5;
    /// The first wait; each further one is twice as long.
    const BACKOFF: Duration;
}

/// Waits between the attempts.
pub(crate) struct Waits;

impl Preset for Waits {
    const TOTAL: Duration = Duration::from_secs(1);
    const PER_ATTEMPT: Duration = Duration::from_millis(200);
    const BACKOFF: Duration = Duration::from_millis(1);
}

/// Repeats at once.
pub(crate) struct AtOnce;

impl Preset for AtOnce {
    const TOTAL: Duration = Duration::from_secs(1);
    const PER_ATTEMPT: Duration = Duration::from_millis(200);
    const BACKOFF: Duration = Duration::ZERO;
}

/// Its total ends the first attempt, after a time in which a million calls can be started.
pub(crate) struct Long;

impl Preset for Long {
    const TOTAL: Duration = Duration::from_secs(8);
    const PER_ATTEMPT: Duration = Duration::from_secs(60);
    const BACKOFF: Duration = Duration::from_millis(1);
}

/// Its total ends the first attempt soon.
pub(crate) struct Short;

impl Preset for Short {
    const TOTAL: Duration = Duration::from_millis(50);
    const PER_ATTEMPT: Duration = Duration::from_secs(60);
    const BACKOFF: Duration = Duration::from_millis(1);
}
