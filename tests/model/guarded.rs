//! What a call holds of its breaker and its throttle, looked at after each of its polls, and again when it was dropped
//! there: the slot of a probe as long as the attempt runs, the token of a retry from before the wait on.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use retry_runtime::{
    CircuitBreaker, CircuitState, Deadline, Jitter, Policy, PolicyExt, Reason, RetryError, RetryThrottle,
    retry,
};
use retry_tests::ConnectionError;
use tokio::task::yield_now;
use tokio::time::{advance, sleep};

use crate::subject::paused;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

struct Guarded {
    breaker: CircuitBreaker,
    throttle: RetryThrottle,
    script: &'static [Step],
    starts: AtomicU32,
    running: AtomicU32,
}

#[derive(Clone, Copy)]
enum Step {
    Fail,
    Hang,
    Answer,
}

struct Running<'a>(&'a AtomicU32);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Guarded {
    /// With ten retries, and half-open, with so many slots.
    async fn new(throttle: RetryThrottle, slots: u32, script: &'static [Step]) -> Arc<Self> {
        let breaker = CircuitBreaker::consecutive(1, ms(1)).probes(slots);
        breaker.try_acquire().unwrap().failure();
        sleep(ms(1)).await;
        assert_eq!((breaker.state(), throttle.available()), (CircuitState::HalfOpen, 10));
        let (starts, running) = (AtomicU32::new(0), AtomicU32::new(0));
        Arc::new(Self { breaker, throttle, script, starts, running })
    }

    async fn ask(&self) -> Result<u32, ConnectionError> {
        let number = self.starts.fetch_add(1, SeqCst);
        self.running.fetch_add(1, SeqCst);
        let _running = Running(&self.running);
        for _ in 0..3 {
            yield_now().await;
        }
        match self.script.get(number as usize).or(self.script.last()) {
            Some(Step::Fail) => Err(ConnectionError),
            Some(Step::Hang) => pending().await,
            _ => Ok(number),
        }
    }

    /// How many more attempts would pass.
    fn slots(&self) -> usize {
        let permits: Vec<_> = std::iter::from_fn(|| self.breaker.try_acquire().ok()).take(10).collect();
        permits.len()
    }

    fn starts(&self) -> u32 {
        self.starts.load(SeqCst)
    }

    fn is_running(&self) -> bool {
        self.running.load(SeqCst) > 0
    }

    /// Retries that have started.
    fn retries(&self) -> u32 {
        self.starts().saturating_sub(1)
    }
}

/// Polls the call so many times, with a look at what it holds after each of them: its result if it came to its end.
async fn poll<T>(call: impl Future<Output = T>, polls: u32, look: impl Fn()) -> Option<T> {
    let mut call = pin!(call);
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        let polled = call.as_mut().poll(cx);
        if polled.is_pending() {
            look();
        }
        polled.map(Some)
    })
    .await
}

const POLICY: Policy = Policy::builder().attempts(3).backoff(ms(7)).jitter(Jitter::None).build();

type Answer = Result<u32, RetryError<ConnectionError>>;

#[retry(policy = POLICY, breaker = guarded.breaker, throttle = guarded.throttle, on = ConnectionError)]
async fn typed(guarded: &Guarded) -> Answer {
    guarded.ask().await
}

/// Each way to make the call, dropped after each of its polls until it comes to its end.
fn each_way_at_every_poll<N: Future<Output = Arc<Guarded>>>(
    new: impl Fn() -> N,
    check: impl AsyncFn(Arc<Guarded>, Pin<Box<dyn Future<Output = Option<u32>>>>, u32) -> bool,
) {
    #[retry(policy = POLICY, breaker = guarded.breaker, throttle = guarded.throttle, on = _)]
    async fn bare(guarded: Arc<Guarded>) -> anyhow::Result<u32> {
        Ok(guarded.ask().await?)
    }
    type Way = fn(Arc<Guarded>) -> Pin<Box<dyn Future<Output = Option<u32>>>>;
    const WAYS: [Way; 3] = [
        |guarded| Box::pin(async move { typed(&guarded).await.ok() }),
        |guarded| Box::pin(async move { bare(guarded).await.ok() }),
        |guarded| {
            Box::pin(async move {
                let run = POLICY.run(|| guarded.ask());
                run.breaker(&guarded.breaker).throttle(&guarded.throttle).await.ok()
            })
        },
    ];
    for way in WAYS {
        let is_over = |polls: &u32| {
            paused(async {
                let guarded = new().await;
                check(Arc::clone(&guarded), way(guarded), *polls).await
            })
        };
        let polls = (0..).find(is_over);
        assert!(polls > Some(3), "{polls:?}");
    }
}

