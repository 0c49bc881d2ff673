//! Numbers up to the ends of their types, through whole calls, their waits included; and a clock near its end.

use std::cell::RefCell;
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use retry_policy::Wait;
use retry_runtime::{
    Attempt, AttemptLimit, Deadline, Jitter, Nested, Policy, PolicyBuilder, Reason, RetryError, retry,
};
use retry_tests::ConnectionError;
use tokio::time::{Instant, advance, timeout};

use crate::agrees::number_of;
use crate::draws::Draws;
use crate::subject::paused;

const NANO: Duration = Duration::from_nanos(1);
const TICK: Duration = Duration::from_millis(1);
const YEAR: Duration = Duration::from_secs(31_557_600);
/// Beyond the 584 years that nanoseconds count in 64 bits.
const AGES: Duration = Duration::from_nanos(u64::MAX);

fn duration(draws: &mut Draws) -> Duration {
    const ALL: [Duration; 20] = [
        Duration::from_millis(10),
        Duration::from_millis(100),
        Duration::from_secs(1),
        TICK,
        NANO,
        Duration::ZERO,
        Duration::from_nanos(999_999),
        Duration::from_nanos(1_000_001),
        Duration::from_secs(86_400),
        Duration::from_secs(YEAR.as_secs() * 3),
        Duration::from_secs(YEAR.as_secs() * 584),
        Duration::from_nanos(u64::MAX - 1),
        AGES,
        Duration::new(18_446_744_073, 709_551_616),
        Duration::from_secs(1 << 40),
        Duration::from_secs(i64::MAX as u64),
        Duration::from_secs(i64::MAX as u64 + 1),
        Duration::new(u64::MAX, 0),
        Duration::new(u64::MAX, 999_999_998),
        Duration::MAX,
    ];
    draws.pick(&ALL)
}

fn maybe(draws: &mut Draws, percent: usize) -> Option<Duration> {
    draws.chance(percent).then(|| duration(draws))
}

