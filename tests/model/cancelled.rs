//! A call can be dropped at any of its polls: what its attempts held is free then, nothing runs on, and the thread is
//! in no scope.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use retry_runtime::{Attempt, Deadline, GaveUp, Jitter, Policy, PolicyExt, RetryError, last_error, retry};
use retry_tests::ConnectionError;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::{JoinSet, yield_now};
use tokio::time::sleep;

use crate::draws::Draws;
use crate::subject::{paused, play_for};
use crate::{agrees, drawn};

#[test]
fn whatever_the_call_does() {
    let mut drops = 0;
    for number in 0..agrees::number_of("MODEL_CASES", 10_000).div_ceil(25) {
        let seed = agrees::number_of("MODEL_SEED", 1) << 32;
        let case = drawn::case(&mut Draws::from_seed(seed + number), 3);
        for polls in 0..60 {
            let (over, wrong) = play_for(&case, polls);
            assert!(wrong.is_empty(), "after {polls} polls of {case:#?}: {wrong:?}");
            drops += u32::from(!over);
            if over {
                break;
            }
        }
    }
    assert!(drops > 1_000, "{drops}");
}

/// What the attempts of a call hold.
struct Pool {
    permits: Semaphore,
    lock: Mutex<()>,
    open: AtomicU32,
    tasks: AtomicU32,
    asked: AtomicU32,
}

/// Counts as long as it is there.
struct Counted<'a>(&'a AtomicU32);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, SeqCst);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Pool {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            permits: Semaphore::new(1),
            lock: Mutex::new(()),
            open: AtomicU32::new(0),
            tasks: AtomicU32::new(0),
            asked: AtomicU32::new(0),
        })
    }

    /// Fails, hangs, fails, answers.
    async fn ask(self: &Arc<Self>) -> Result<u32, ConnectionError> {
        let _permit = self.permits.acquire().await;
        let _locked = self.lock.lock().await;
        let _open = Counted::new(&self.open);
        let number = self.asked.fetch_add(1, SeqCst) + 1;
        let mut tasks = JoinSet::new();
        let pool = Arc::clone(self);
        tasks.spawn(async move {
            let _running = Counted::new(&pool.tasks);
            sleep(ms(2)).await;
            pool.asked.fetch_add(0, SeqCst);
        });
        yield_now().await;
        tasks.join_next().await;
        match number {
            1 | 3 => Err(ConnectionError),
            2 => std::future::pending().await,
            _ => Ok(number),
        }
    }

    async fn assert_free(self: &Arc<Self>) {
        assert!(Deadline::current().is_none() && Attempt::current().is_none());
        assert_eq!((self.permits.available_permits(), self.lock.try_lock().is_ok()), (1, true));
        assert_eq!(self.open.load(SeqCst), 0);
        // An aborted task is dropped at its next turn.
        yield_now().await;
        assert_eq!(self.tasks.load(SeqCst), 0);
        let asked = self.asked.load(SeqCst);
        sleep(Duration::from_secs(3_600)).await;
        assert_eq!(self.asked.load(SeqCst), asked);
        assert_eq!(Arc::strong_count(self), 1);
    }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Drops the call after no poll, after one, and so on, until it comes to its end; that many polls it must have.
fn at_every_poll<F: Future>(at_least: u32, call: impl Fn(Arc<Pool>) -> F) {
    for polls in 0.. {
        let over = paused(async {
            let pool = Pool::new();
            let over = {
                let mut call = pin!(call(Arc::clone(&pool)));
                let mut left = polls;
                poll_fn(|cx| {
                    if left == 0 {
                        return Poll::Ready(false);
                    }
                    left -= 1;
                    call.as_mut().poll(cx).map(|_| true)
                })
                .await
            };
            pool.assert_free().await;
            over
        });
        if over {
            assert!(polls >= at_least, "{polls}");
            return;
        }
    }
}

const POLICY: Policy =
    Policy::builder().per_attempt(ms(50)).attempts(5).backoff(ms(7)).jitter(Jitter::None).build();

#[retry(policy = POLICY, on = ConnectionError)]
async fn typed(pool: &Arc<Pool>) -> Result<u32, RetryError<ConnectionError>> {
    pool.ask().await
}

#[test]
fn a_function_of_the_typed_form() {
    at_every_poll(9, async |pool| typed(&pool).await.unwrap());
}

#[test]
fn a_function_of_the_bare_form_around_another() {
    #[retry(policy = POLICY, nested = "retry", on = ConnectionError)]
    async fn inner(pool: &Arc<Pool>) -> anyhow::Result<u32> {
        let open = Counted::new(&pool.open);
        let answer = pool.ask().await?;
        drop(open);
        Ok(answer)
    }
    #[retry(policy = POLICY, attempts = 9, nested = "retry", on = _)]
    async fn outer(pool: &Arc<Pool>) -> anyhow::Result<u32> {
        let _open = Counted::new(&pool.open);
        yield_now().await;
        Deadline::within(ms(20)).limit(inner(pool)).await?
    }
    at_every_poll(12, async |pool| outer(&pool).await.unwrap());
}

#[test]
fn a_function_with_a_value_kept() {
    #[retry(policy = POLICY, when_ok = |(answer, _)| *answer < 5, on = ConnectionError)]
    async fn kept(pool: &Arc<Pool>) -> Result<(u32, Arc<Pool>), RetryError<ConnectionError>> {
        Ok((pool.ask().await.unwrap_or(0), Arc::clone(pool)))
    }
    at_every_poll(9, async |pool| kept(&pool).await.unwrap());
}

#[test]
fn a_function_in_its_fallback() {
    #[retry(
        policy = POLICY,
        attempts = 2,
        on = ConnectionError,
        fallback = async |_: RetryError<ConnectionError>| {
            let _open = Counted::new(&pool.open);
            Deadline::detached(sleep(ms(5))).await;
            pool.ask().await.or(Ok(0))
        }
    )]
    async fn outer(pool: &Arc<Pool>) -> Result<u32, ConnectionError> {
        pool.ask().await
    }
    at_every_poll(9, async |pool| outer(&pool).await.unwrap());
}

#[test]
fn a_function_that_hands_back_its_last_error() {
    #[retry(policy = POLICY, attempts = 3, on = _, fallback = last_error)]
    async fn outer(pool: &Arc<Pool>) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
        Ok(pool.ask().await?)
    }
    at_every_poll(9, async |pool| drop(outer(&pool).await.unwrap_err()));
}

#[test]
fn a_policy_by_itself() {
    at_every_poll(9, async |pool| POLICY.run(|| pool.ask()).await.unwrap());
}

#[test]
fn a_policy_around_functions_side_by_side() {
    const OUTER: Policy = POLICY.to_builder().per_attempt(ms(200)).build();
    at_every_poll(9, async |pool| {
        let run = OUTER.run(async || {
            let _open = Counted::new(&pool.open);
            let (one, two) = tokio::join!(typed(&pool), Deadline::detached(typed(&pool)));
            one.and(two).map_err(GaveUp::from)
        });
        run.when_ok(|answer| *answer < 6).await.unwrap()
    });
}