/// The caller is in a hurry, so its attempts that are cut count as nothing, and each of them is the probe.
#[test]
fn a_probe_has_its_slot_while_it_runs_and_a_retry_its_token_from_before_the_wait_on() {
    async fn check(
        guarded: Arc<Guarded>,
        call: impl Future<Output = Option<u32>>,
        polls: u32,
        at_the_end: u32,
    ) -> bool {
        let look = || {
            let reserved = if guarded.is_running() { guarded.retries() } else { guarded.starts() };
            assert_eq!(guarded.slots(), usize::from(!guarded.is_running()), "after {polls} polls");
            assert_eq!(guarded.throttle.available(), 10 - reserved, "after {polls} polls");
        };
        let call = Deadline::within(ms(300)).scope(call);
        if let Some(result) = poll(call, polls, look).await {
            assert_eq!(
                (result, guarded.starts(), guarded.breaker.state()),
                (Some(2), 3, CircuitState::Closed)
            );
            assert_eq!(guarded.throttle.available(), at_the_end);
            return true;
        }
        assert!(!guarded.is_running());
        assert_eq!((guarded.slots(), guarded.breaker.state()), (1, CircuitState::HalfOpen));
        // What has started is spent; what was only reserved is back.
        assert_eq!(guarded.throttle.available(), 10 - guarded.retries(), "dropped after {polls} polls");
        false
    }
    const SCRIPT: &[Step] = &[Step::Hang, Step::Hang, Step::Answer];
    each_way_at_every_poll(
        || Guarded::new(RetryThrottle::ratio(0, 1), 1, SCRIPT),
        async |guarded, call, polls| check(guarded, call, polls, 8).await,
    );
    // A success brings back what the last retry took.
    each_way_at_every_poll(
        || Guarded::new(RetryThrottle::tokens(30, 3, 1), 1, SCRIPT),
        async |guarded, call, polls| check(guarded, call, polls, 9).await,
    );
}

/// A probe that fails opens it, and the call ends without a wait: no token is taken for long enough to be seen.
#[test]
fn a_probe_that_fails_leaves_nothing_behind() {
    each_way_at_every_poll(
        || Guarded::new(RetryThrottle::tokens(10, 1, 1), 1, &[Step::Fail]),
        async |guarded, call, polls| {
            let look = || assert_eq!((guarded.slots(), guarded.throttle.available()), (0, 10));
            let over = poll(call, polls, look).await.is_some();
            let (state, slots) = if over { (CircuitState::Open, 0) } else { (CircuitState::HalfOpen, 1) };
            assert_eq!((guarded.breaker.state(), guarded.slots()), (state, slots), "after {polls} polls");
            assert_eq!((guarded.throttle.available(), guarded.starts()), (10, u32::from(polls > 0)));
            over
        },
    );
}

/// Both levels have the same breaker and the same throttle.
#[test]
fn a_call_in_a_call_holds_its_own() {
    #[retry(policy = POLICY, attempts = 1, breaker = guarded.breaker, on = ConnectionError)]
    async fn outer(guarded: &Guarded) -> Result<u32, RetryError> {
        Ok(typed(guarded).await?)
    }
    for polls in 0.. {
        let over = paused(async {
            const SCRIPT: &[Step] = &[Step::Hang, Step::Answer];
            let guarded = Guarded::new(RetryThrottle::tokens(10, 1, 1), 2, SCRIPT).await;
            let look = || {
                assert_eq!(guarded.slots(), usize::from(!guarded.is_running()), "after {polls} polls");
                let reserved = if guarded.is_running() { guarded.retries() } else { guarded.starts() };
                assert_eq!(guarded.throttle.available(), 10 - reserved, "after {polls} polls");
            };
            let call = Deadline::within(ms(300)).scope(outer(&guarded));
            if let Some(result) = poll(call, polls, look).await {
                // The inner one has succeeded, then the outer one, and so both probes.
                assert_eq!((result.unwrap(), guarded.breaker.state()), (1, CircuitState::Closed));
                assert_eq!(guarded.throttle.available(), 10);
                return true;
            }
            assert_eq!((guarded.slots(), guarded.breaker.state()), (2, CircuitState::HalfOpen));
            assert_eq!(guarded.throttle.available(), 10 - guarded.retries());
            false
        });
        if over {
            assert!(polls > 7, "{polls}");
            break;
        }
    }
}

