//! What is refused, each mistake with its sentence.
//!
//! One mistake gets one sentence: a rule is silent where another one has named the cause already. A sentence speaks
//! the attribute's language, the caret goes to the value that is to be changed.

use core::time::Duration;

use crate::defaults;
use crate::duration::is_less;
use crate::settings::{AttemptLimit, Settings, Slot};

/// A key, to say where a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key {
    /// `total`
    Total,
    /// `per_attempt`
    PerAttempt,
    /// `attempts`
    Attempts,
    /// `backoff`
    Backoff,
    /// `factor`
    Factor,
    /// `max_backoff`
    MaxBackoff,
    /// `jitter`
    Jitter,
    /// `min_attempt`
    MinAttempt,
    /// `margin`
    Margin,
    /// `idempotent`
    Idempotent,
    /// `nested`
    Nested,
}

impl Key {
    /// The key as it is written: `per_attempt`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Key::Total => "total",
            Key::PerAttempt => "per_attempt",
            Key::Attempts => "attempts",
            Key::Backoff => "backoff",
            Key::Factor => "factor",
            Key::MaxBackoff => "max_backoff",
            Key::Jitter => "jitter",
            Key::MinAttempt => "min_attempt",
            Key::Margin => "margin",
            Key::Idempotent => "idempotent",
            Key::Nested => "nested",
        }
    }
}

/// A mistake in [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the caret goes: the value of this key.
    pub key: Key,
    /// What is wrong and what to write instead, in one sentence.
    pub message: &'static str,
}

const fn problem(key: Key, message: &'static str) -> Option<Problem> {
    Some(Problem { key, message })
}

impl Settings {
    /// How many rules there are.
    pub const RULES: usize = 20;

    /// What this rule has to say. Rules are numbered from 0; one that does not exist says nothing.
    ///
    /// For use in a constant, where there is no [`problems`](Settings::problems).
    #[must_use]
    pub const fn problem(&self, rule: usize) -> Option<Problem> {
        match rule {
            0 => self.zero_total(),
            1 => self.zero_per_attempt(),
            2 => self.zero_attempts(),
            3 => self.zero_backoff(),
            4 => self.zero_max_backoff(),
            5 => self.factor_below_one(),
            6 => self.endless_without_limit(),
            7 => self.endless_without_wait(),
            8 => self.endless_once(),
            9 => self.per_attempt_beyond_total(),
            10 => self.backoff_beyond_total(),
            11 => self.max_backoff_below_backoff(),
            12 => self.idle_backoff(),
            13 => self.idle_factor(),
            14 => self.idle_max_backoff(),
            15 => self.idle_jitter(),
            16 => self.unlimited_without_limit(),
            17 => self.unlimited_without_wait(),
            18 => self.min_attempt_too_long(),
            19 => self.margin_too_long(),
            _ => None,
        }
    }

    /// All mistakes.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        (0..Self::RULES).filter_map(|rule| self.problem(rule)).collect()
    }
}

/// One key on its own.
impl Settings {
    const fn zero_total(&self) -> Option<Problem> {
        match self.total.given() {
            Some(Some(Duration::ZERO)) => problem(
                Key::Total,
                "a zero `total` leaves no time for an attempt; write a longer one, or `\"none\"` for a background loop",
            ),
            _ => None,
        }
    }

    const fn zero_per_attempt(&self) -> Option<Problem> {
        match self.per_attempt.given() {
            Some(AttemptLimit::Of(Duration::ZERO)) => problem(
                Key::PerAttempt,
                "a zero `per_attempt` leaves no time for an attempt; write a longer one, or `\"none\"` for no limit",
            ),
            _ => None,
        }
    }

    const fn zero_attempts(&self) -> Option<Problem> {
        match self.attempts.given() {
            Some(Some(0)) => problem(
                Key::Attempts,
                "`attempts` counts the first one too, so it is at least 1; write `1` for no retry, or `\"unlimited\"`",
            ),
            _ => None,
        }
    }

    const fn zero_backoff(&self) -> Option<Problem> {
        match self.backoff.given() {
            Some(Some(Duration::ZERO)) if !self.is_once() => {
                problem(Key::Backoff, "a zero `backoff` is no wait at all; write `\"none\"` to retry at once")
            }
            _ => None,
        }
    }