fn policy(draws: &mut Draws) -> Policy {
    let mut policy: PolicyBuilder = Policy::builder()
        .jitter(draws.pick(&[Jitter::None, Jitter::Equal, Jitter::Full]))
        .idempotent(draws.chance(80))
        .nested(draws.pick(&[Nested::Stop, Nested::Retry]))
        .total_if(maybe(draws, 60))
        .per_attempt_if(maybe(draws, 40))
        .backoff_if(maybe(draws, 60))
        .max_backoff_if(maybe(draws, 40))
        .min_attempt_if(maybe(draws, 30))
        .margin_if(maybe(draws, 40));
    if draws.chance(50) {
        policy = policy.attempts(draws.pick(&[3, 1, 2, 0, 7, 1_000, u32::MAX - 1, u32::MAX]));
    }
    if draws.chance(15) {
        policy = policy.no_total();
    }
    if draws.chance(15) {
        policy = policy.no_per_attempt();
    }
    if draws.chance(40) {
        let ends = [1.0, 2.0, 0.0, -1.0, 1.0 + f64::EPSILON, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
        policy = policy.factor(draws.pick(&ends));
    }
    policy.trusted()
}

/// Nothing panics, no limit is exceeded, and what ends says so, wherever the numbers are.
#[test]
fn any_numbers_are_survived_to_the_end_of_the_call() {
    for number in 0..number_of("MODEL_CASES", 10_000).div_ceil(3) {
        let mut draws = Draws::from_seed((number_of("MODEL_SEED", 1) << 32) + number);
        let policy = policy(&mut draws);
        let (hint, deadline, scope) = (maybe(&mut draws, 40), maybe(&mut draws, 30), maybe(&mut draws, 30));
        let fails = draws.below(4) as u32;
        let described =
            format!("{number}: {policy:?}, hint {hint:?}, deadline {deadline:?}, scope {scope:?}, {fails}");
        let run = catch_unwind(AssertUnwindSafe(|| paused(play(policy, hint, deadline, scope, fails))));
        assert!(run.is_ok(), "{described}");
    }
}

/// So many attempts are enough of those that last a nanosecond.
const ENOUGH: u32 = 50;

/// The first attempts fail at once, the others hang.
async fn play(
    policy: Policy,
    hint: Option<Duration>,
    deadline: Option<Duration>,
    scope: Option<Duration>,
    fails: u32,
) {
    #[retry(policy = policy, deadline = deadline.map(Deadline::within), when = |_| true, retry_after = |_| hint)]
    async fn call(
        policy: Policy,
        hint: Option<Duration>,
        deadline: Option<Duration>,
        fails: u32,
        limits: &RefCell<Vec<Duration>>,
    ) -> Result<(), RetryError<ConnectionError>> {
        let attempt = Attempt::current().expect("in an attempt");
        limits.borrow_mut().push(attempt.limit());
        match attempt.number() {
            ENOUGH => Ok(()),
            number if number > fails => pending().await,
            _ => Err(ConnectionError),
        }
    }
    let (start, limits) = (Instant::now(), RefCell::new(Vec::new()));
    let call = call(policy, hint, deadline, fails, &limits);
    let call = async {
        match scope {
            Some(scope) => Deadline::within(scope).scope(call).await,
            None => call.await,
        }
    };
    // A few waits of three years are let come to their end.
    let result = timeout(YEAR * 20, call).await;
    let elapsed = start.elapsed();

    let limits = limits.into_inner();
    let most = [policy.total(), deadline, scope].into_iter().flatten().min();
    if let Some(most) = most {
        assert!(elapsed <= most.saturating_add(TICK), "{elapsed:?}");
        // What is further away than that never comes, so it is no limit.
        assert!(most >= YEAR * 500 || limits.iter().all(|limit| *limit <= most), "{limits:?}");
    }
    if let AttemptLimit::Of(limit) = policy.per_attempt() {
        assert!(limit >= YEAR * 500 || limits.iter().all(|its| *its <= limit), "{limits:?}");
    }
    if let Some(attempts) = policy.attempts() {
        assert!(limits.len() <= attempts as usize);
    }
    let Ok(result) = result else {
        assert!(most.is_none_or(|most| most >= YEAR * 20), "it should have ended");
        return;
    };
    let Err(error) = result else {
        assert_eq!(limits.len(), ENOUGH as usize);
        return;
    };
    assert_eq!(error.attempts() as usize, limits.len());
    assert_eq!(error.elapsed(), elapsed);
    assert!(!format!("{error} {error:?} {:?}", error.history()).is_empty());
    match error.reason() {
        Reason::RetryAfterTooLong => assert_eq!(error.retry_after(), hint),
        Reason::TotalElapsed => assert!(policy.total().is_some()),
        Reason::InheritedDeadline => assert!(deadline.or(scope).is_some()),
        Reason::AttemptsExhausted => assert_eq!(Some(error.attempts()), policy.attempts()),
        Reason::AttemptTimedOut => assert!(!policy.idempotent()),
        other => panic!("{other:?}"),
    }
}

/// The numbers of a policy by themselves: waits and limits for any attempt.
#[test]
fn any_numbers_have_an_answer_in_their_bounds() {
    for number in 0..number_of("MODEL_CASES", 10_000) {
        let mut draws = Draws::from_seed((number_of("MODEL_SEED", 1) << 40) + number);
        let policy = policy(&mut draws);
        let attempt = draws.pick(&[1, 0, 2, 3, 64, 65, 1 << 20, i32::MAX as u32, u32::MAX - 1, u32::MAX]);
        let (left, hint, last) = (maybe(&mut draws, 80), maybe(&mut draws, 50), draws.chance(30));
        let bits = draws.pick(&[0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX]);

        let backoff = policy.backoff_after(attempt);
        assert!(backoff <= policy.max_backoff() && backoff >= policy.backoff().unwrap_or_default());
        // What is further away than 584 years never comes.
        let finite = left.filter(|left| *left < AGES);
        if let (Some(limit), Some(left)) = (policy.limit(attempt, last, left), finite) {
            assert!(limit <= left, "{limit:?} of {left:?} by {policy:?}");
        }
        let fits = |wait: Duration| {
            finite.is_none_or(|left| left.checked_sub(wait).is_some_and(|left| policy.fits(Some(left))))
        };
        let wait = policy.next_wait(attempt, left, hint, last, || bits);
        let described = format!("{wait:?} after {attempt}, {left:?} left, {hint:?}, by {policy:?}");
        let hint = hint.unwrap_or_default().min(AGES);
        match wait {
            Wait::Whole(wait) => {
                let longest = policy.max_backoff().max(hint + hint / 10);
                assert!(wait.min(AGES) <= longest && wait >= hint, "{described}");
                assert!(fits(wait) && !last, "{described}");
            }
            Wait::Shortened(wait) => {
                assert!(!wait.is_zero() && wait >= hint && !last, "{described}");
                assert!(finite.is_some_and(|left| wait < left), "{described}");
            }
            Wait::HintTooLong => assert!(!fits(hint), "{described}"),
            Wait::OutOfTime => assert!(left.is_some() || last, "{described}"),
        }
        let _ = policy.plan();
    }
}

/// Where the clock may stand when a call starts: in the beginning, after ages, and where 64 bits of milliseconds end.
const CLOCKS: [Duration; 5] = [
    Duration::ZERO,
    TICK,
    Duration::from_secs(AGES.as_secs() + 1),
    Duration::from_secs(1 << 40),
    Duration::from_secs(1 << 53),
];

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = ConnectionError)]
async fn hung() -> Result<(), RetryError<ConnectionError>> {
    pending().await
}

