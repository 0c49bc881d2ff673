//! What holds for a key that is not given.
//!
//! Some defaults give way to a key that is: see [`BACKOFF`], [`MAX_BACKOFF`] and [`MIN_ATTEMPT`].

use core::time::Duration;

use crate::{AttemptLimit, Jitter, Nested};

/// `total`: 10 s for all attempts and waits together.
pub const TOTAL: Duration = Duration::from_secs(10);
/// `per_attempt`: each attempt gets its share of what is left.
pub const PER_ATTEMPT: AttemptLimit = AttemptLimit::Share;
/// `attempts`: 3, the first one included.
pub const ATTEMPTS: u32 = 3;
/// `backoff`: 50 ms before the second attempt, or `max_backoff` where that is given and shorter.
pub const BACKOFF: Duration = Duration::from_millis(50);
/// `factor`: each wait is twice the one before.
pub const FACTOR: f64 = 2.0;
/// `max_backoff`: no wait above 5 s, or above `backoff` where that is given and longer.
pub const MAX_BACKOFF: Duration = Duration::from_secs(5);
/// `jitter`: half of the wait is fixed, half is random.
pub const JITTER: Jitter = Jitter::Equal;
/// `min_attempt`: no attempt starts with less than 1 ms left, or less than the limit where that is shorter.
pub const MIN_ATTEMPT: Duration = Duration::from_millis(1);
/// `margin`: nothing is taken off an inherited deadline.
pub const MARGIN: Duration = Duration::ZERO;
/// `idempotent`: an attempt that timed out may be made again.
pub const IDEMPOTENT: bool = true;
/// `nested`: an inner call that gave up is not called again.
pub const NESTED: Nested = Nested::Stop;
