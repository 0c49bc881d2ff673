//! How long to wait, jitter included.

use core::time::Duration;

use crate::{Jitter, NEVER, Nanos, Policy};

impl Policy {
    /// The wait that follows this attempt, before jitter: `backoff * factor^(attempt - 1)`, at most `max_backoff`.
    ///
    /// Attempts are numbered from 1. Zero where there is no wait. It never overflows, whatever the attempt.
    ///
    /// ```
    /// # extern crate retry_policy as retry_runtime;
    /// use retry_runtime::Policy;
    /// use std::time::Duration;
    ///
    /// let policy = Policy::default();
    /// assert_eq!(policy.backoff_after(1), Duration::from_millis(50));
    /// assert_eq!(policy.backoff_after(3), Duration::from_millis(200));
    /// assert_eq!(policy.backoff_after(u32::MAX), Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn backoff_after(&self, attempt: u32) -> Duration {
        match self.backoff_nanos(attempt) {
            NEVER => self.max_backoff(),
            nanos => Duration::from_nanos(nanos),
        }
    }

    pub(crate) fn backoff_nanos(&self, attempt: u32) -> u64 {
        let Nanos { backoff: first, max_backoff: most, factor, .. } = *self.nanos();
        let times = attempt.saturating_sub(1);
        if times == 0 || first == 0 || factor == 1 {
            return first;
        }
        if factor > 1 {
            // At most 64 turns: each at least doubles it.
            let mut wait = first;
            for _ in 0..times {
                wait = wait.saturating_mul(factor);
                if wait >= most {
                    return most;
                }
            }
            return wait;
        }
        let growth = self.factor().powi(i32::try_from(times).unwrap_or(i32::MAX));
        // In nanoseconds, not seconds, which have no exact fractions. The product may be infinite, never `NaN`:
        // `first` is above zero and `growth` at least 1.
        let nanos = first as f64 * growth;
        if nanos >= most as f64 { most } else { (nanos.round() as u64).clamp(first, most) }
    }
}

/// The wait with chance in it: at most `wait` nanoseconds. A random number is drawn only where one is needed.
#[inline]
pub(crate) fn jittered(wait: u64, jitter: Jitter, draw: &mut impl FnMut() -> u64) -> u64 {
    match jitter {
        Jitter::None => wait,
        Jitter::Full => up_to(wait, draw),
        Jitter::Equal => wait / 2 + up_to(wait - wait / 2, draw),
    }
}

/// Between zero and `most`, both included, each as likely as the next.
#[inline]
pub(crate) fn up_to(most: u64, draw: &mut impl FnMut() -> u64) -> u64 {
    if most == 0 {
        return 0;
    }
    // `draw * (most + 1) / 2^64`.
    ((u128::from(draw()) * (u128::from(most) + 1)) >> 64) as u64
}

