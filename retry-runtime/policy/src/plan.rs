//! What a call can come to, worked out beforehand.

use core::time::Duration;

use crate::backoff::from_nanos;
use crate::{AttemptLimit, Jitter, Policy, Wait};

/// So many attempts are followed before a course counts as one without an end.
const MOST_ATTEMPTS: u32 = 10_000;
/// So many steps of a course are kept.
const MOST_STEPS: usize = 16;

/// What can happen to a call with a policy; made by [`Policy::plan`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    worst_case: Option<Duration>,
    when_hung: Course,
    when_failing: Course,
}

impl Plan {
    /// The longest that a caller waits; `None` where nothing bounds it.
    ///
    /// Without a server's hints, which may prolong a wait, but never beyond `total`.
    #[must_use]
    pub const fn worst_case(&self) -> Option<Duration> {
        self.worst_case
    }

    /// How the call goes when no attempt ever answers.
    #[must_use]
    pub const fn when_hung(&self) -> &Course {
        &self.when_hung
    }

    /// How the call goes when every attempt fails at once, with a transient error.
    #[must_use]
    pub const fn when_failing(&self) -> &Course {
        &self.when_failing
    }
}

/// How a call goes, without jitter and without an inherited deadline.
///
/// At most 10 000 attempts are followed; a course that has not ended by then is [`CourseEnd::Unbounded`].
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    steps: Vec<Step>,
    attempts: u32,
    elapsed: Duration,
    end: CourseEnd,
}

impl Course {
    /// How many attempts are made; `None` where the course has no end.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        (self.end != CourseEnd::Unbounded).then_some(self.attempts)
    }

    /// How long it takes; `None` where the course has no end.
    #[must_use]
    pub fn elapsed(&self) -> Option<Duration> {
        (self.end != CourseEnd::Unbounded).then_some(self.elapsed)
    }

    /// The first 16 attempts.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What ends it.
    #[must_use]
    pub const fn end(&self) -> CourseEnd {
        self.end
    }
}

/// One attempt of a [`Course`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// When it starts, counted from the start of the call.
    pub start: Duration,
    /// The most that it may take; `None` where nothing limits it.
    pub limit: Option<Duration>,
    /// The wait after it; `None` where no attempt follows.
    pub wait: Option<Duration>,
    /// Whether that wait was shortened, so that one last attempt fits.
    pub shortened: bool,
}

/// What ends a [`Course`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CourseEnd {
    /// As many attempts were made as the policy allows.
    AttemptsExhausted,
    /// There was no time for another attempt.
    TotalElapsed,
    /// An attempt timed out, and the policy says that it must not be made again.
    AttemptTimedOut,
    /// Nothing, within 10 000 attempts.
    Unbounded,
}

