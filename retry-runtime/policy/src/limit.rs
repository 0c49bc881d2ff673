//! How long an attempt may take, and whether there is time for another.
//!
//! `remaining` is what is left until the deadline; `None` means that there is no deadline. A running call asks in
//! nanoseconds, `left` being [`NEVER`] where there is no deadline; the other methods ask the same, in durations.

use core::time::Duration;

use crate::backoff::{jittered, up_to};
use crate::holds::nanos;
use crate::{AttemptLimit, Jitter, NEVER, Policy};

/// What comes after an attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait<T = Duration> {
    /// Another attempt after this wait, which may be zero.
    Whole(T),
    /// The wait did not fit, so it is shortened, once: the attempt after it is the last.
    Shortened(T),
    /// None: the server asked for a wait that leaves no time for an attempt.
    HintTooLong,
    /// None: there is no time for another attempt.
    OutOfTime,
}

impl Policy {
    /// The most that this attempt may take; `None` where nothing limits it.
    ///
    /// `attempt` is numbered from 1. `last` is said of the attempt after a shortened wait: its share is all that is
    /// left.
    ///
    /// ```
    /// # extern crate retry_policy as retry_runtime;
    /// use retry_runtime::Policy;
    /// use std::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let share = Policy::builder().total(ms(900)).build(); // 3 attempts
    /// assert_eq!(share.limit(1, false, Some(ms(900))), Some(ms(300)));
    /// assert_eq!(share.limit(2, true, Some(ms(500))), Some(ms(500)));
    /// ```
    #[must_use]
    pub fn limit(&self, attempt: u32, last: bool, remaining: Option<Duration>) -> Option<Duration> {
        match self.limit_nanos(attempt, last, left(remaining)) {
            NEVER => remaining,
            limit => Some(Duration::from_nanos(limit)),
        }
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn limit_nanos(&self, attempt: u32, last: bool, left: u64) -> u64 {
        match self.per_attempt() {
            AttemptLimit::Of(_) => left.min(self.nanos().per_attempt),
            AttemptLimit::None => left,
            AttemptLimit::Share if last || left == NEVER => left,
            AttemptLimit::Share => {
                let before = attempt.saturating_sub(1);
                let attempts = self.attempts().unwrap_or(u32::MAX).saturating_sub(before).max(1);
                (left / u64::from(attempts)).max(self.nanos().min_attempt).min(left)
            }
        }
    }

    /// Whether there is time for an attempt: at least `min_attempt` is left, and more than nothing.
    #[inline]
    #[must_use]
    pub fn fits(&self, remaining: Option<Duration>) -> bool {
        self.fits_nanos(left(remaining))
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn fits_nanos(&self, left: u64) -> bool {
        left != 0 && left >= self.nanos().min_attempt
    }

    /// What comes after the failure of this attempt, as far as time decides; whether `attempts` are used up is the
    /// caller's question.
    ///
    /// `attempt` is the number of the one that ended, from 1; `hint` is what the server asked for; `shortened` says
    /// that a wait of this call was shortened already; `draw` gives random bits and is asked only where there is
    /// something to vary.
    ///
    /// The wait is the backoff with jitter or the hint, whichever is longer. A hint is never shortened; with jitter
    /// on, up to a tenth is added to it, as far as that fits.
    ///
    /// ```
    /// # extern crate retry_policy as retry_runtime;
    /// use retry_runtime::{Jitter, Policy, Wait};
    /// use std::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let policy = Policy::builder().total(ms(1000)).backoff(ms(700)).jitter(Jitter::None).build();
    /// assert_eq!(policy.next_wait(1, Some(ms(1000)), None, false, || 0), Wait::Whole(ms(700)));
    /// // 1.4 s do not fit into the 300 ms left: half of them are for a last attempt.
    /// assert_eq!(policy.next_wait(2, Some(ms(300)), None, false, || 0), Wait::Shortened(ms(150)));
    /// assert_eq!(policy.next_wait(3, Some(ms(150)), None, true, || 0), Wait::OutOfTime);
    /// assert_eq!(policy.next_wait(1, Some(ms(1000)), Some(ms(1000)), false, || 0), Wait::HintTooLong);
    /// ```
    #[must_use]
    pub fn next_wait(
        &self,
        attempt: u32,
        remaining: Option<Duration>,
        hint: Option<Duration>,
        shortened: bool,
        draw: impl FnMut() -> u64,
    ) -> Wait {
        // A hint of zero asks for nothing.
        let hint = hint.map_or(0, nanos);
        match self.next_wait_nanos(attempt, left(remaining), hint, shortened, draw) {
            Wait::Whole(wait) => Wait::Whole(duration(wait)),
            Wait::Shortened(wait) => Wait::Shortened(duration(wait)),
            Wait::HintTooLong => Wait::HintTooLong,
            Wait::OutOfTime => Wait::OutOfTime,
        }
    }

    #[doc(hidden)]
    #[must_use]
    #[inline(always)] // It is used in two places, and dear in each without.
    pub fn next_wait_nanos(
        &self,
        attempt: u32,
        left: u64,
        hint: u64,
        shortened: bool,
        mut draw: impl FnMut() -> u64,
    ) -> Wait<u64> {
        if left == 0 {
            return Wait::OutOfTime;
        }
        if hint != 0 && !self.fits_after_nanos(hint, left) {
            return Wait::HintTooLong;
        }
        if shortened {
            return Wait::OutOfTime;
        }
        let mut wait = jittered(self.backoff_nanos(attempt), self.jitter(), &mut draw);
        if hint > wait {
            wait = self.spread_hint_nanos(hint, left, &mut draw);
        }
        if self.fits_after_nanos(wait, left) {
            return Wait::Whole(wait);
        }
        let wait = left.saturating_sub(self.room(left)).max(hint);
        if wait == 0 { Wait::OutOfTime } else { Wait::Shortened(wait) }
    }

    /// A wait that the server asked for, and that fits: up to a tenth longer, as far as that fits, so that clients told
    /// the same do not return together.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn spread_hint_nanos(&self, hint: u64, left: u64, mut draw: impl FnMut() -> u64) -> u64 {
        if self.jitter() == Jitter::None {
            return hint;
        }
        let spare = if left == NEVER {
            left
        } else {
            left.saturating_sub(hint).saturating_sub(self.nanos().min_attempt)
        };
        hint.saturating_add(up_to(spare.min(hint / 10), &mut draw))
    }

    /// Whether a wait leaves time for an attempt.
    #[doc(hidden)]
    #[must_use]
    pub const fn fits_after_nanos(&self, wait: u64, left: u64) -> bool {
        left == NEVER || wait <= left && self.fits_nanos(left - wait)
    }

    /// What a shortened wait leaves for the last attempt.
    fn room(&self, left: u64) -> u64 {
        // Not zero: an attempt needs some time, even where `min_attempt` is zero.
        (left / 2).min(self.nanos().per_attempt).max(self.nanos().min_attempt).max(1)
    }
}

fn left(remaining: Option<Duration>) -> u64 {
    remaining.map_or(NEVER, nanos)
}

fn duration(nanos: u64) -> Duration {
    if nanos == NEVER { Duration::MAX } else { Duration::from_nanos(nanos) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolicyBuilder;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn left(millis: u64) -> Option<Duration> {
        Some(ms(millis))
    }

    fn calm() -> PolicyBuilder {
        Policy::builder().jitter(Jitter::None)
    }

    fn never() -> u64 {
        panic!("drawn")
    }

    #[test]
    fn an_attempt_gets_the_shorter_of_its_limit_and_what_is_left() {
        let policy = Policy::builder().per_attempt(ms(200)).build();
        assert_eq!(policy.limit(1, false, left(1_000)), left(200));
        assert_eq!(policy.limit(4, false, left(50)), left(50));
        assert_eq!(policy.limit(1, false, None), left(200));
        assert_eq!(policy.limit(9, true, left(1_000)), left(200));
    }

    #[test]
    fn without_a_limit_an_attempt_gets_all_that_is_left() {
        let policy = Policy::builder().no_per_attempt().build();
        assert_eq!(policy.limit(1, false, left(1_000)), left(1_000));
        assert_eq!(policy.limit(1, false, None), None);
    }

    #[test]
    fn a_share_is_what_is_left_by_the_attempts_left() {
        let policy = Policy::builder().attempts(5).build();
        assert_eq!(policy.limit(1, false, left(1_000)), left(200));
        assert_eq!(policy.limit(4, false, left(1_000)), left(500));
        assert_eq!(policy.limit(5, false, left(1_000)), left(1_000));
        assert_eq!(policy.limit(u32::MAX, false, left(1_000)), left(1_000));
        assert_eq!(policy.limit(0, false, left(1_000)), left(200));
        assert_eq!(policy.limit(2, false, None), None);
    }

    #[test]
    fn a_share_is_at_least_the_shortest_attempt_but_never_more_than_is_left() {
        let policy = Policy::builder().attempts(100).min_attempt(ms(30)).build();
        assert_eq!(policy.limit(1, false, left(1_000)), left(30));
        assert_eq!(policy.limit(1, false, left(20)), left(20));
    }

    #[test]
    fn the_share_of_the_last_attempt_is_all_that_is_left() {
        let policy = Policy::builder().attempts(20).build();
        assert_eq!(policy.limit(3, true, left(150)), left(150));
    }

    #[test]
    fn an_unlimited_share_does_not_divide_by_zero() {
        let policy = Policy::builder().unlimited_attempts().trusted();
        for attempt in [1, u32::MAX - 1, u32::MAX] {
            assert!(policy.limit(attempt, false, Some(Duration::MAX)).is_some());
        }
        assert_eq!(policy.limit(1, false, left(1_000)), left(1));
    }

    #[test]
    fn an_attempt_starts_only_where_it_has_time() {
        let policy = Policy::builder().min_attempt(ms(10)).build();
        assert!(policy.fits(None));
        assert!(policy.fits(left(10)));
        assert!(!policy.fits(Some(ms(10) - Duration::from_nanos(1))));
        let any = Policy::builder().min_attempt(Duration::ZERO).build();
        assert!(any.fits(Some(Duration::from_nanos(1))));
        assert!(!any.fits(Some(Duration::ZERO)));
    }

    #[test]
    fn a_total_of_zero_leaves_no_attempt() {
        let policy = Policy::builder().total(Duration::ZERO).trusted();
        assert!(!policy.fits(policy.total()));
    }

    #[test]
    fn a_wait_that_leaves_the_shortest_attempt_is_taken_whole() {
        let policy = calm().backoff(ms(100)).min_attempt(ms(20)).build();
        assert_eq!(policy.next_wait(1, left(120), None, false, never), Wait::Whole(ms(100)));
        assert_eq!(policy.next_wait(2, left(220), None, false, never), Wait::Whole(ms(200)));
        assert_eq!(policy.next_wait(1, None, None, false, never), Wait::Whole(ms(100)));
    }

    #[test]
    fn a_wait_that_does_not_fit_is_shortened_to_leave_half() {
        let policy = calm().backoff(ms(100)).min_attempt(ms(20)).build();
        assert_eq!(policy.next_wait(1, left(119), None, false, never), Wait::Shortened(ms(119) / 2));
        assert_eq!(policy.next_wait(5, left(300), None, false, never), Wait::Shortened(ms(150)));
    }

    #[test]
    fn a_shortened_wait_leaves_no_more_than_the_limit_and_no_less_than_the_shortest_attempt() {
        let limited = calm().total(ms(1_000)).per_attempt(ms(200)).backoff(ms(900)).build();
        assert_eq!(limited.next_wait(2, left(800), None, false, never), Wait::Shortened(ms(600)));
        let choosy = calm().total(ms(1_000)).no_per_attempt().min_attempt(ms(600)).backoff(ms(1_000)).build();
        assert_eq!(choosy.next_wait(1, left(1_000), None, false, never), Wait::Shortened(ms(400)));
    }

    #[test]
    fn a_wait_is_shortened_once() {
        let policy = calm().backoff(ms(700)).build();
        assert_eq!(policy.next_wait(3, left(150), None, true, never), Wait::OutOfTime);
        // Not even one that would fit: the attempt that ended was the last one.
        assert_eq!(policy.next_wait(1, left(5_000), None, true, never), Wait::OutOfTime);
    }

    #[test]
    fn a_wait_shortened_to_nothing_is_the_end() {
        let policy = calm().total(ms(1_000)).backoff(ms(999)).build();
        assert_eq!(policy.next_wait(2, left(1), None, false, never), Wait::OutOfTime);
        let none = calm().total(ms(1_000)).min_attempt(ms(20)).no_backoff().trusted();
        assert_eq!(none.next_wait(1, left(19), None, false, never), Wait::OutOfTime);
        let any = calm().min_attempt(Duration::ZERO).build();
        assert_eq!(any.next_wait(1, Some(Duration::from_nanos(1)), None, false, never), Wait::OutOfTime);
        assert_eq!(any.next_wait(1, Some(Duration::ZERO), left(5), false, never), Wait::OutOfTime);
    }

    #[test]
    fn no_wait_is_a_whole_wait_of_zero() {
        let policy = Policy::builder().no_backoff().build();
        assert_eq!(policy.next_wait(1, left(500), None, false, never), Wait::Whole(Duration::ZERO));
    }

    #[test]
    fn the_longer_of_wait_and_hint_holds() {
        let policy = calm().backoff(ms(100)).max_backoff(ms(200)).build();
        assert_eq!(policy.next_wait(1, left(9_000), left(30), false, never), Wait::Whole(ms(100)));
        assert_eq!(policy.next_wait(1, left(9_000), left(2_000), false, never), Wait::Whole(ms(2_000)));
        assert_eq!(policy.next_wait(1, None, Some(Duration::MAX), false, never), Wait::Whole(Duration::MAX));
    }

    #[test]
    fn a_hint_that_leaves_no_attempt_is_the_end_even_after_a_shortened_wait() {
        let policy = calm().min_attempt(ms(20)).build();
        for shortened in [false, true] {
            assert_eq!(policy.next_wait(1, left(1_000), left(981), shortened, never), Wait::HintTooLong);
        }
        assert_eq!(policy.next_wait(1, left(1_000), left(980), false, never), Wait::Whole(ms(980)));
        assert_eq!(policy.next_wait(1, left(1_000), left(980), true, never), Wait::OutOfTime);
        assert_eq!(policy.next_wait(1, left(1_000), Some(Duration::MAX), false, never), Wait::HintTooLong);
    }

    #[test]
    fn a_shortened_wait_is_not_below_the_hint() {
        let policy = calm().backoff(ms(500)).build();
        assert_eq!(policy.next_wait(1, left(400), left(100), false, never), Wait::Shortened(ms(200)));
        assert_eq!(policy.next_wait(1, left(400), left(300), false, never), Wait::Shortened(ms(300)));
    }

    #[test]
    fn a_hint_of_zero_asks_for_nothing() {
        let policy = calm().no_backoff().min_attempt(ms(20)).trusted();
        assert_eq!(policy.next_wait(1, left(500), left(0), false, never), Wait::Whole(Duration::ZERO));
        assert_eq!(policy.next_wait(1, left(10), left(0), false, never), Wait::OutOfTime);
    }

    #[test]
    fn jitter_lengthens_a_hint_by_up_to_a_tenth_as_far_as_it_fits() {
        let policy = Policy::builder().no_backoff().min_attempt(ms(20)).build();
        assert_eq!(policy.next_wait(1, left(9_000), left(1_000), false, || 0), Wait::Whole(ms(1_000)));
        assert_eq!(policy.next_wait(1, left(9_000), left(1_000), false, || u64::MAX), Wait::Whole(ms(1_100)));
        assert_eq!(policy.next_wait(1, left(1_050), left(1_000), false, || u64::MAX), Wait::Whole(ms(1_030)));
        assert_eq!(policy.next_wait(1, left(1_020), left(1_000), false, never), Wait::Whole(ms(1_000)));
        assert_eq!(policy.next_wait(1, None, Some(Duration::MAX), false, || 1), Wait::Whole(Duration::MAX));
    }

    #[test]
    fn no_wait_overruns_what_is_left() {
        let limits =
            [Policy::builder(), Policy::builder().per_attempt(ms(7)), Policy::builder().no_per_attempt()];
        let spans = [0, 1, 2, 19, 20, 21, 40, 41, 50, 99, 1_000, 60_000];
        for base in limits {
            for least in [0, 1, 20] {
                for jitter in [Jitter::Equal, Jitter::Full, Jitter::None] {
                    let policy = base.min_attempt(ms(least)).jitter(jitter).trusted();
                    for remaining in spans {
                        for hint in spans.into_iter().map(Some).chain([None]) {
                            for (attempt, draw) in [(1, 0), (3, 1 << 62), (99, u64::MAX)] {
                                let hint = hint.map(ms);
                                match policy.next_wait(attempt, left(remaining), hint, false, || draw) {
                                    Wait::Whole(wait) | Wait::Shortened(wait) => {
                                        assert!(policy.fits(ms(remaining).checked_sub(wait)));
                                        assert!(wait <= ms(remaining) && wait >= hint.unwrap_or_default());
                                    }
                                    Wait::HintTooLong => assert!(hint.is_some()),
                                    Wait::OutOfTime => {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_number_overflows() {
        let spans = [Duration::ZERO, Duration::from_nanos(1), ms(50), Duration::MAX];
        for a in spans {
            for b in spans {
                let policy =
                    Policy::builder().total(a).per_attempt(b).backoff(b).max_backoff(a).min_attempt(b);
                let policy = policy.factor(f64::MAX).margin(a).trusted();
                for remaining in spans.into_iter().map(Some).chain([None]) {
                    for hint in spans.into_iter().map(Some).chain([None]) {
                        for attempt in [0, 1, u32::MAX] {
                            let _ = policy.limit(attempt, false, remaining);
                            let _ = policy.next_wait(attempt, remaining, hint, false, || u64::MAX);
                        }
                    }
                }
            }
        }
    }
}