/// The longest duration where there are too many nanoseconds for one.
pub(crate) fn from_nanos(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    match u64::try_from(nanos / SECOND) {
        Ok(seconds) => Duration::new(seconds, (nanos % SECOND) as u32),
        Err(_) => Duration::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn policy(backoff: Duration, factor: f64, most: Duration) -> Policy {
        Policy::builder().backoff(backoff).factor(factor).max_backoff(most).trusted()
    }

    fn waits(policy: Policy, count: u32) -> Vec<Duration> {
        (1..=count).map(|attempt| policy.backoff_after(attempt)).collect()
    }

    #[test]
    fn waits_double_up_to_the_longest_one() {
        let expected = [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000].map(ms);
        assert_eq!(waits(Policy::default(), 9), expected);
    }

    #[test]
    fn a_whole_factor_is_exact() {
        let long = Duration::from_secs(86_400 * 30);
        assert_eq!(
            waits(policy(Duration::from_nanos(7), 3.0, long), 30)[29],
            Duration::from_nanos(7 * 3_u64.pow(29))
        );
        assert_eq!(waits(policy(ms(100), 10.0, long), 4), [100, 1_000, 10_000, 100_000].map(ms));
    }

    #[test]
    fn a_broken_factor_grows_too() {
        assert_eq!(
            waits(policy(ms(100), 1.5, ms(10_000)), 4),
            [100_000, 150_000, 225_000, 337_500].map(Duration::from_micros)
        );
    }

    #[test]
    fn a_factor_of_one_keeps_every_wait_the_same() {
        assert_eq!(policy(ms(70), 1.0, ms(1_000)).backoff_after(u32::MAX), ms(70));
    }

    #[test]
    fn a_factor_that_is_none_counts_as_one_and_an_infinite_one_jumps_to_the_cap() {
        for factor in [0.5, 0.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(waits(policy(ms(70), factor, ms(1_000)), 3), [ms(70); 3]);
        }
        assert_eq!(waits(policy(ms(70), f64::INFINITY, ms(1_000)), 3), [70, 1_000, 1_000].map(ms));
    }

    #[test]
    fn the_longest_wait_is_a_hard_limit() {
        assert_eq!(waits(policy(ms(500), 2.0, ms(300)), 3), [ms(300); 3]);
        assert_eq!(waits(policy(ms(500), 2.0, Duration::ZERO), 3), [Duration::ZERO; 3]);
    }

    #[test]
    fn no_number_overflows() {
        let durations =
            [Duration::ZERO, Duration::from_nanos(1), ms(50), Duration::from_secs(1 << 40), Duration::MAX];
        let factors = [1.0, 1.0 + f64::EPSILON, 2.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
        for first in durations {
            for most in durations {
                for factor in factors {
                    let policy = policy(first, factor, most);
                    for attempt in [0, 1, 2, 3, 64, 65, 1 << 20, i32::MAX as u32, u32::MAX] {
                        let wait = policy.backoff_after(attempt);
                        assert!(wait >= first.min(most) && wait <= most);
                    }
                }
            }
        }
        assert_eq!(policy(Duration::MAX, 2.0, Duration::MAX).backoff_after(9), Duration::MAX);
    }

    #[test]
    fn waits_never_become_shorter() {
        for factor in [1.0, 1.0001, 1.1, 1.7, 2.0, 3.3] {
            let waits = waits(policy(Duration::from_nanos(3), factor, Duration::MAX), 3_000);
            assert!(waits.is_sorted());
        }
    }

    #[test]
    fn jitter_stays_within_its_bounds() {
        for wait in [1, 3, 100_000_000, u64::MAX] {
            for draw in [0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                let equal = jittered(wait, Jitter::Equal, &mut || draw);
                assert!(equal >= wait / 2 && equal <= wait);
                assert!(jittered(wait, Jitter::Full, &mut || draw) <= wait);
                assert_eq!(jittered(wait, Jitter::None, &mut || draw), wait);
            }
        }
    }

    #[test]
    fn jitter_reaches_both_ends() {
        assert_eq!(jittered(100, Jitter::Full, &mut || 0), 0);
        assert_eq!(jittered(100, Jitter::Full, &mut || u64::MAX), 100);
        assert_eq!(jittered(100, Jitter::Equal, &mut || 0), 50);
        assert_eq!(jittered(100, Jitter::Equal, &mut || u64::MAX), 100);
    }

    #[test]
    fn jitter_is_even() {
        // 0, 1 and 2 ns: a third of the draws each.
        for (draw, expected) in [(0, 0), (u64::MAX / 3, 0), (u64::MAX / 3 + 1, 1), (u64::MAX / 3 * 2 + 2, 2)]
        {
            assert_eq!(up_to(2, &mut || draw), expected);
        }
        // As many nanoseconds as draws.
        assert_eq!(up_to(u64::MAX, &mut || 1 << 63), 1 << 63);
    }

    #[test]
    fn nothing_is_drawn_where_nothing_varies() {
        let mut never = || panic!("drawn");
        assert_eq!(jittered(100, Jitter::None, &mut never), 100);
        assert_eq!(jittered(0, Jitter::Full, &mut never), 0);
        assert_eq!(jittered(0, Jitter::Equal, &mut never), 0);
    }
}
