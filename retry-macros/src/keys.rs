//! The key table: names, what each takes, and the help for a name that is none.

/// A key of the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Total,
    PerAttempt,
    Attempts,
    On,
    When,
    WhenOk,
    Backoff,
    Factor,
    MaxBackoff,
    Jitter,
    RetryAfter,
    RetryAfterOk,
    Idempotent,
    Nested,
    MinAttempt,
    Margin,
    Deadline,
    Policy,
    Breaker,
    Throttle,
    Hedge,
    Fallback,
    Crate,
}

impl Key {
    /// Every key, in the order of the documentation.
    pub(crate) const ALL: [Self; 23] = [
        Self::Total,
        Self::PerAttempt,
        Self::Attempts,
        Self::On,
        Self::When,
        Self::WhenOk,
        Self::Backoff,
        Self::Factor,
        Self::MaxBackoff,
        Self::Jitter,
        Self::RetryAfter,
        Self::RetryAfterOk,
        Self::Idempotent,
        Self::Nested,
        Self::MinAttempt,
        Self::Margin,
        Self::Deadline,
        Self::Policy,
        Self::Breaker,
        Self::Throttle,
        Self::Hedge,
        Self::Fallback,
        Self::Crate,
    ];

    /// The name as the user writes it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::PerAttempt => "per_attempt",
            Self::Attempts => "attempts",
            Self::On => "on",
            Self::When => "when",
            Self::WhenOk => "when_ok",
            Self::Backoff => "backoff",
            Self::Factor => "factor",
            Self::MaxBackoff => "max_backoff",
            Self::Jitter => "jitter",
            Self::RetryAfter => "retry_after",
            Self::RetryAfterOk => "retry_after_ok",
            Self::Idempotent => "idempotent",
            Self::Nested => "nested",
            Self::MinAttempt => "min_attempt",
            Self::Margin => "margin",
            Self::Deadline => "deadline",
            Self::Policy => "policy",
            Self::Breaker => "breaker",
            Self::Throttle => "throttle",
            Self::Hedge => "hedge",
            Self::Fallback => "fallback",
            Self::Crate => "crate",
        }
    }

    /// What the key takes, to follow "takes".
    pub(crate) const fn takes(self) -> &'static str {
        match self {
            Self::Total => "a duration such as `\"1s\"`, `\"none\"`, or an expression of type `Duration`",
            Self::PerAttempt => {
                "a duration such as `\"200ms\"`, `\"share\"`, `\"none\"`, or an expression of type `Duration`"
            }
            Self::Attempts => {
                "a whole number of at least 1, `\"unlimited\"`, or an expression of an integer type"
            }
            Self::On => "error types and patterns joined by `|`, or `_` for every error",
            Self::When => {
                "a function or closure from `&E` to `bool`, such as `when = |e: &Error| e.is_timeout()`"
            }
            Self::WhenOk => {
                "a function or closure from `&T` to `bool`, such as `when_ok = |r: &Reply| r.is_busy()`"
            }
            Self::Backoff => "a duration such as `\"50ms\"`, `\"none\"`, or an expression of type `Duration`",
            Self::Factor => "a number of at least 1, or an expression of type `f64`",
            Self::MaxBackoff => "a duration such as `\"5s\"`, or an expression of type `Duration`",
            Self::Jitter => "`\"equal\"`, `\"full\"` or `\"none\"`",
            Self::RetryAfter => {
                "a function or closure from `&E` to `Option<Duration>`, such as `retry_after = Error::retry_after`"
            }
            Self::RetryAfterOk => {
                "a function or closure from `&T` to `Option<Duration>`, such as `retry_after_ok = Reply::retry_after`"
            }
            Self::Idempotent => "`true` or `false`",
            Self::Nested => "`\"stop\"` or `\"retry\"`",
            Self::MinAttempt => "a duration such as `\"1ms\"`, or an expression of type `Duration`",
            Self::Margin => "a duration such as `\"20ms\"`, or an expression of type `Duration`",
            Self::Deadline => "an expression of type `Deadline` or `Option<Deadline>`",
            Self::Policy => "an expression of type `Policy` or `&Policy`",
            Self::Breaker => "a `CircuitBreaker`: the name of a static, a reference or an `Arc`",
            Self::Throttle => "a `RetryThrottle`: the name of a static, a reference or an `Arc`",
            Self::Hedge => "a duration such as `\"50ms\"`, or an expression of type `Duration`",
            Self::Fallback => {
                "a function or closure that takes the give-up, such as `fallback = retry_runtime::last_error`"
            }
            Self::Crate => "the path of the runtime crate, such as `crate = my_crate::retry_runtime`",
        }
    }

    /// One entry, as an example.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Total => "total = \"1s\"",
            Self::PerAttempt => "per_attempt = \"200ms\"",
            Self::Attempts => "attempts = 3",
            Self::On => "on = ConnectionError",
            Self::When => "when = |e: &Error| e.is_timeout()",
            Self::WhenOk => "when_ok = |r: &Reply| r.is_busy()",
            Self::Backoff => "backoff = \"50ms\"",
            Self::Factor => "factor = 2",
            Self::MaxBackoff => "max_backoff = \"5s\"",
            Self::Jitter => "jitter = \"full\"",
            Self::RetryAfter => "retry_after = Error::retry_after",
            Self::RetryAfterOk => "retry_after_ok = Reply::retry_after",
            Self::Idempotent => "idempotent = false",
            Self::Nested => "nested = \"retry\"",
            Self::MinAttempt => "min_attempt = \"1ms\"",
            Self::Margin => "margin = \"20ms\"",
            Self::Deadline => "deadline = request.deadline",
            Self::Policy => "policy = POLICY",
            Self::Breaker => "breaker = BREAKER",
            Self::Throttle => "throttle = THROTTLE",
            Self::Hedge => "hedge = \"50ms\"",
            Self::Fallback => "fallback = retry_runtime::last_error",
            Self::Crate => "crate = my_crate::retry_runtime",
        }
    }

    /// The key of that name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }
}

