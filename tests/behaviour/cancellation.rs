//! Cancellation is real: what is out of time is dropped before the wait, and nothing runs on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use retry_runtime::{Policy, PolicyExt, RetryError, retry};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use crate::support::*;

/// Notes when it is dropped.
struct Guard<'a>(&'a Mutex<Vec<Duration>>, Instant);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(self.1.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_out_of_time_is_dropped_before_the_wait() {
    #[retry(per_attempt = "100ms", backoff = "500ms", attempts = 3, jitter = "none", on = ConnectionError)]
    async fn fetch(drops: &Mutex<Vec<Duration>>, start: Instant) -> Result<u32, RetryError<ConnectionError>> {
        let _guard = Guard(drops, start);
        std::future::pending().await
    }
    let drops = Mutex::default();
    fetch(&drops, Instant::now()).await.unwrap_err();
    assert_eq!(*drops.lock().unwrap(), [ms(100), ms(700), ms(1800)]);
}

#[tokio::test(start_paused = true)]
async fn what_an_attempt_held_is_free_during_the_wait() {
    #[retry(per_attempt = "100ms", backoff = "500ms", attempts = 2, jitter = "none", on = ConnectionError)]
    async fn fetch(permits: &Semaphore) -> Result<u32, RetryError<ConnectionError>> {
        let _permit = permits.acquire().await;
        std::future::pending().await
    }
    let permits = Semaphore::new(1);
    let other = async {
        sleep(ms(300)).await;
        permits.try_acquire().map(drop).is_ok()
    };
    let (result, free) = tokio::join!(fetch(&permits), other);
    result.unwrap_err();
    assert!(free);
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_attempt_held_is_free_during_the_wait() {
    #[retry(backoff = "500ms", attempts = 2, jitter = "none", on = ConnectionError)]
    async fn fetch(permits: &Semaphore) -> Result<u32, RetryError<ConnectionError>> {
        let _permit = permits.acquire().await;
        Err(ConnectionError)
    }
    let permits = Semaphore::new(1);
    let other = async {
        sleep(ms(300)).await;
        permits.try_acquire().map(drop).is_ok()
    };
    let (result, free) = tokio::join!(fetch(&permits), other);
    result.unwrap_err();
    assert!(free);
}

#[tokio::test(start_paused = true)]
async fn attempts_do_not_overlap() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    fetch(&server).await.unwrap_err();
    assert_eq!((server.calls(), server.most_open(), server.open()), (3, 1, 0));
}

/// Counts the tasks that are alive.
#[derive(Default)]
struct Live {
    now: AtomicU32,
    most: AtomicU32,
}

struct In<'a>(&'a Live);

impl Drop for In<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, SeqCst);
    }
}

async fn work(live: &Live) {
    live.most.fetch_max(live.now.fetch_add(1, SeqCst) + 1, SeqCst);
    let _in = In(live);
    sleep(secs(10)).await;
}

#[tokio::test(start_paused = true)]
async fn the_tasks_of_a_join_set_end_with_their_attempt() {
    static LIVE: Live = Live { now: AtomicU32::new(0), most: AtomicU32::new(0) };
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn fetch() -> Result<(), RetryError<ConnectionError>> {
        let mut set = tokio::task::JoinSet::new();
        set.spawn(work(&LIVE));
        set.join_next().await;
        Ok(())
    }
    fetch().await.unwrap_err();
    assert_eq!(LIVE.most.load(SeqCst), 1);
}

/// The documented limit of cancellation: a task of its own is not ours to drop.
#[tokio::test(start_paused = true)]
async fn a_detached_task_outlives_its_attempt() {
    static LIVE: Live = Live { now: AtomicU32::new(0), most: AtomicU32::new(0) };
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn fetch() -> Result<(), RetryError<ConnectionError>> {
        tokio::spawn(work(&LIVE)).await.map_err(|_| ConnectionError)
    }
    fetch().await.unwrap_err();
    assert_eq!(LIVE.most.load(SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_call_in_an_attempt_drops_everything() {
    #[retry(per_attempt = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    assert!(timeout(ms(100), fetch(&server)).await.is_err());
    assert_eq!((server.calls(), server.open()), (1, 0));
    sleep(secs(60)).await;
    assert_eq!(server.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_call_in_a_wait_starts_no_further_attempt() {
    #[retry(backoff = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    assert!(timeout(ms(100), fetch(&server)).await.is_err());
    sleep(secs(60)).await;
    assert_eq!((server.calls(), server.open()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_aborted_task_takes_its_call_with_it() {
    static DROPS: Mutex<Vec<Duration>> = Mutex::new(Vec::new());
    #[retry(per_attempt = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(start: Instant) -> Result<(), RetryError<ConnectionError>> {
        let _guard = Guard(&DROPS, start);
        std::future::pending().await
    }
    let task = tokio::spawn(fetch(Instant::now()));
    sleep(ms(10)).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(*DROPS.lock().unwrap(), [ms(10)]);
}

/// On the real clock, because the paused one stands still while a task is busy.
#[tokio::test]
async fn a_call_that_fails_without_an_await_and_waits_for_nothing_can_be_cancelled() {
    #[retry(total = "20s", per_attempt = "1s", attempts = 4_000_000_000_u32, backoff = "none", on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    let start = Instant::now();
    assert!(timeout(ms(20), fetch()).await.is_err());
    let policy = Policy::builder().total(secs(20)).attempts(4_000_000_000).no_backoff().build();
    assert!(timeout(ms(20), policy.run(|| async { Err::<(), _>(ConnectionError) })).await.is_err());
    let values = policy.run(|| async { Ok::<_, ConnectionError>(()) }).when_ok(|()| true);
    assert!(timeout(ms(20), values).await.is_err());
    assert!(start.elapsed() < secs(10), "{:?}", start.elapsed());
}