    const fn zero_max_backoff(&self) -> Option<Problem> {
        match self.max_backoff.given() {
            Some(Duration::ZERO) if !(self.is_once() || self.is_without_wait()) => problem(
                Key::MaxBackoff,
                "a zero `max_backoff` allows no wait at all; write `backoff = \"none\"` to retry at once",
            ),
            _ => None,
        }
    }

    const fn factor_below_one(&self) -> Option<Problem> {
        match self.factor.given() {
            Some(factor)
                if !(self.is_once() || self.is_without_wait() || (factor >= 1.0 && factor.is_finite())) =>
            {
                problem(
                    Key::Factor,
                    "`factor` is a finite number of at least 1; write `1` for waits that stay the same, `2` to double them",
                )
            }
            _ => None,
        }
    }
}

/// `total = "none"`: a loop that only its attempts and waits hold back.
impl Settings {
    const fn endless_without_limit(&self) -> Option<Problem> {
        if !self.is_endless() || self.is_once() || !self.is_without_attempt_limit() {
            return None;
        }
        problem(
            if self.per_attempt.is_written() { Key::PerAttempt } else { Key::Total },
            "`total = \"none\"` needs a `per_attempt` duration, or a hung attempt never ends; write `per_attempt = \"5s\"`",
        )
    }

    const fn endless_without_wait(&self) -> Option<Problem> {
        if !self.is_endless() || self.is_once() || !self.is_without_wait() {
            return None;
        }
        problem(
            Key::Backoff,
            "`total = \"none\"` needs a wait, or a failing server is called without pause; write `backoff = \"1s\"`",
        )
    }

    const fn endless_once(&self) -> Option<Problem> {
        if !self.is_endless() || !self.is_once() {
            return None;
        }
        problem(
            Key::Total,
            "`total = \"none\"` is for a loop, and `attempts = 1` makes none; write the attempt's limit as `total`",
        )
    }
}

/// Lengths that contradict each other.
impl Settings {
    const fn per_attempt_beyond_total(&self) -> Option<Problem> {
        let (Some(AttemptLimit::Of(limit)), Some(total)) = (self.per_attempt.given(), self.sound_total())
        else {
            return None;
        };
        if is_less(total, limit) {
            problem(
                Key::PerAttempt,
                if self.is_total_default() {
                    "`per_attempt` is longer than the default `total` of 10s, so it never takes effect; shorten it or raise `total`"
                } else {
                    "`per_attempt` is longer than `total`, so it never takes effect; shorten it or raise `total`"
                },
            )
        } else if !is_less(limit, total) && self.is_more_than_once() {
            problem(
                Key::PerAttempt,
                if self.is_total_default() {
                    "`per_attempt` is all of the default `total` of 10s, so one hung attempt is the last; shorten it or write `\"none\"`"
                } else {
                    "`per_attempt` is all of `total`, so one hung attempt is the last; shorten it or write `\"none\"`"
                },
            )
        } else {
            None
        }
    }

    const fn backoff_beyond_total(&self) -> Option<Problem> {
        if self.is_total_default() || self.is_once() {
            return None;
        }
        match (self.backoff.given(), self.sound_total()) {
            (Some(Some(backoff)), Some(total)) if is_less(total, backoff) => problem(
                Key::Backoff,
                "`backoff` is longer than `total`, so the first wait never fits; shorten it or raise `total`",
            ),
            _ => None,
        }
    }

    const fn max_backoff_below_backoff(&self) -> Option<Problem> {
        match (self.max_backoff.given(), self.backoff.given()) {
            (Some(most), Some(Some(backoff)))
                if is_less(most, backoff) && !most.is_zero() && !self.is_once() =>
            {
                problem(
                    Key::MaxBackoff,
                    "`max_backoff` is below `backoff`, the first wait; raise it or shorten `backoff`",
                )
            }
            _ => None,
        }
    }