impl Policy {
    /// What can happen to a call with this policy: the longest it takes, how it goes when the server hangs, and how
    /// it goes when every attempt fails at once.
    ///
    /// Worked out with the same rules that a running call follows, but without jitter, hints and inherited deadlines.
    ///
    /// ```
    /// # extern crate retry_policy as retry_runtime;
    /// use retry_runtime::{CourseEnd, Policy};
    /// use std::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let plan = Policy::builder().total(ms(1000)).per_attempt(ms(200)).attempts(5).build().plan();
    /// assert_eq!(plan.worst_case(), Some(ms(1000)));
    ///
    /// let hung = plan.when_hung();
    /// assert_eq!(hung.attempts(), Some(4));
    /// assert_eq!(hung.steps()[3].start, ms(950));
    /// assert_eq!(hung.steps()[3].limit, Some(ms(50)));
    /// assert_eq!(hung.end(), CourseEnd::TotalElapsed);
    /// ```
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan { worst_case: self.worst_case(), when_hung: self.course(true), when_failing: self.course(false) }
    }

    fn worst_case(&self) -> Option<Duration> {
        let (AttemptLimit::Of(limit), Some(attempts)) = (self.per_attempt(), self.attempts()) else {
            // One attempt, or enough of them, may use up the total.
            return self.total();
        };
        let nanos = (limit.as_nanos() * u128::from(attempts)).saturating_add(self.waits(attempts - 1));
        let longest = from_nanos(nanos);
        Some(self.total().map_or(longest, |total| total.min(longest)))
    }

    /// The nanoseconds of so many waits; more of them where the growth is so slow that adding up took too long.
    fn waits(&self, count: u32) -> u128 {
        let most = self.max_backoff();
        let (mut sum, mut left) = (0_u128, count);
        for attempt in 1..=count.min(MOST_ATTEMPTS) {
            let wait = self.backoff_after(attempt);
            if wait >= most || self.factor() <= 1.0 {
                return sum + wait.as_nanos() * u128::from(left);
            }
            sum += wait.as_nanos();
            left -= 1;
        }
        sum + most.as_nanos() * u128::from(left)
    }

    fn course(&self, hung: bool) -> Course {
        let policy = self.to_builder().jitter(Jitter::None).trusted();
        let (mut now, mut attempt, mut last) = (Duration::ZERO, 0, false);
        let mut steps = Vec::new();
        let end = loop {
            let left = policy.left(now);
            if !policy.fits(left) {
                break CourseEnd::TotalElapsed;
            }
            if attempt == MOST_ATTEMPTS {
                break CourseEnd::Unbounded;
            }
            attempt += 1;
            let limit = policy.limit(attempt, last, left);
            let mut step = Step { start: now, limit, wait: None, shortened: false };
            let end = match (hung, limit) {
                (true, None) => Some(CourseEnd::Unbounded),
                (true, Some(limit)) => {
                    now = now.saturating_add(limit);
                    policy.end_after(attempt, policy.left(now), true)
                }
                (false, _) => policy.end_after(attempt, left, false),
            };
            let next = match end {
                Some(end) => Err(end),
                None => match policy.next_wait(attempt, policy.left(now), None, last, || 0) {
                    Wait::Whole(wait) => Ok((wait, false)),
                    Wait::Shortened(wait) => Ok((wait, true)),
                    Wait::HintTooLong | Wait::OutOfTime => Err(CourseEnd::TotalElapsed),
                },
            };
            if let Ok((wait, shortened)) = next {
                (step.wait, step.shortened, last) = (Some(wait), shortened, last || shortened);
                now = now.saturating_add(wait);
            }
            if steps.len() < MOST_STEPS {
                steps.push(step);
            }
            if let Err(end) = next {
                break end;
            }
        };
        Course { steps, attempts: attempt, elapsed: now, end }
    }

    fn left(&self, now: Duration) -> Option<Duration> {
        self.total().map(|total| total.saturating_sub(now))
    }

    /// What ends the course after this attempt, before any wait is thought of.
    fn end_after(&self, attempt: u32, left: Option<Duration>, timed_out: bool) -> Option<CourseEnd> {
        if left.is_some_and(|left| left.is_zero()) {
            Some(CourseEnd::TotalElapsed)
        } else if timed_out && !self.idempotent() {
            Some(CourseEnd::AttemptTimedOut)
        } else if self.attempts() == Some(attempt) {
            Some(CourseEnd::AttemptsExhausted)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolicyBuilder;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn new() -> PolicyBuilder {
        Policy::builder()
    }

    #[track_caller]
    fn hung(builder: PolicyBuilder, attempts: u32, millis: u64, end: CourseEnd) {
        let plan = builder.build().plan();
        let course = plan.when_hung();
        assert_eq!(
            (course.attempts(), course.elapsed(), course.end()),
            (Some(attempts), Some(ms(millis)), end)
        );
    }

    #[track_caller]
    fn failing(builder: PolicyBuilder, attempts: u32, millis: u64, end: CourseEnd) {
        let plan = builder.build().plan();
        let course = plan.when_failing();
        assert_eq!(
            (course.attempts(), course.elapsed(), course.end()),
            (Some(attempts), Some(ms(millis)), end)
        );
    }

    #[test]
    fn a_hung_server_costs_no_more_than_the_total() {
        let total = new().total(ms(1_000));
        let five = total.attempts(5);
        hung(total.no_per_attempt(), 1, 1_000, CourseEnd::TotalElapsed);
        hung(five.no_per_attempt(), 1, 1_000, CourseEnd::TotalElapsed);
        hung(five.per_attempt(ms(200)), 4, 1_000, CourseEnd::TotalElapsed);
        hung(five.no_backoff(), 5, 1_000, CourseEnd::TotalElapsed);
        hung(
            new().total(ms(500)).per_attempt(ms(200)).attempts(9).no_backoff(),
            3,
            500,
            CourseEnd::TotalElapsed,
        );
    }

    #[test]
    fn attempts_may_be_used_up_before_the_total() {
        let policy = new().per_attempt(ms(100)).attempts(3).backoff(ms(50));
        hung(policy, 3, 450, CourseEnd::AttemptsExhausted);
        assert_eq!(policy.build().plan().worst_case(), Some(ms(450)));
    }

    #[test]
    fn a_failing_server_is_stopped_by_the_budget_or_the_count() {
        let total = new().total(ms(1_000));
        failing(total.attempts(20).per_attempt(ms(200)), 6, 875, CourseEnd::TotalElapsed);
        failing(total.backoff(ms(700)).attempts(10), 3, 850, CourseEnd::TotalElapsed);
        failing(total.backoff(ms(700)).attempts(10).per_attempt(ms(200)), 3, 850, CourseEnd::TotalElapsed);
        failing(total.backoff(ms(999)), 2, 999, CourseEnd::TotalElapsed);
        failing(total.per_attempt(ms(200)), 3, 150, CourseEnd::AttemptsExhausted);
        let hour = new().total(ms(3_600_000)).per_attempt(ms(1_000));
        let capped = hour.attempts(100).backoff(ms(1_000)).max_backoff(ms(10_000));
        failing(capped, 100, 965_000, CourseEnd::AttemptsExhausted);
        let even = new().total(ms(3_600_000)).attempts(200).backoff(ms(10)).max_backoff(ms(10));
        failing(even, 200, 1_990, CourseEnd::AttemptsExhausted);
    }

    #[test]
    fn every_step_is_told() {
        let plan = new().total(ms(1_000)).attempts(20).per_attempt(ms(200)).build().plan();
        let steps = plan.when_failing().steps();
        let starts: Vec<_> = steps.iter().map(|step| step.start).collect();
        assert_eq!(starts, [0, 50, 150, 350, 750, 875].map(ms));
        let shortened: Vec<_> = steps.iter().map(|step| step.shortened).collect();
        assert_eq!(shortened, [false, false, false, false, true, false]);
        assert_eq!(steps.last().map(|step| (step.limit, step.wait)), Some((Some(ms(125)), None)));
        let hung: Vec<_> = plan.when_hung().steps().iter().map(|step| (step.start, step.limit)).collect();
        assert_eq!(
            hung,
            [(0, 200), (250, 200), (550, 200), (950, 50)].map(|(start, limit)| (ms(start), Some(ms(limit))))
        );
    }

    #[test]
    fn sixteen_steps_are_kept() {
        let plan = new().attempts(40).no_backoff().build().plan();
        assert_eq!((plan.when_hung().attempts(), plan.when_hung().steps().len()), (Some(40), 16));
    }

    #[test]
    fn the_attempt_after_a_shortened_wait_is_the_last_and_gets_all_that_is_left() {
        let plan = new().total(ms(1_000)).backoff(ms(900)).attempts(10).build().plan();
        let steps = plan.when_hung().steps();
        // 100 ms of its share, then half of the 900 left.
        assert_eq!((steps[0].limit, steps[0].wait, steps[0].shortened), (Some(ms(100)), Some(ms(450)), true));
        assert_eq!((steps[1].start, steps[1].limit, steps[1].wait), (ms(550), Some(ms(450)), None));
        assert_eq!(plan.when_hung().end(), CourseEnd::TotalElapsed);
    }

    #[test]
    fn what_must_not_be_made_again_is_tried_once_when_it_hangs() {
        let policy = new().per_attempt(ms(200)).idempotent(false);
        hung(policy, 1, 200, CourseEnd::AttemptTimedOut);
        failing(policy, 3, 150, CourseEnd::AttemptsExhausted);
        hung(policy.no_per_attempt(), 1, 10_000, CourseEnd::TotalElapsed);
    }

    #[test]
    fn no_attempt_starts_where_there_is_no_time() {
        let plan = new().total(Duration::ZERO).trusted().plan();
        assert_eq!(
            (plan.when_hung().attempts(), plan.when_hung().elapsed()),
            (Some(0), Some(Duration::ZERO))
        );
        assert_eq!(plan.worst_case(), Some(Duration::ZERO));
    }

    #[test]
    fn a_loop_without_total_has_no_end() {
        let plan = new().no_total().per_attempt(ms(200)).unlimited_attempts().build().plan();
        assert_eq!(plan.worst_case(), None);
        for course in [plan.when_hung(), plan.when_failing()] {
            assert_eq!(
                (course.attempts(), course.elapsed(), course.end()),
                (None, None, CourseEnd::Unbounded)
            );
            assert_eq!(course.steps().len(), 16);
        }
        let hangs = new().no_total().no_per_attempt().trusted().plan();
        assert_eq!((hangs.when_hung().end(), hangs.when_hung().steps().len()), (CourseEnd::Unbounded, 1));
        assert_eq!(hangs.when_failing().end(), CourseEnd::AttemptsExhausted);
    }

    #[test]
    fn without_total_the_worst_case_is_every_limit_and_every_wait() {
        let limited = new().no_total().per_attempt(ms(1_000));
        assert_eq!(limited.attempts(4).build().plan().worst_case(), Some(ms(4_000 + 50 + 100 + 200)));
        let even = limited.attempts(1_000_000).backoff(ms(10)).factor(1.0);
        assert_eq!(even.build().plan().worst_case(), Some(ms(1_000_000 * 1_000 + 999_999 * 10)));
        let capped = limited.attempts(1_000_000).backoff(ms(10)).max_backoff(ms(10));
        assert_eq!(capped.build().plan().worst_case(), even.build().plan().worst_case());
        let longest = limited.per_attempt(Duration::MAX).attempts(u32::MAX - 1).max_backoff(Duration::MAX);
        assert_eq!(longest.build().plan().worst_case(), Some(Duration::MAX));
    }

    #[test]
    fn no_course_is_longer_than_the_worst_case() {
        for total in [1, 10, 100, 1_000, 3_000] {
            for limit in [None, Some(1), Some(30), Some(200), Some(999)] {
                for backoff in [1, 49, 333, 1_000] {
                    for attempts in [1, 2, 5, 50] {
                        let policy =
                            new().total(ms(total)).per_attempt_if(limit.map(ms)).backoff(ms(backoff));
                        let plan = policy.attempts(attempts).trusted().plan();
                        let worst = plan.worst_case();
                        assert!(worst <= Some(ms(total)));
                        assert!(
                            plan.when_hung().elapsed() <= worst && plan.when_failing().elapsed() <= worst
                        );
                    }
                }
            }
        }
    }
}