/// After so many attempts without a wait other tasks have their turn, and the retry after it is paid for.
#[test]
fn a_call_that_only_yields_has_its_token_too() {
    const POLICY: Policy = Policy::builder().attempts(200).no_backoff().build();
    paused(async {
        let (throttle, starts) = (RetryThrottle::tokens(1_000, 1, 1), AtomicU32::new(0));
        let run = POLICY
            .run(|| {
                starts.fetch_add(1, SeqCst);
                std::future::ready(Err::<(), _>(ConnectionError))
            })
            .throttle(&throttle);
        let look = || assert_eq!((starts.load(SeqCst), throttle.available()), (128, 1_000 - 128));
        assert!(poll(run, 1, look).await.is_none());
        assert_eq!((starts.load(SeqCst), throttle.available()), (128, 1_000 - 127));
    });
}

/// What a call of so many attempts holds at each poll of its fallback: slots and tokens that are there for others.
/// Before that, the clock is late by so much once.
fn held_in_the_fallback(
    attempts: u32,
    late: Duration,
    prepare: fn(&CircuitBreaker),
) -> (Reason, Vec<(usize, u32)>) {
    #[retry(
        total = "100ms",
        per_attempt = "50ms",
        attempts = attempts,
        backoff = "10ms",
        factor = 1,
        jitter = "none",
        breaker = guarded.breaker,
        throttle = guarded.throttle,
        on = ConnectionError,
        fallback = async |give_up: RetryError<ConnectionError>| {
            in_fallback.store(true, SeqCst);
            for _ in 0..3 {
                yield_now().await;
            }
            Ok(Some(give_up.reason()))
        }
    )]
    async fn call(
        guarded: &Guarded,
        attempts: u32,
        in_fallback: &AtomicBool,
    ) -> Result<Option<Reason>, ConnectionError> {
        guarded.ask().await.map(|_| None)
    }
    paused(async {
        let guarded = Guarded::new(RetryThrottle::tokens(20, 2, 1), 1, &[Step::Fail]).await;
        prepare(&guarded.breaker);
        let (mut held, in_fallback) = (Vec::new(), AtomicBool::new(false));
        let mut call = pin!(call(&guarded, attempts, &in_fallback));
        let call = poll_fn(|cx| {
            let polled = call.as_mut().poll(cx);
            if polled.is_pending() && in_fallback.load(SeqCst) {
                held.push((guarded.slots(), guarded.throttle.available()));
            }
            polled
        });
        let (result, ()) = tokio::join!(call, async {
            sleep(ms(5)).await;
            advance(late).await;
        });
        (result.unwrap().unwrap(), held)
    })
}

#[test]
fn a_fallback_runs_with_nothing_held() {
    const NOT_LATE: Duration = Duration::ZERO;
    // The probe has failed.
    assert_eq!(held_in_the_fallback(3, NOT_LATE, |_| ()), (Reason::CircuitOpen, vec![(0, 10); 3]));
    let forced = CircuitBreaker::force_closed;
    for late in [NOT_LATE, ms(20)] {
        let held = held_in_the_fallback(3, late, forced);
        assert_eq!(held, (Reason::AttemptsExhausted, vec![(10, 8); 3]));
    }
    let held = held_in_the_fallback(30, NOT_LATE, forced);
    assert_eq!(held, (Reason::TotalElapsed, vec![(10, 0); 3]));
}
/// The wait has lasted until there is no time for the attempt that was paid for.
#[test]
fn a_fallback_runs_with_nothing_held_after_a_late_timer_either() {
    let held = held_in_the_fallback(3, ms(100), CircuitBreaker::force_closed);
    assert_eq!(held, (Reason::TotalElapsed, vec![(10, 10); 3]));
}
