//! What a body can learn of the attempt that it runs in.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU64;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::scope;

/// The attempt that the calling code runs in.
///
/// ```
/// use retry_runtime::{Attempt, RetryError, retry};
///
/// #[retry(attempts = 3, backoff = "none", on = std::fmt::Error)]
/// async fn third_time_lucky() -> Result<u32, RetryError<std::fmt::Error>> {
///     let attempt = Attempt::current().expect("runs in an attempt");
///     if attempt.number() < 3 { Err(std::fmt::Error) } else { Ok(attempt.number()) }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// assert_eq!(third_time_lucky().await.unwrap(), 3);
/// assert!(Attempt::current().is_none());
/// # });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    number: u32,
    limit: Duration,
    end: Deadline,
    call: CallId,
}

impl Attempt {
    /// The innermost attempt around the calling code; `None` outside of any, so in a task of `tokio::spawn` and under
    /// [`Deadline::detached`] too. (Tasks of a `LocalSet` that the body itself runs are polled inside of the attempt, and
    /// see it.) `on`, `when` and the hints are asked after the attempt, outside of it.
    #[must_use]
    pub fn current() -> Option<Self> {
        let (number, span, call) = scope::attempt()?;
        Some(Self { number, limit: span.length(), end: span.end(), call })
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Whether an earlier attempt of the same call failed.
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        self.number > 1
    }

    /// How long this attempt may take, from its start; [`Duration::MAX`] where nothing limits it.
    #[must_use]
    pub const fn limit(&self) -> Duration {
        self.limit
    }

    /// What is left of the limit: zero when it is over.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.end.remaining()
    }

    /// A key that is the same for all attempts of one call and unique among calls: for servers that recognise a
    /// repeated request by it.
    #[must_use]
    pub fn idempotency_key(&self) -> IdempotencyKey {
        IdempotencyKey::of(self.call)
    }
}

/// The number of a call, unique in this process. Drawn only for calls that somebody asks about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallId(NonZeroU64);

impl CallId {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // 600 years of a call a nanosecond do not come round to zero.
        Self(NonZeroU64::new(NEXT.fetch_add(1, Relaxed)).unwrap_or(NonZeroU64::MIN))
    }
}

/// A key of 122 bits that no other call has, shown like a UUID of version 4 (RFC 9562, section 5.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey {
    high: u64,
    low: u64,
}

impl IdempotencyKey {
    /// The number of the call, hashed with a secret of this process.
    fn of(call: CallId) -> Self {
        static SECRET: OnceLock<[RandomState; 2]> = OnceLock::new();
        let [high, low] = SECRET.get_or_init(|| [RandomState::new(), RandomState::new()]);
        let (high, low) = (high.hash_one(call.0), low.hash_one(call.0));
        Self { high: high & !0xf000 | 0x4000, low: low & !(0b11 << 62) | 0b10 << 62 }
    }

    /// The sixteen bytes, as in a UUID.
    #[must_use]
    pub const fn as_bytes(self) -> [u8; 16] {
        (((self.high as u128) << 64) | self.low as u128).to_be_bytes()
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (high, low) = (self.high, self.low);
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff,
        )
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