/// The sentence for a name that is no key.
pub(crate) fn unknown(name: &str) -> String {
    let snake = snake(name);
    if let Some(help) = foreign(&snake) {
        return format!("unknown key `{name}`: {help}");
    }
    if let Some(key) = nearest(&snake) {
        return format!("unknown key `{name}`: did you mean `{}`?", key.name());
    }
    let names: Vec<_> = Key::ALL.iter().map(|key| format!("`{}`", key.name())).collect();
    format!("unknown key `{name}`, expected one of {}", names.join(", "))
}

/// `perAttempt` and `PER_ATTEMPT` as `per_attempt`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = None;
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_some_and(char::is_lowercase) {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = Some(letter);
    }
    snake
}

/// What other libraries call it, and what it is called here.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "retries" | "max_retries" | "retry_count" | "num_retries" => {
            "write `attempts`, which counts the first attempt too"
        }
        "times" | "tries" | "max_attempts" | "max_tries" | "max_times" | "count" | "limit" => {
            "write `attempts`"
        }
        "timeout" | "time_limit" => "write `total` for the whole call, `per_attempt` for each attempt",
        "total_timeout" | "max_elapsed" | "max_elapsed_time" | "max_duration" | "total_delay" => {
            "write `total`"
        }
        "attempt_timeout" | "per_try" | "per_try_timeout" => "write `per_attempt`",
        "delay" | "wait" | "interval" | "sleep" | "min_delay" | "initial" | "initial_delay" | "base"
        | "base_delay" => "write `backoff`",
        "max_delay" | "max_wait" | "max_interval" | "backoff_max" | "cap" => "write `max_backoff`",
        "multiplier" | "exponent" | "exponential" | "growth" => "write `factor`",
        "if" | "retry_if" | "retryable" | "predicate" | "filter" | "condition" | "retry_when" => {
            "write `when`"
        }
        "error" | "errors" | "err" | "retry_on" | "exceptions" => "write `on`",
        "circuit" | "circuit_breaker" | "cb" => "write `breaker`",
        "hedging" | "hedge_delay" | "hedge_after" | "backup_after" => "write `hedge`",
        "retry_budget" | "tokens" | "token_bucket" => "write `throttle`",
        "budget" => "write `total` for the time of a call, `throttle` for the retries of all calls",
        "rate" | "rate_limit" | "rate_limiter" | "bulkhead" | "semaphore" | "permits" | "concurrency"
        | "concurrency_limit" | "max_concurrency" | "max_concurrent" | "max_in_flight" | "parallelism" => {
            "there is no key for it: `throttle` bounds retries, and a `tokio::sync::Semaphore` acquired in the body bounds attempts at a time"
        }
        _ => return None,
    })
}

/// The key that was probably meant: one or two letters away, begun, or a part of the name.
fn nearest(name: &str) -> Option<Key> {
    let begun = |key: &Key| name.len() >= 3 && key.name().starts_with(name);
    Key::ALL
        .into_iter()
        .map(|key| (distance(name, key.name()), key))
        .filter(|(distance, key)| *distance <= 2 && *distance < key.name().len().min(name.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, key)| key)
        .or_else(|| Key::ALL.into_iter().find(begun))
        .or_else(|| Key::ALL.into_iter().rfind(|key| key.name().len() > 4 && name.contains(key.name())))
}

/// The least number of inserted, removed, replaced or swapped letters between two words.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous_letter = None;
    for (row, letter) in left.chars().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != *other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if column > 0 && previous_letter == Some(*other) && right[column - 1] == letter {
                least = least.min(before_last[column - 1] + 1);
            }
            next.push(least);
        }
        before_last = std::mem::replace(&mut last, next);
        previous_letter = Some(letter);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_key() {
        for key in Key::ALL {
            assert_eq!(Key::find(key.name()), Some(key));
        }
    }

    #[test]
    fn a_near_name_is_offered() {
        for (typed, meant) in [
            ("attemps", Key::Attempts),
            ("atempts", Key::Attempts),
            ("toatl", Key::Total),
            ("per_attempts", Key::PerAttempt),
            ("onn", Key::On),
            ("back", Key::Backoff),
            ("idempotant", Key::Idempotent),
            ("retry_total", Key::Total),
            ("perAttempt", Key::PerAttempt),
            ("MAX_BACKOFF", Key::MaxBackoff),
        ] {
            assert_eq!(nearest(&snake(typed)), Some(meant), "{typed}");
        }
    }

    #[test]
    fn a_far_name_is_not_offered() {
        for typed in ["x", "name", "metrics", "queue", "zzz"] {
            assert_eq!(nearest(typed), None, "{typed}");
        }
    }

    #[test]
    fn words_of_other_libraries_are_translated() {
        assert!(unknown("retries").contains("write `attempts`, which counts the first attempt too"));
        assert!(unknown("timeout").contains("`total` for the whole call"));
        assert!(
            unknown("budget")
                .ends_with("`total` for the time of a call, `throttle` for the retries of all calls")
        );
        assert!(unknown("retry_budget").ends_with("write `throttle`"));
    }

    #[test]
    fn limits_of_another_kind_have_no_key() {
        for name in ["rate_limit", "bulkhead", "concurrency", "maxConcurrency"] {
            let text = unknown(name);
            assert!(text.contains("no key for it: `throttle` bounds retries"), "{text}");
            assert!(text.contains("`tokio::sync::Semaphore` acquired in the body"), "{text}");
        }
    }
}