#[retry(backoff = "100ms", margin = "1ms", jitter = "none", on = ConnectionError)]
async fn failing() -> Result<(), RetryError<ConnectionError>> {
    Err(ConnectionError)
}

#[test]
fn a_call_is_the_same_wherever_the_clock_stands() {
    for clock in CLOCKS {
        paused(async {
            advance(clock).await;
            let error = hung().await.unwrap_err();
            assert_eq!(
                (error.attempts(), error.elapsed(), error.reason()),
                (4, TICK * 1_000, Reason::TotalElapsed)
            );
            let error = Deadline::within(TICK * 201).scope(failing()).await.unwrap_err();
            // 0, 100, and half of the hundred milliseconds that are left without the margin.
            let expected = (3, TICK * 150, Reason::AttemptsExhausted);
            assert_eq!((error.attempts(), error.elapsed(), error.reason()), expected);
        });
    }
}

/// Advances the clock to where it has five seconds left, or six.
async fn to_the_end() {
    for bit in (0..63).rev() {
        let step = Duration::from_secs(1 << bit);
        if Instant::now().checked_add(step + Duration::from_secs(5)).is_some() {
            advance(step).await;
        }
    }
    assert!(Instant::now().checked_add(Duration::from_secs(6)).is_none());
}

/// A deadline that cannot be represented is none.
#[test]
fn at_the_end_of_the_clock_nothing_panics() {
    paused(async {
        to_the_end().await;
        assert_eq!(Deadline::within(Duration::from_secs(6)), Deadline::NEVER);
        assert_eq!(Deadline::at(Instant::now()).reserve(Duration::MAX).remaining(), Duration::ZERO);
        let error = failing().await.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (3, Reason::AttemptsExhausted));
        let over = Deadline::at(Instant::now());
        let error = over.scope(failing()).await.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (0, Reason::InheritedDeadline));
        assert!(over.limit(pending::<()>()).await.is_err());
    });
    // In the middle of an attempt, and of a wait.
    paused(async {
        let (error, ()) = tokio::join!(hung(), to_the_end());
        let error = error.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (1, Reason::TotalElapsed));
        assert!(error.elapsed() >= YEAR * 500, "{error}");
    });
    paused(async {
        let (error, ()) = tokio::join!(failing(), to_the_end());
        assert_eq!(error.unwrap_err().reason(), Reason::TotalElapsed);
    });
}