    const fn min_attempt_too_long(&self) -> Option<Problem> {
        let Some(least) = self.min_attempt.given() else { return None };
        if let Some(AttemptLimit::Of(limit)) = self.per_attempt.given() {
            if is_less(limit, least) && !limit.is_zero() {
                return problem(
                    Key::MinAttempt,
                    "`min_attempt` is above `per_attempt`, the most an attempt gets; lower it or raise `per_attempt`",
                );
            }
        }
        match self.sound_total() {
            Some(total) if is_less(total, least) => problem(
                Key::MinAttempt,
                if self.is_total_default() {
                    "`min_attempt` is above the default `total` of 10s, so no attempt ever starts; lower it or raise `total`"
                } else {
                    "`min_attempt` is above `total`, so no attempt ever starts; lower it or raise `total`"
                },
            ),
            _ => None,
        }
    }

    const fn margin_too_long(&self) -> Option<Problem> {
        match (self.margin.given(), self.sound_total()) {
            (Some(margin), Some(total)) if !is_less(margin, total) => problem(
                Key::Margin,
                if self.is_total_default() {
                    "`margin` keeps back as much time as the default `total` of 10s gives, or more; lower it or raise `total`"
                } else {
                    "`margin` keeps back as much time as `total` gives, or more; lower it or raise `total`"
                },
            ),
            _ => None,
        }
    }
}

/// Keys that shape waits, where there are none.
impl Settings {
    const fn idle_backoff(&self) -> Option<Problem> {
        if !self.backoff.is_written() || !self.is_once() {
            return None;
        }
        problem(
            Key::Backoff,
            "`backoff` has no effect with `attempts = 1`, which never waits; leave it out or allow more attempts",
        )
    }

    const fn idle_factor(&self) -> Option<Problem> {
        self.idle(
            Key::Factor,
            self.factor.is_written(),
            "`factor` has no effect with `attempts = 1`, which never waits; leave it out or allow more attempts",
            "`factor` has no effect beside `backoff = \"none\"`; leave it out or give `backoff` a duration",
        )
    }

    const fn idle_max_backoff(&self) -> Option<Problem> {
        self.idle(
            Key::MaxBackoff,
            self.max_backoff.is_written(),
            "`max_backoff` has no effect with `attempts = 1`, which never waits; leave it out or allow more attempts",
            "`max_backoff` has no effect beside `backoff = \"none\"`; leave it out or give `backoff` a duration",
        )
    }

    const fn idle_jitter(&self) -> Option<Problem> {
        self.idle(
            Key::Jitter,
            self.jitter.is_written(),
            "`jitter` has no effect with `attempts = 1`, which never waits; leave it out or allow more attempts",
            "`jitter` has no effect beside `backoff = \"none\"`; leave it out or give `backoff` a duration",
        )
    }

    const fn idle(
        &self,
        key: Key,
        written: bool,
        once: &'static str,
        no_backoff: &'static str,
    ) -> Option<Problem> {
        if !written {
            None
        } else if self.is_once() {
            problem(key, once)
        } else if self.is_without_wait() && !self.is_endless() && !self.is_unlimited() {
            problem(key, no_backoff)
        } else {
            None
        }
    }
}

/// `attempts = "unlimited"`: what `total` alone cannot make good. Where there is no `total` either, that is the cause.
impl Settings {
    const fn unlimited_without_limit(&self) -> Option<Problem> {
        if !self.is_unlimited() || self.is_endless() || !self.is_without_attempt_limit() {
            return None;
        }
        problem(
            if self.per_attempt.is_written() { Key::PerAttempt } else { Key::Attempts },
            "`attempts = \"unlimited\"` needs a `per_attempt` duration, or one hung attempt uses up `total`; write `per_attempt = \"200ms\"`",
        )
    }

    const fn unlimited_without_wait(&self) -> Option<Problem> {
        if !self.is_unlimited() || self.is_endless() || !self.is_without_wait() {
            return None;
        }
        problem(
            Key::Backoff,
            "`attempts = \"unlimited\"` needs a wait, or a failing server is called without pause; write `backoff = \"50ms\"`",
        )
    }
}

/// What the rules ask.
impl Settings {
    const fn is_endless(&self) -> bool {
        matches!(self.total.given(), Some(None))
    }

    const fn is_total_default(&self) -> bool {
        matches!(self.total, Slot::Default)
    }

    /// The total, unless it is none, not known, or refused itself.
    const fn sound_total(&self) -> Option<Duration> {
        match self.total.or(Some(defaults::TOTAL)) {
            Some(Some(total)) if !total.is_zero() => Some(total),
            _ => None,
        }
    }

    const fn is_without_attempt_limit(&self) -> bool {
        matches!(self.per_attempt.or(defaults::PER_ATTEMPT), Some(AttemptLimit::Share | AttemptLimit::None))
    }

    const fn is_once(&self) -> bool {
        matches!(self.attempts.given(), Some(Some(1)))
    }

    const fn is_more_than_once(&self) -> bool {
        matches!(self.attempts.or(Some(defaults::ATTEMPTS)), Some(None | Some(2..)))
    }

    const fn is_unlimited(&self) -> bool {
        matches!(self.attempts.given(), Some(None))
    }

    const fn is_without_wait(&self) -> bool {
        matches!(self.backoff.given(), Some(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jitter, Policy, PolicyBuilder};

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn new() -> PolicyBuilder {
        Policy::builder()
    }

    /// These mistakes and no others, in this order.
    #[track_caller]
    fn refused(builder: PolicyBuilder, expected: &[(Key, &str)]) {
        let problems = builder.settings.problems();
        let found: Vec<_> = problems.iter().map(|problem| (problem.key, problem.message)).collect();
        assert_eq!(found, expected);
        let first = builder.try_build().map_err(|error| (error.key(), error.to_string()));
        assert_eq!(first.err(), expected.first().map(|(key, message)| (*key, (*message).to_owned())));
    }

    #[track_caller]
    fn accepted(builder: PolicyBuilder) {
        refused(builder, &[]);
    }

    #[test]
    fn nothing_given_is_accepted() {
        accepted(new());
        accepted(new().idempotent(false).nested(crate::Nested::Retry));
    }

    #[test]
    fn zero_is_refused() {
        let zero = Duration::ZERO;
        refused(
            new().total(zero),
            &[(
                Key::Total,
                "a zero `total` leaves no time for an attempt; write a longer one, or `\"none\"` for a background loop",
            )],
        );
        refused(
            new().per_attempt(zero),
            &[(
                Key::PerAttempt,
                "a zero `per_attempt` leaves no time for an attempt; write a longer one, or `\"none\"` for no limit",
            )],
        );
        refused(
            new().attempts(0),
            &[(
                Key::Attempts,
                "`attempts` counts the first one too, so it is at least 1; write `1` for no retry, or `\"unlimited\"`",
            )],
        );
        refused(
            new().backoff(zero),
            &[(Key::Backoff, "a zero `backoff` is no wait at all; write `\"none\"` to retry at once")],
        );
        refused(
            new().max_backoff(zero),
            &[(
                Key::MaxBackoff,
                "a zero `max_backoff` allows no wait at all; write `backoff = \"none\"` to retry at once",
            )],
        );
        accepted(new().min_attempt(zero).margin(zero));
    }

    #[test]
    fn zero_is_one_mistake_whatever_stands_beside_it() {
        let zero = Duration::ZERO;
        let wide = new().per_attempt(ms(200)).backoff(ms(50)).min_attempt(ms(5)).margin(ms(5));
        assert_eq!(wide.total(zero).settings.problems().len(), 1);
        assert_eq!(wide.per_attempt(zero).settings.problems().len(), 1);
        assert_eq!(wide.attempts(0).settings.problems().len(), 1);
        assert_eq!(wide.max_backoff(zero).settings.problems().len(), 1);
        assert_eq!(new().total(ms(100)).per_attempt(ms(100)).attempts(0).settings.problems().len(), 1);
        assert_eq!(new().no_total().per_attempt(zero).settings.problems().len(), 1);
    }

    #[test]
    fn a_factor_below_one_is_refused() {
        for factor in [0.99, 0.0, -2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refused(
                new().factor(factor),
                &[(
                    Key::Factor,
                    "`factor` is a finite number of at least 1; write `1` for waits that stay the same, `2` to double them",
                )],
            );
        }
        accepted(new().factor(1.0));
    }

    #[test]
    fn a_loop_without_total_needs_a_limit_a_wait_and_attempts() {
        let endless = new().no_total();
        let no_limit = "`total = \"none\"` needs a `per_attempt` duration, or a hung attempt never ends; write `per_attempt = \"5s\"`";
        refused(endless, &[(Key::Total, no_limit)]);
        refused(endless.share(), &[(Key::PerAttempt, no_limit)]);
        refused(endless.no_per_attempt().unlimited_attempts(), &[(Key::PerAttempt, no_limit)]);
        let no_wait = "`total = \"none\"` needs a wait, or a failing server is called without pause; write `backoff = \"1s\"`";
        let limited = endless.per_attempt(ms(200));
        refused(limited.no_backoff().unlimited_attempts().factor(2.0), &[(Key::Backoff, no_wait)]);
        refused(endless.no_backoff(), &[(Key::Total, no_limit), (Key::Backoff, no_wait)]);
        let once = "`total = \"none\"` is for a loop, and `attempts = 1` makes none; write the attempt's limit as `total`";
        refused(endless.attempts(1), &[(Key::Total, once)]);
        refused(limited.attempts(1), &[(Key::Total, once)]);
        accepted(limited);
        accepted(limited.unlimited_attempts().margin(ms(900_000)));
    }

    #[test]
    fn unlimited_attempts_need_a_limit_and_a_wait() {
        let unlimited = new().unlimited_attempts();
        let no_limit = "`attempts = \"unlimited\"` needs a `per_attempt` duration, or one hung attempt uses up `total`; write `per_attempt = \"200ms\"`";
        refused(unlimited, &[(Key::Attempts, no_limit)]);
        refused(unlimited.no_per_attempt(), &[(Key::PerAttempt, no_limit)]);
        let no_wait = "`attempts = \"unlimited\"` needs a wait, or a failing server is called without pause; write `backoff = \"50ms\"`";
        refused(unlimited.per_attempt(ms(200)).no_backoff().jitter(Jitter::Full), &[(Key::Backoff, no_wait)]);
        accepted(unlimited.per_attempt(ms(200)));
    }

    #[test]
    fn an_attempt_longer_than_the_total_is_refused() {
        refused(
            new().total(ms(1_000)).per_attempt(ms(2_000)),
            &[(
                Key::PerAttempt,
                "`per_attempt` is longer than `total`, so it never takes effect; shorten it or raise `total`",
            )],
        );
        let default = "`per_attempt` is longer than the default `total` of 10s, so it never takes effect; shorten it or raise `total`";
        refused(new().per_attempt(ms(10_001)), &[(Key::PerAttempt, default)]);
        refused(new().per_attempt(ms(10_001)).attempts(1), &[(Key::PerAttempt, default)]);
    }

    #[test]
    fn an_attempt_as_long_as_the_total_is_refused_where_others_follow() {
        let whole = new().total(ms(1_000)).per_attempt(ms(1_000));
        let message = "`per_attempt` is all of `total`, so one hung attempt is the last; shorten it or write `\"none\"`";
        refused(whole, &[(Key::PerAttempt, message)]);
        refused(whole.attempts(2), &[(Key::PerAttempt, message)]);
        refused(whole.unlimited_attempts(), &[(Key::PerAttempt, message)]);
        accepted(whole.attempts(1));
        let default = "`per_attempt` is all of the default `total` of 10s, so one hung attempt is the last; shorten it or write `\"none\"`";
        refused(new().per_attempt(ms(10_000)), &[(Key::PerAttempt, default)]);
    }

    #[test]
    fn waits_that_contradict_each_other_are_refused() {
        let total = new().total(ms(1_000));
        let beyond =
            "`backoff` is longer than `total`, so the first wait never fits; shorten it or raise `total`";
        refused(total.backoff(ms(1_001)), &[(Key::Backoff, beyond)]);
        accepted(total.backoff(ms(1_000)));
        accepted(new().backoff(ms(11_000)));
        let below = "`max_backoff` is below `backoff`, the first wait; raise it or shorten `backoff`";
        refused(new().backoff(ms(60)).max_backoff(ms(59)), &[(Key::MaxBackoff, below)]);
        accepted(new().backoff(ms(60)).max_backoff(ms(60)));
        accepted(new().max_backoff(ms(10)));
        accepted(new().backoff(ms(6_000)));
    }

    #[test]
    fn a_key_that_shapes_waits_is_refused_with_one_attempt() {
        let once = new().attempts(1);
        let says = |key: Key| {
            (
                key,
                format!(
                    "`{}` has no effect with `attempts = 1`, which never waits; leave it out or allow more attempts",
                    key.name()
                ),
            )
        };
        for (builder, key) in [
            (once.backoff(ms(50)), Key::Backoff),
            (once.no_backoff(), Key::Backoff),
            (once.backoff(Duration::ZERO), Key::Backoff),
            (once.backoff(ms(90_000)), Key::Backoff),
            (once.factor(0.5), Key::Factor),
            (once.max_backoff(Duration::ZERO), Key::MaxBackoff),
            (once.jitter(Jitter::None), Key::Jitter),
        ] {
            let (key, message) = says(key);
            refused(builder, &[(key, &message)]);
        }
        let all = once.backoff(ms(60)).factor(2.0).max_backoff(ms(50)).jitter(Jitter::Full);
        let keys: Vec<_> = all.settings.problems().iter().map(|problem| problem.key).collect();
        assert_eq!(keys, [Key::Backoff, Key::Factor, Key::MaxBackoff, Key::Jitter]);
    }

    #[test]
    fn a_key_that_shapes_waits_is_refused_where_there_are_none() {
        let none = new().no_backoff();
        for (builder, key) in [
            (none.factor(2.0), Key::Factor),
            (none.factor(0.5), Key::Factor),
            (none.max_backoff(ms(50)), Key::MaxBackoff),
            (none.max_backoff(Duration::ZERO), Key::MaxBackoff),
            (none.jitter(Jitter::Full), Key::Jitter),
        ] {
            let message = format!(
                "`{}` has no effect beside `backoff = \"none\"`; leave it out or give `backoff` a duration",
                key.name()
            );
            refused(builder, &[(key, &message)]);
        }
        accepted(none);
    }

    #[test]
    fn a_shortest_attempt_that_never_fits_is_refused() {
        let limit =
            "`min_attempt` is above `per_attempt`, the most an attempt gets; lower it or raise `per_attempt`";
        refused(new().per_attempt(ms(200)).min_attempt(ms(201)), &[(Key::MinAttempt, limit)]);
        refused(new().per_attempt(ms(200)).min_attempt(ms(20_000)), &[(Key::MinAttempt, limit)]);
        let total = "`min_attempt` is above `total`, so no attempt ever starts; lower it or raise `total`";
        refused(new().total(ms(1_000)).min_attempt(ms(1_001)), &[(Key::MinAttempt, total)]);
        let default = "`min_attempt` is above the default `total` of 10s, so no attempt ever starts; lower it or raise `total`";
        refused(new().min_attempt(ms(10_001)), &[(Key::MinAttempt, default)]);
        accepted(new().total(ms(1_000)).min_attempt(ms(1_000)));
    }

    #[test]
    fn a_margin_of_all_the_time_is_refused() {
        let total = "`margin` keeps back as much time as `total` gives, or more; lower it or raise `total`";
        refused(new().total(ms(1_000)).margin(ms(1_000)), &[(Key::Margin, total)]);
        let default = "`margin` keeps back as much time as the default `total` of 10s gives, or more; lower it or raise `total`";
        refused(new().margin(ms(10_000)), &[(Key::Margin, default)]);
        accepted(new().margin(ms(9_999)));
    }

    #[test]
    fn many_attempts_in_little_time_are_no_mistake() {
        accepted(new().total(ms(1_000)).attempts(20));
    }

    #[test]
    fn all_mistakes_are_found() {
        let all = new()
            .total(ms(100))
            .per_attempt(ms(200))
            .attempts(0)
            .backoff(ms(300))
            .factor(0.0)
            .margin(ms(100));
        let keys: Vec<_> = all.settings.problems().iter().map(|problem| problem.key).collect();
        assert_eq!(keys, [Key::Attempts, Key::Factor, Key::PerAttempt, Key::Backoff, Key::Margin]);
    }

    #[test]
    fn a_rule_is_silent_about_what_it_cannot_know() {
        let known = Settings { total: Slot::Given(None), ..Settings::new() };
        assert_eq!(known.problems().len(), 1);
        let unknown = Settings { per_attempt: Slot::Unknown, ..known };
        assert_eq!(unknown.problems(), []);
        let all = Settings {
            total: Slot::Unknown,
            per_attempt: Slot::Unknown,
            attempts: Slot::Unknown,
            backoff: Slot::Unknown,
            factor: Slot::Unknown,
            max_backoff: Slot::Unknown,
            jitter: Slot::Unknown,
            min_attempt: Slot::Unknown,
            margin: Slot::Unknown,
            idempotent: Slot::Unknown,
            nested: Slot::Unknown,
        };
        assert_eq!(all.problems(), []);
        assert_eq!(Settings::based_on_unknown().problems(), []);
    }

    #[test]
    fn a_key_without_effect_is_refused_even_where_its_value_is_not_known() {
        let once = Settings { attempts: Slot::Given(Some(1)), ..Settings::new() };
        assert_eq!(Settings { backoff: Slot::Unknown, ..once }.problems().len(), 1);
        assert_eq!(Settings { backoff: Slot::Base(None), ..once }.problems(), []);
    }

    #[test]
    fn what_is_taken_over_is_never_superfluous_but_counts_in_a_comparison() {
        let base = new().backoff(ms(60)).factor(3.0).max_backoff(ms(900)).jitter(Jitter::Full).build();
        accepted(base.to_builder().attempts(1));
        accepted(base.to_builder().no_backoff());
        let shorter = base.to_builder().total(ms(50));
        assert_eq!(shorter.try_build().map_err(|error| error.key()), Err(Key::Backoff));
    }

    #[test]
    fn every_number_below_the_count_is_a_rule() {
        let nothing = Settings::new();
        assert!((Settings::RULES..Settings::RULES + 9).all(|rule| nothing.problem(rule).is_none()));
    }

    /// Every sentence, found by trying combinations.
    fn sentences() -> std::collections::BTreeSet<&'static str> {
        let mut found = std::collections::BTreeSet::new();
        let spans = [None, Some(0), Some(10), Some(50), Some(60_000)].map(|span| span.map(ms));
        let mut builders = vec![new(), new().factor(0.0), new().jitter(Jitter::Full)];
        builders.extend(builders.clone().into_iter().map(PolicyBuilder::no_total));
        builders.extend(builders.clone().into_iter().map(PolicyBuilder::no_backoff));
        builders.extend(builders.clone().into_iter().map(PolicyBuilder::no_per_attempt));
        builders.extend(builders.clone().into_iter().map(PolicyBuilder::unlimited_attempts));
        let any_count = builders.clone().into_iter();
        builders.extend(any_count.flat_map(|builder| [builder.attempts(0), builder.attempts(1)]));
        for base in builders {
            for a in spans {
                for b in [Some(ms(10_000))].into_iter().chain(spans) {
                    for c in spans {
                        for builder in [
                            base.total_if(a).per_attempt_if(b).min_attempt_if(c),
                            base.total_if(a).backoff_if(b).max_backoff_if(c),
                            base.total_if(a).per_attempt_if(b).margin_if(c),
                        ] {
                            found.extend(builder.settings.problems().iter().map(|problem| problem.message));
                        }
                    }
                }
            }
        }
        found
    }

    #[test]
    fn every_sentence_is_in_the_style_of_the_house() {
        let sentences = sentences();
        assert_eq!(sentences.len(), 29, "{sentences:#?}");
        for sentence in sentences {
            assert!(sentence.starts_with(|c: char| c == '`' || c.is_ascii_lowercase()), "{sentence}");
            assert!(!sentence.ends_with('.') && !sentence.contains(". "), "{sentence}");
            assert_eq!(sentence.matches('`').count() % 2, 0, "{sentence}");
            assert!(sentence.len() <= 130, "{}: {sentence}", sentence.len());
        }
    }
}
